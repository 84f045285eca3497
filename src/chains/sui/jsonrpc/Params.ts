import { base58, base64 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as CoinType from "../CoinType.ts"
import { parseWithSystem } from "../SuiAddress.ts"
import { invalid, type SuiRefusal } from "./Method.ts"

// Validates client input before any upstream is called. Parameters are named as in the old API.

type Checked<A> = Either.Either<A, SuiRefusal>

/** The page limit, both of the old API and of GraphQL. */
export const maxRows = 50

export const address = (value: unknown, name: string): Checked<string> =>
  typeof value === "string"
    ? Either.mapLeft(parseWithSystem(value), (why) => invalid(`${name}: ${why}`))
    : Either.left(invalid(`${name}: an address is expected`))

export const text = (value: unknown, name: string): Checked<string> =>
  typeof value === "string" && value !== "" ? Either.right(value) : Either.left(invalid(`${name}: text is expected`))

/** 32 bytes in base58. */
export const isDigest = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= 44 &&
  Either.getOrUndefined(Either.try(() => base58.decode(value)))?.length === 32

export const digest = (value: unknown, name: string): Checked<string> =>
  isDigest(value) ? Either.right(value) : Either.left(invalid(`${name}: 32 bytes in base58 are expected`))

/** The canonical spelling of a struct type. */
export const type = (value: unknown): Checked<string> =>
  typeof value === "string"
    ? Either.fromOption(CoinType.canonical(value), () =>
        invalid(`Failed to parse type "${value.slice(0, 200)}": a type is written as 0x2::sui::SUI`)
      )
    : Either.left(invalid("coin_type: a type is expected"))

export const cursor = (value: unknown): Checked<string | null> =>
  value === undefined || value === null ? Either.right(null) : text(value, "cursor")

export const limit = (value: unknown): Checked<number> => {
  if (value === undefined || value === null) return Either.right(maxRows)
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maxRows
    ? Either.right(value)
    : Either.left(invalid(`limit: a number from 1 to ${maxRows} is expected`))
}

export const object = (value: unknown, name: string): Checked<Readonly<Record<string, unknown>>> => {
  if (value === undefined || value === null) return Either.right({})
  return Predicate.isRecord(value) ? Either.right(value) : Either.left(invalid(`${name}: an object is expected`))
}

/** Parses boolean options; without an object, all are false. */
export const flags = <Name extends string>(
  value: unknown,
  names: ReadonlyArray<Name>
): Checked<Readonly<Record<Name, boolean>>> =>
  Either.flatMap(object(value, "options"), (given) => {
    const wrong = names.find((name) => given[name] !== undefined && given[name] !== null && !isBoolean(given[name]))
    return wrong === undefined
      ? Either.right(Object.fromEntries(names.map((name) => [name, given[name] === true])) as Record<Name, boolean>)
      : Either.left(invalid(`options.${wrong}: true or false is expected`))
  })

const isBoolean = (value: unknown) => typeof value === "boolean"

/** Parses a list that is at most as long as a page. */
export const list = <A>(value: unknown, name: string, each: (member: unknown, name: string) => Checked<A>) =>
  Array.isArray(value) && value.length <= maxRows
    ? Either.all(value.map((member, index) => each(member, `${name}[${index}]`)))
    : Either.left(invalid(`${name}: a list of at most ${maxRows} is expected`))

export const bytes = (value: unknown, name: string): Checked<Uint8Array> =>
  Either.fromOption(
    typeof value === "string" ? Option.liftThrowable(base64.decode)(value) : Option.none<Uint8Array>(),
    () => invalid(`${name}: bytes in base64 are expected`)
  )
