import type { components } from "../../client/Client.ts"
import { isDecimal, plain, scaled } from "../text/decimal.ts"
import { amount, rough } from "../text/format.ts"
import { t } from "../text/language.ts"

export type NetworkFees = components["schemas"]["NetworkFees"]
type AnyLevel = NetworkFees["levels"]["standard"]

/** A number of the fees with its display name; null if it is unknown. */
export interface Field {
  readonly title: string
  readonly text: string | null
}

/** Suffixes of field names. */
const units = ["micro lamports", "lamports", "wei", "mist", "drops", "sun", "nanoton", "planck"]

/** Words with a special spelling. */
const spellings: Readonly<Record<string, string>> = { eip1559: "EIP-1559", l1: "L1" }

/** Amounts with more digits in wei are shown in gwei, as is usual. */
const weiDigits = 7

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `maxFeePerGasWei` is `Max fee per gas`, in `wei`. */
const wordsOf = (name: string): { readonly title: string; readonly unit: string | undefined } => {
  const words = name
    .slice(0, 100)
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase())
  const text = words.join(" ")
  const unit = units.find((candidate) => text.endsWith(` ${candidate}`))
  const title = (unit === undefined ? text : text.slice(0, -unit.length - 1))
    .split(" ")
    .map((word) => spellings[word] ?? word)
    .join(" ")
  return { title: capital(title), unit }
}

const textOf = (value: unknown, unit: string | undefined, format: (text: string) => string): string | null => {
  if (typeof value === "boolean") return t(value ? "yes" : "no")
  const text = typeof value === "number" ? plain(value) : value
  if (typeof text !== "string") return null
  if (!isDecimal(text)) return t("notANumber")
  if (unit === "wei" && /^\d+$/.test(text) && text.length > weiDigits) return `${format(scaled(text, 9) ?? text)} gwei`
  return unit === undefined ? format(text) : `${format(text)} ${unit}`
}

/** A field by its name in the response. */
export const fieldOf = (name: string, value: unknown, format = amount): Field => {
  const { title, unit } = wordsOf(name)
  return { title, text: textOf(value, unit, format) }
}

const ofEveryLevel = new Set(["seconds", "transferFee", "transferFeeBaseUnits", "transferFeeUsd", "error", "errorCode"])

const levelNames = ["slow", "standard", "fast"] as const

/** A fee level, with the fee fields of its transactions. */
export interface FeeLevel {
  readonly name: (typeof levelNames)[number]
  readonly level: AnyLevel
  /** By the titles of the columns, with three significant digits. */
  readonly rates: ReadonlyMap<string, string | null>
  /** The same, exact. */
  readonly exact: ReadonlyMap<string, string | null>
}

/** The levels, from cheapest to fastest. */
export const levelsOf = ({ levels }: NetworkFees): ReadonlyArray<FeeLevel> =>
  levelNames.map((name) => {
    const fields = Object.entries(levels[name]).filter(([field]) => !ofEveryLevel.has(field))
    const texts = (format: typeof amount) =>
      new Map(
        fields.map(([field, value]) => {
          const { text, title } = fieldOf(field, value, format)
          return [title, text]
        })
      )
    return { name, level: levels[name], rates: texts(rough), exact: texts(amount) }
  })

/** The columns of the rates. Rates that are null at every level without a reason do not exist on this network. */
export const columnsOf = (levels: ReadonlyArray<FeeLevel>): ReadonlyArray<string> =>
  [...new Set(levels.flatMap(({ rates }) => [...rates.keys()]))].filter((title) =>
    levels.some(({ level, rates }) => rates.get(title) != null || level.error !== undefined)
  )

/** A level with the error, if no level has a number and all have the same error. */
export const missingIn = (levels: ReadonlyArray<FeeLevel>): AnyLevel | undefined => {
  const first = levels[0]?.level
  const isMissing = levels.every(
    ({ level, rates }) =>
      level.error !== undefined &&
      level.error === first?.error &&
      level.transferFee === null &&
      [...rates.values()].every((text) => text === null)
  )
  return isMissing ? first : undefined
}

const reasons = new Set(["error", "errorCode"])

/** The values common to all levels. The fields of a nested object are prefixed with its name. */
export const basisOf = ({ basis }: NetworkFees): ReadonlyArray<Field & { readonly error?: string | undefined }> =>
  Object.entries(basis).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "object" || value === null) return value === null ? [] : [fieldOf(name, value)]
    const { error } = value as { readonly error?: string }
    return Object.entries(value)
      .filter(([part]) => !reasons.has(part))
      .map(([part, inner]) => {
        const field = fieldOf(part, inner)
        return { ...field, title: `${wordsOf(name).title}: ${field.title.toLowerCase()}`, error }
      })
  })
