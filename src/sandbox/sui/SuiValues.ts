import { base64, hex } from "@scure/base"

// Values of Move: their bytes (BCS) and their layout, in GraphQL's format.

export interface Value {
  readonly layout: unknown
  readonly bytes: ReadonlyArray<number>
}

const unsigned =
  (size: number) =>
  (number: bigint): Value => ({
    layout: `u${size * 8}`,
    bytes: Array.from({ length: size }, (_, index) => Number((number >> BigInt(8 * index)) & 0xffn))
  })

export const u16 = unsigned(2)
export const u64 = unsigned(8)

export const bool = (on: boolean): Value => ({ layout: "bool", bytes: [on ? 1 : 0] })

export const address = (text: string): Value => ({ layout: "address", bytes: [...hex.decode(text.slice(2))] })

const length = (count: number): ReadonlyArray<number> =>
  count < 0x80 ? [count] : [(count & 0x7f) | 0x80, ...length(count >> 7)]

export const vector = (element: unknown, values: ReadonlyArray<Value>): Value => ({
  layout: { vector: element },
  bytes: [...length(values.length), ...values.flatMap(({ bytes }) => bytes)]
})

export const bytes = (given: Iterable<number>): Value => {
  const all = [...given]
  return { layout: { vector: "u8" }, bytes: [...length(all.length), ...all] }
}

export const struct = (type: string, fields: Readonly<Record<string, Value>>): Value => ({
  layout: { struct: { type, fields: Object.entries(fields).map(([name, { layout }]) => ({ name, layout })) } },
  bytes: Object.values(fields).flatMap((value) => value.bytes)
})

/** System types have short addresses, which GraphQL writes in full. */
export const system = (type: string) => type.replace(/0x(\d)(?=::)/g, (_, digit) => `0x${"0".repeat(63)}${digit}`)

export const string = (text: string) =>
  struct(system("0x1::string::String"), { bytes: bytes(new TextEncoder().encode(text)) })

export const url = (text: string) =>
  struct(system("0x2::url::Url"), {
    url: struct(system("0x1::ascii::String"), { bytes: bytes(new TextEncoder().encode(text)) })
  })

export const id = (text: string) => struct(system("0x2::object::ID"), { bytes: address(text) })

export const uid = (text: string) => struct(system("0x2::object::UID"), { id: id(text) })

export const balance = (type: string, amount: bigint) =>
  struct(`${system("0x2::balance::Balance")}<${type}>`, { value: u64(amount) })

export const coin = (type: string, object: string, amount: bigint) =>
  struct(`${system("0x2::coin::Coin")}<${type}>`, { id: uid(object), balance: balance(type, amount) })

/** An option is a vector of at most one element; `like` gives the type of an empty one. */
export const option = (like: Value, element?: Value) =>
  struct(`${system("0x1::option::Option")}<T>`, { vec: vector(like.layout, element === undefined ? [] : [element]) })

/** A value in GraphQL's format: MoveValue. */
export const toWire = ({ bytes, layout }: Value) => ({
  bcs: base64.encode(Uint8Array.from(bytes)),
  type: { repr: (layout as { readonly struct: { readonly type: string } }).struct.type, layout },
  display: null
})
