import { readStored, writeStored } from "../state/stored.ts"
import { en } from "./en.ts"
import type { transactionEn } from "./transaction/en.ts"
import type { unlistedEn } from "./unlisted/en.ts"

/** The key of a text. A text with two forms, for one and for other counts, separates them by `|`. */
export type TextKey = keyof typeof en | keyof typeof transactionEn | keyof typeof unlistedEn

/** All texts in one language; `{name}` is replaced by a value. */
export type Texts = Readonly<Record<TextKey, string>>

/** The languages of the page, each in its own name. */
export const languages = { en: "English", de: "Deutsch", es: "Español", fr: "Français" } as const
export type Language = keyof typeof languages

const item = "wallet-data-language"
const isLanguage = (text: string | undefined): text is Language => text !== undefined && Object.hasOwn(languages, text)

const { navigator } = globalThis as { readonly navigator?: { readonly languages?: ReadonlyArray<string> } }
const preferred = navigator?.languages ?? []
const shortOf = (tag: string) => tag.slice(0, 2).toLowerCase()

const stored = readStored(item)

/** The language of the texts: the stored selection, or the first language of the browser that the page has. */
export const language: Language = isLanguage(stored) ? stored : (preferred.map(shortOf).find(isLanguage) ?? "en")

/** The locale of numbers and dates, with the region of the browser, such as `de-CH`. */
export const locale: string = preferred.find((tag) => shortOf(tag) === language) ?? language

const tables: Readonly<Record<Exclude<Language, "en">, () => Promise<Texts>>> = {
  de: () => import("./de.ts").then(({ de }) => de),
  es: () => import("./es.ts").then(({ es }) => es),
  fr: () => import("./fr.ts").then(({ fr }) => fr)
}

let texts = en as Texts

/** Adds the English texts of a later view; in another language they are in its table. */
export const addTexts = (later: Partial<Texts>) => {
  texts = { ...later, ...texts }
}

/** Loads the texts of the language. Must complete before the first text is read. English is always loaded. */
export const loadTexts = async (): Promise<void> => {
  if (language === "en") return
  // If the table cannot be loaded, the page is in English.
  texts = await tables[language]().catch(() => texts)
}

/** Stores the language for the next load of the page. */
export const storeLanguage = (text: string) => writeStored(item, text)

/** Whether the page has a text with this key. */
export const isText = (key: string): key is TextKey => Object.hasOwn(texts, key)

const plurals = new Intl.PluralRules(locale)

/** A text of the page. The value `count` selects the form for its number. */
export const t = (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string => {
  const [first = "", other = first] = texts[key].split("|")
  const isOther = typeof values.count === "number" && plurals.select(values.count) !== "one"
  return (isOther ? other : first).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    // Small counts have no separators. The first number format takes long to create: the first view has none.
    return typeof value === "number" && value >= 1000 ? new Intl.NumberFormat(locale).format(value) : `${value ?? ""}`
  })
}
