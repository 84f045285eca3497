import { makeStore } from "./store.ts"
import { readStored, writeStored } from "./stored.ts"

export interface Preferences {
  /** A code of `GET /price/currencies` in upper case: what every value that is read is asked for in. */
  readonly currency: string
  /** Whether holdings of little worth are left out of the table. */
  readonly hidesSmall: boolean
}

const item = "wallet-data-currency"

/** The one that was chosen at an earlier visit, where the browser keeps it. */
const storedCurrency = (): string | undefined => {
  const code = readStored(item) ?? ""
  return /^[A-Z]{3,8}$/.test(code) ? code : undefined
}

/** What the reader has chosen; for all views. */
export const preferences = makeStore<Preferences>({ currency: storedCurrency() ?? "USD", hidesSmall: true })

/** Reads and shows every value in this currency from now on. */
export const chooseCurrency = (code: string) => {
  const currency = code.toUpperCase()
  writeStored(item, currency)
  preferences.set({ ...preferences.get(), currency })
}
