import { makeStore } from "./store.ts"
import { readStored, writeStored } from "./stored.ts"

export interface Preferences {
  /** The currency of all requested values: a code of `GET /price/currencies` in upper case. */
  readonly currency: string
  /** True if the table hides holdings of small value. */
  readonly hidesSmall: boolean
}

const item = "wallet-data-currency"

/** The currency selected at an earlier visit, if the browser has stored it. */
const storedCurrency = (): string | undefined => {
  const code = readStored(item) ?? ""
  return /^[A-Z]{3,8}$/.test(code) ? code : undefined
}

/** The selections of the user, shared by all views. */
export const preferences = makeStore<Preferences>({ currency: storedCurrency() ?? "USD", hidesSmall: true })

/** Selects the currency of all values. */
export const chooseCurrency = (code: string) => {
  const currency = code.toUpperCase()
  writeStored(item, currency)
  preferences.set({ ...preferences.get(), currency })
}
