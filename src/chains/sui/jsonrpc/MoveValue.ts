import { base64 } from "@scure/base"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { typeName } from "../SuiWire.ts"
import * as Bcs from "./Bcs.ts"

/** The layout of a Move type (docs.sui.io, MoveTypeLayout). */
type Layout = unknown

interface MoveField {
  readonly name: string
  readonly layout: Layout
}

interface Struct {
  readonly type: string
  readonly fields: ReadonlyArray<MoveField>
}

interface Enum {
  readonly type: string
  readonly variants: ReadonlyArray<{ readonly name: string; readonly fields: ReadonlyArray<MoveField> }>
}

type MoveFields = Readonly<Record<string, unknown>>

/**
 * Decodes a struct's fields to the format of the old API: integers of 64 bits and more are strings, byte vectors are
 * lists of numbers. Nested structs include their type only if `typed` is true: object contents have types, events do
 * not. Left if the bytes do not match the layout.
 */
export const fields = (
  contents: { readonly bcs: string; readonly type: { readonly layout?: Layout } },
  typed: boolean
): Either.Either<MoveFields, string> =>
  Either.try({
    try: () => {
      const reader = Bcs.reader(base64.decode(contents.bcs))
      const { layout } = contents.type
      if (!isStruct(layout)) return undefined
      const values = members(layout.struct.fields, reader, typed)
      return Bcs.ended(reader) ? values : undefined
    },
    catch: () => typeMismatch
  }).pipe(Either.filterOrLeft(Predicate.isNotUndefined, () => typeMismatch))

const typeMismatch = "a value does not match its type"

const isStruct = (layout: Layout): layout is { readonly struct: Struct } =>
  Predicate.hasProperty(layout, "struct") && Predicate.hasProperty(layout.struct, "fields")

const members = (all: ReadonlyArray<MoveField>, reader: Bcs.BcsReader, typed: boolean): MoveFields =>
  Object.fromEntries(all.map(({ layout, name }) => [name, value(layout, reader, typed)]))

/** Sizes in bytes of the integers that are returned as strings, and of those that are returned as numbers. */
const large: Readonly<Record<string, number>> = { u64: 8, u128: 16, u256: 32 }
const little: Readonly<Record<string, 1 | 2 | 4>> = { u8: 1, u16: 2, u32: 4 }

const value = (layout: Layout, reader: Bcs.BcsReader, typed: boolean): unknown => {
  if (typeof layout === "string") return primitive(layout, reader)
  if (Predicate.hasProperty(layout, "vector")) {
    const { vector } = layout
    return vector === "u8" ? Array.from(Bcs.byteVector(reader)) : Bcs.vector(reader, (Bc) => value(vector, Bc, typed))
  }
  if (isStruct(layout)) return struct(layout.struct, reader, typed)
  if (Predicate.hasProperty(layout, "enum")) return variant(layout.enum, reader, typed)
  throw new RangeError(typeMismatch)
}

const primitive = (layout: string, reader: Bcs.BcsReader): unknown => {
  const size = large[layout]
  if (size !== undefined) return String(Bcs.unsigned(reader, size))
  const few = little[layout]
  if (few !== undefined) return Bcs.small(reader, few)
  if (layout === "bool") return Bcs.small(reader, 1) === 1
  if (layout === "address" || layout === "signer") return Bcs.address(reader)
  throw new RangeError(typeMismatch)
}

/** Structs that the old API replaced by their value (sui-json-rpc-types, SuiMoveValue). */
const knownStructs: Readonly<Record<string, (reader: Bcs.BcsReader, struct: Struct, typed: boolean) => unknown>> = {
  "0x1::string::String": Bcs.string,
  "0x1::ascii::String": Bcs.string,
  "0x2::url::Url": Bcs.string,
  "0x2::object::ID": Bcs.address,
  "0x2::object::UID": (reader) => ({ id: Bcs.address(reader) }),
  "0x2::balance::Balance": (reader) => String(Bcs.unsigned(reader, 8)),
  "0x1::option::Option": (reader, { fields: [vector] }, typed) => {
    const [element = null] = value(vector?.layout, reader, typed) as ReadonlyArray<unknown>
    return element
  }
}

const struct = (layout: Struct, reader: Bcs.BcsReader, typed: boolean): unknown => {
  const type = typeName(layout.type)
  const values = knownStructs[type.split("<")[0] ?? ""]
  if (values !== undefined) return values(reader, layout, typed)
  const within = members(layout.fields, reader, typed)
  return typed ? { type, fields: within } : within
}

/** In the GraphQL schema, the layout of an enum is in a list of one element. */
const variant = (described: unknown, reader: Bcs.BcsReader, typed: boolean): unknown => {
  const layout = (Array.isArray(described) ? described[0] : described) as Enum
  const chosen = layout.variants[Bcs.uleb(reader)]
  if (chosen === undefined) throw new RangeError(typeMismatch)
  const within = members(chosen.fields, reader, typed)
  return typed
    ? { type: typeName(layout.type), variant: chosen.name, fields: within }
    : { variant: chosen.name, ...within }
}
