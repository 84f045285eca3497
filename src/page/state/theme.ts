import { makeStore } from "./store.ts"
import { readStored, writeStored } from "./stored.ts"

/** `system` follows the setting of the device. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const item = "wallet-data-theme"

/** Sets the theme attribute of the document. The entry module imports this module, so it is set before first paint. */
const show = (chosen: Theme) => {
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

const isTheme = (text: string | undefined): text is Theme => themes.some((name) => name === text)

const stored = readStored(item)

/** The theme that the user has selected. */
export const theme = makeStore<Theme>(isTheme(stored) ? stored : "system")

show(theme.get())

/** Selects and stores a theme. */
export const chooseTheme = (text: string) => {
  if (!isTheme(text)) return
  writeStored(item, text)
  show(text)
  theme.set(text)
}
