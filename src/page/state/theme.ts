import { makeStore } from "./store.ts"
import { readStored, writeStored } from "./stored.ts"

/** `system` follows the setting of the device. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const item = "wallet-data-theme"

/** The document has the attribute before anything is drawn in it: this module is imported by the first one. */
const show = (chosen: Theme) => {
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

const isTheme = (text: string | undefined): text is Theme => themes.some((name) => name === text)

const stored = readStored(item)

/** The colours that the reader has chosen. */
export const theme = makeStore<Theme>(isTheme(stored) ? stored : "system")

show(theme.get())

/** Shows the page in these colours from now on. */
export const chooseTheme = (text: string) => {
  if (!isTheme(text)) return
  writeStored(item, text)
  show(text)
  theme.set(text)
}
