import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import { sui as facts } from "../../catalogue/sui.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

/** A primitive type of Move. */
const primitives = ["bool", "u8", "u16", "u32", "u64", "u128", "u256", "address", "signer"]

/** Limits the nesting of client input; the chain allows less. */
const deepest = 16

/**
 * No type on the chain is longer: 256 names of 128 characters each. A lower limit would let anyone make all balances of
 * an address unreadable by sending it a coin with a longer type.
 */
const longest = 100_000

/**
 * Returns the canonical spelling of a coin type: all addresses, including those in type parameters, have 64 lower-case
 * digits, and there are no spaces. None if the text is not a struct type such as `0x2::sui::SUI`.
 */
export const canonical = (text: string): Option.Option<string> => {
  if (text.length > longest) return Option.none()
  const tokens = text.match(/::|[<>,]|[^\s<>,:]+|\S/g) ?? []
  const reader = { tokens, next: 0 }
  const type = parseStruct(reader, 0)
  return reader.next === tokens.length ? type : Option.none()
}

/** The type of the native coin. */
export const sui = `0x${"2".padStart(64, "0")}::sui::SUI`

/** True for the type of the native coin in any spelling. */
export const isSui = (text: string): boolean => Option.contains(canonical(text), sui)

interface CoinTypeReader {
  readonly tokens: ReadonlyArray<string>
  next: number
}

const take = (reader: CoinTypeReader): string => reader.tokens[reader.next++] ?? ""

const takeIf = (reader: CoinTypeReader, token: string): boolean => {
  const found = reader.tokens[reader.next] === token
  if (found) reader.next += 1
  return found
}

const parseStruct = (reader: CoinTypeReader, depth: number): Option.Option<string> => {
  const [, digits] = /^0x([0-9a-f]{1,64})$/i.exec(take(reader)) ?? []
  const names = Arr.makeBy(2, () => (takeIf(reader, "::") ? take(reader) : ""))
  if (digits === undefined || depth > deepest || !names.every(isName)) return Option.none()
  const plain = `0x${digits.toLowerCase().padStart(64, "0")}::${names.join("::")}`
  if (!takeIf(reader, "<")) return Option.some(plain)
  const parameters: Array<string> = []
  do {
    const parameter = parseType(reader, depth + 1)
    if (Option.isNone(parameter)) return Option.none()
    parameters.push(parameter.value)
  } while (takeIf(reader, ","))
  return takeIf(reader, ">") ? Option.some(`${plain}<${parameters.join(",")}>`) : Option.none()
}

const parseType = (reader: CoinTypeReader, depth: number): Option.Option<string> => {
  const token = reader.tokens[reader.next] ?? ""
  if (!primitives.includes(token) && token !== "vector") return parseStruct(reader, depth)
  reader.next += 1
  if (token !== "vector") return Option.some(token)
  if (depth > deepest || !takeIf(reader, "<")) return Option.none()
  const element = parseType(reader, depth + 1)
  return takeIf(reader, ">") ? Option.map(element, (text) => `vector<${text}>`) : Option.none()
}

const isName = (text: string) => /^[A-Za-z_]\w*$/.test(text)

/** How the token list of Sui is built. */
export const tokens: PlatformFacts = { platform: facts.platform, canonical, confirms: true }
