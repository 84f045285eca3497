import type { components } from "../../client/Client.ts"
import { onEachClient, promptForKey } from "./session.ts"
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

/** The currencies that the service supports, with their rates; empty until they are loaded. */
export const currencies = makeStore<ReadonlyArray<components["schemas"]["CurrencyRate"]>>([])

onEachClient((client) =>
  client.prices
    .currencies()
    .then((known) => currencies.set(known))
    // If the list cannot be read, the current currency stays selected.
    .catch(promptForKey(client))
)

/** `system` follows the setting of the device. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const themeItem = "wallet-data-theme"

/** Sets the theme attribute of the document. The entry module imports this module, so it is set before first paint. */
const show = (chosen: Theme) => {
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

const isTheme = (text: string | undefined): text is Theme => themes.some((name) => name === text)

const storedTheme = readStored(themeItem)

/** The theme that the user has selected. */
export const theme = makeStore<Theme>(isTheme(storedTheme) ? storedTheme : "system")

show(theme.get())

/** Selects and stores a theme. */
export const chooseTheme = (text: string) => {
  if (!isTheme(text)) return
  writeStored(themeItem, text)
  show(text)
  theme.set(text)
}
