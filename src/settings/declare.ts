import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { type Setting, Settings } from "./Settings.ts"

type Named<A> = Pick<Setting<A>, "name" | "meaning" | "default">

const read = <A>(setting: Setting<A>) => Effect.flatMap(Settings, (settings) => settings.read(setting))

/** A value of any type, with custom `allowed`, `parse` and `show`. */
export const custom = read

/** Parses a whole number between two inclusive bounds; left is the problem. */
export const wholeNumber = (text: string, min: number, max: number): Either.Either<number, string> => {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= min && value <= max
    ? Either.right(value)
    : Either.left(`"${text}" is not allowed`)
}

type Bounds = { readonly min: number; readonly max: number }

const whole = ({ max, min }: Bounds) => ({
  allowed: `a whole number from ${min} to ${max}`,
  parse: (text: string) => wholeNumber(text, min, max)
})

/** A whole number between two inclusive bounds. */
export const integer = (setting: Named<number> & Bounds) =>
  read<number>({ ...setting, ...whole(setting), show: String })

/** The same, or undefined if it is not set. */
export const optionalInteger = (setting: Omit<Named<number>, "default"> & Bounds) =>
  read<number | undefined>({
    ...setting,
    ...whole(setting),
    default: undefined,
    show: (value) => (value === undefined ? "" : String(value))
  })

/** A number between two inclusive bounds. */
export const number = (setting: Named<number> & Bounds) =>
  read<number>({
    ...setting,
    allowed: `a number from ${setting.min} to ${setting.max}`,
    show: String,
    parse: (text) => {
      const value = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN
      return value >= setting.min && value <= setting.max
        ? Either.right(value)
        : Either.left(`"${text}" is not allowed`)
    }
  })

/** One of a few words, case-insensitive. */
export const choice = <A extends string>(
  setting: Named<A> & Pick<Setting<A>, "conflict"> & { readonly choices: ReadonlyArray<A> }
) =>
  read<A>({
    ...setting,
    allowed: setting.choices.join(", "),
    show: (value) => value,
    parse: (text) => {
      const found = setting.choices.find((known) => known === text.toLowerCase())
      return found === undefined ? Either.left(`"${text}" is not allowed`) : Either.right(found)
    }
  })

/** true or false. */
export const flag = (setting: Named<boolean>) =>
  Effect.map(
    choice({ ...setting, default: setting.default ? "true" : "false", choices: ["true", "false"] }),
    (value) => value === "true"
  )

/** Free text, with an optional check. */
export const text = (
  setting: Named<string> &
    Pick<Setting<string>, "rejectsBlanks"> & { readonly allowed: string; readonly check?: (value: string) => boolean }
) =>
  read<string>({
    ...setting,
    show: (value) => value,
    parse: (value) =>
      setting.check?.(value) === false ? Either.left(`"${value}" is not allowed`) : Either.right(value)
  })

/** A comma-separated list of texts; blanks around items are removed. */
export const list = (
  setting: Named<ReadonlyArray<string>> & { readonly allowed: string; readonly check?: (item: string) => boolean }
) =>
  read<ReadonlyArray<string>>({
    ...setting,
    show: (items) => items.join(","),
    parse: (value) => {
      const items = split(value)
      const wrong = items.find((item) => setting.check?.(item) === false)
      return wrong === undefined ? Either.right(items) : Either.left(`"${wrong}" is not allowed`)
    }
  })

/**
 * A list of secrets; `config` shows only their number. A list with an empty item, such as an unset variable in a
 * template, is rejected: a list without any key would allow every client. `check` returns the problem of an item,
 * without the item.
 */
export const secrets = (
  setting: Omit<Named<unknown>, "default"> &
    Pick<Setting<unknown>, "rejectsBlanks" | "separateFile"> & {
      readonly allowed: string
      readonly check?: (item: string) => string | undefined
    }
) =>
  read<ReadonlyArray<Redacted.Redacted<string>>>({
    rejectsBlanks: true,
    ...setting,
    isSecret: true,
    default: [],
    show: (items) => (items.length === 0 ? "" : `<${items.length} set>`),
    parse: (value) => {
      const items = value.split(",").map((item) => item.trim())
      if (items.every((item) => item === "")) return Either.left("there is no item in the list")
      const problems = items.map((item) => (item === "" ? "is empty" : setting.check?.(item)))
      const wrong = problems.findIndex((problem) => problem !== undefined)
      return wrong === -1
        ? Either.right(items.map((item) => Redacted.make(item)))
        : Either.left(`item ${wrong + 1} of ${items.length} ${problems[wrong]}`)
    }
  })

/** A secret, or undefined if it is not set; `config` shows only that it is set. */
export const secret = (
  setting: Omit<Named<unknown>, "default"> & { readonly allowed: string; readonly check?: (value: string) => boolean }
) =>
  read<Redacted.Redacted<string> | undefined>({
    ...setting,
    isSecret: true,
    default: undefined,
    show: (value) => (value === undefined ? "" : "<set>"),
    parse: (value) =>
      setting.check?.(value) === false
        ? Either.left("the value, which is not shown, is not allowed")
        : Either.right(Redacted.make(value))
  })

/** Base addresses in order of preference: http or https, without a trailing slash. An address may contain a key. */
export const urls = (setting: Named<ReadonlyArray<string>>) =>
  read<ReadonlyArray<string>>({
    ...setting,
    isSecret: true,
    allowed: "http:// or https:// addresses, comma-separated, the preferred one first",
    show: (items) => (items === setting.default ? items : items.map(withoutSecrets)).join(","),
    parse: (value) => {
      const items = split(value)
      const wrong = items.findIndex((address) => !isHttpUrl(address))
      return wrong === -1
        ? Either.right(items.map(withoutSlash))
        : Either.left(`address ${wrong + 1} of ${items.length} is not an http:// or https:// address`)
    }
  })

/** One base address; see {@link urls}. */
export const url = (setting: Named<string>) =>
  read<string>({
    ...setting,
    isSecret: true,
    allowed: "an http:// or https:// address",
    show: (value) => (value === setting.default ? value : withoutSecrets(value)),
    parse: (value) =>
      isHttpUrl(value)
        ? Either.right(withoutSlash(value))
        : Either.left("the value is not an http:// or https:// address")
  })

const split = (value: string) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const isHttpUrl = (value: string) => {
  const parsed = URL.parse(value)
  return parsed !== null && (parsed.protocol === "http:" || parsed.protocol === "https:")
}

/** Keeps a slash at the end of a query, because it belongs to the key there. */
const withoutSlash = (value: string) => (value.includes("?") ? value : value.replace(/\/+$/, ""))

/** Scheme and host only: keys are in the user part, in the path or in the query. */
const withoutSecrets = (value: string) => {
  const parsed = URL.parse(value)
  if (parsed === null) return ""
  const path = parsed.pathname === "/" && parsed.search === "" ? "" : "/…"
  return `${parsed.protocol}//${parsed.username === "" ? "" : "…@"}${parsed.host}${path}`
}
