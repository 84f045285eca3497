import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { nearest, startsLike } from "../kernel/text/closest.ts"
import { secretsOf } from "./secretsOf.ts"
import { readText } from "./textFile.ts"

/** A variable has an invalid value. The message for the operator contains name, value and allowed values. */
export class SettingError extends Schema.TaggedError<SettingError>()("SettingError", {
  variable: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** One environment variable, declared where it is used. */
export interface Setting<A> {
  readonly name: string
  /** Its effect, in one line for the operator. */
  readonly meaning: string
  /** The allowed values, for the operator. */
  readonly allowed: string
  readonly default: A
  /** Whether an empty value, also one of only blanks, is invalid instead of not set. */
  readonly rejectsBlanks?: boolean
  /** Whether the variable `<name>_FILE` may name a file that contains the value. */
  readonly isSecret?: boolean
  /** Whether `<name>_FILE` is a separate setting, which is read elsewhere. */
  readonly separateFile?: boolean
  /** Parses the text; left is the problem. */
  readonly parse: (text: string) => Either.Either<A, string>
  /** A problem of the names of all variables that are set, with this value. */
  readonly conflict?: (value: A, present: ReadonlyArray<string>) => string | undefined
  /** The value as `config` shows it, without secrets. */
  readonly show: (value: A) => string
  /** What a value such as `auto` stands for on this machine, for `config`. */
  readonly explain?: (value: A) => string | undefined
}

/** A variable as `wallet-data config` lists it. */
export interface Declared {
  readonly name: string
  readonly meaning: string
  readonly allowed: string
  readonly default: string
  readonly value: string
  readonly set: boolean
  readonly explanation?: string
  readonly problem?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment of the service. Layers read their variables through it while they are built. It records these reads,
 * so that `config` can list every variable and misspelt names are found.
 */
export class Settings extends Context.Tag("settings/Settings")<
  Settings,
  {
    /** The value of a variable, or its default. Empty and blanks count as not set, except with `rejectsBlanks`. */
    readonly read: <A>(setting: Setting<A>) => Effect.Effect<A, SettingError>
    /** Whether the environment sets a variable whose name starts with this prefix, or may be meant to. */
    readonly isSet: (prefix: string) => boolean
    /** The texts of the secrets read so far, which no log may contain. */
    readonly secrets: () => ReadonlySet<string>
    /** The text of a variable that the runtime reads itself; empty if it is not set. */
    readonly runtime: (name: string) => string
    /** Every variable declared so far, by name. */
    readonly declared: Effect.Effect<ReadonlyArray<Declared>>
    /**
     * A warning about each set variable that looks like a variable of the service but is not, with the most similar name, and
     * about each list that is set but empty.
     */
    readonly unknown: Effect.Effect<ReadonlyArray<string>>
  }
>() {
  /**
   * An invalid value fails the layer that reads it, and so the start. For variables that are not set, `defaults` take
   * precedence over the defaults of their declarations.
   */
  static readonly layer = (environment: Environment, defaults: Environment = {}) =>
    Layer.sync(Settings, () => make(environment, defaults, false))

  /** Records an invalid value and uses the default instead: for `config`, which shows all problems. */
  static readonly layerLenient = (environment: Environment, defaults: Environment = {}) =>
    Layer.sync(Settings, () => make(environment, defaults, true))
}

/** Why the text of a file is no secret: it is one line that a header field can contain. */
const secretProblem = (text: string): string | undefined => {
  if (text === "") return "is empty"
  if (/[\n\r\u2028\u2029]/.test(text)) return "has more than one line: line 2 is not allowed"
  return /\p{C}/u.test(text) ? "has a character that is not allowed, such as NUL or a byte order mark" : undefined
}

const make = (environment: Environment, defaults: Environment, lenient: boolean): Context.Tag.Service<Settings> => {
  const seen = new Map<string, Declared>()
  const secrets = new Set<string>()
  const present = Object.keys(environment).filter((name) => (environment[name] ?? "").trim() !== "")
  /** The `_FILE` variables that name files with secrets. */
  const fileVariables = new Set<string>()

  /** The text of a variable, or of its file, which keeps a secret out of the environment. */
  const valueOf = ({
    isSecret = false,
    name,
    separateFile = false
  }: Pick<Setting<unknown>, "name" | "isSecret" | "separateFile">): Either.Either<string | undefined, SettingError> => {
    const [text, variable] = [environment[name], `${name}_FILE`]
    const path = isSecret && !separateFile ? (environment[variable]?.trim() ?? "") : ""
    const refused = (problem: string) => Either.left(new SettingError({ variable, problem }))
    if (isSecret && !separateFile) fileVariables.add(variable)
    if (path === "") return Either.right(text)
    if ((text ?? "").trim() !== "") return refused(`${name} is set too; only one of them is allowed`)
    return Either.match(readText(path), {
      onLeft: refused,
      onRight: (content) => {
        const secret = content.trim()
        const problem = secretProblem(secret)
        return problem === undefined ? Either.right(secret) : refused(`"${path}" ${problem}`)
      }
    })
  }

  return {
    read: <A>(setting: Setting<A>) =>
      Effect.suspend(() => {
        const found = valueOf(setting)
        if (Either.isLeft(found) && !lenient) return found.left
        const given = Either.getOrUndefined(found)
        const text = given?.trim() ?? ""
        const set = text !== "" || (setting.rejectsBlanks === true && given !== undefined)
        if (setting.isSecret === true) for (const secret of secretsOf(text)) secrets.add(secret)
        const replaced = defaults[setting.name]
        const otherwise =
          replaced === undefined ? setting.default : Either.getOrElse(setting.parse(replaced), () => setting.default)
        const parsed = set ? setting.parse(text) : Either.right(otherwise)
        const value = Either.getOrElse(parsed, () => otherwise)
        const problem = Either.isLeft(found)
          ? found.left.message
          : Either.isLeft(parsed)
            ? `${parsed.left}; allowed: ${setting.allowed}`
            : setting.conflict?.(value, present)
        const explanation = setting.explain?.(value)
        seen.set(setting.name, {
          name: setting.name,
          meaning: setting.meaning,
          allowed: setting.allowed,
          default: setting.show(otherwise),
          value: setting.show(value),
          set,
          ...(explanation === undefined ? {} : { explanation }),
          ...(problem === undefined ? {} : { problem })
        })
        return problem === undefined || lenient
          ? Effect.succeed(value)
          : new SettingError({ variable: setting.name, problem })
      }),
    isSet: (prefix) => present.some((name) => startsLike(name, prefix, commonEnding.test(name) ? 2 : 1)),
    secrets: () => secrets,
    runtime: (name) => environment[name] ?? "",
    declared: Effect.sync(() => [...seen.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
    unknown: Effect.sync(() => [
      ...warnings(present, [...seen.keys(), ...fileVariables].sort()),
      ...[...seen.values()].flatMap(({ name, set, value }) =>
        set && value === "" ? [`${name} is a list without an item`] : []
      )
    ])
  }
}

/** Endings that only occur in variables of this service. */
const endings = ["_RPC_URLS", "_BLOCKSCOUT_URL", "_ESPLORA_URLS", "_BLOCKBOOK_URLS", "_PER_SECOND", "_PER_MONTH"]

/** The shortest known name that continues this one, which has several words: `RATE_LIMIT` lacks an ending. */
const withEnding = (name: string, known: ReadonlyArray<string>) =>
  name.includes("_")
    ? known
        .filter((item) => item.startsWith(`${name}_`))
        .reduce<string | undefined>(
          (found, item) => (found === undefined || item.length < found.length ? item : found),
          undefined
        )
    : undefined

const warnings = (present: ReadonlyArray<string>, known: ReadonlyArray<string>) =>
  present.flatMap((name) => {
    if (known.includes(name)) return []
    const problem = `${name} is set but is not a known variable`
    const suggestion = name.length > 5 ? (nearest(name, known) ?? withEnding(name, known)) : undefined
    if (suggestion !== undefined) return [`${problem}: did you mean ${suggestion}?`]
    return endings.some((ending) => name.endsWith(ending)) ? [problem] : []
  })

/** How the variables of networks end. Both edits of a misspelt name with this ending may be in its prefix. */
const commonEnding = /(URLS?|KEY|ID|PER_SECOND|PER_MONTH)$/
