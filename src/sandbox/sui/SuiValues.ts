import { base64, hex } from "@scure/base"

// Values of Move: their bytes (BCS) and their layout, in GraphQL's format.

export interface Value {
  readonly layout: unknown
  readonly bytes: ReadonlyArray<number>
}

const unsigned =
  (size: number) =>
  (number: bigint | number): Value => ({
    layout: `u${size * 8}`,
    bytes: Array.from({ length: size }, (_, index) => Number((BigInt(number) >> BigInt(8 * index)) & 0xffn))
  })

export const u16 = unsigned(2)
export const u64 = unsigned(8)

export const no: Value = { layout: "bool", bytes: [0] }

export const nothing: Value = { layout: { vector: "u64" }, bytes: [0] }

export const struct = (type: string, fields: Readonly<Record<string, Value>>): Value => ({
  layout: { struct: { type, fields: Object.entries(fields).map(([name, { layout }]) => ({ name, layout })) } },
  bytes: Object.values(fields).flatMap((value) => value.bytes)
})

/** System types have short addresses, which GraphQL writes in full. */
export const system = (type: string) => type.replace(/0x(\d)(?=::)/g, (_, digit) => `0x${"0".repeat(63)}${digit}`)

export const uid = (id: string) => {
  const bytes = { layout: "address", bytes: [...hex.decode(id.slice(2))] }
  return struct(system("0x2::object::UID"), { id: struct(system("0x2::object::ID"), { bytes }) })
}

export const balance = (type: string, amount: bigint) =>
  struct(`${system("0x2::balance::Balance")}<${type}>`, { value: u64(amount) })

export const coin = (type: string, object: string, amount: bigint) =>
  struct(`${system("0x2::coin::Coin")}<${type}>`, { id: uid(object), balance: balance(type, amount) })

/** A value in GraphQL's format: MoveValue. */
export const toWire = ({ bytes, layout }: Value) => ({
  bcs: base64.encode(Uint8Array.from(bytes)),
  type: { repr: (layout as { readonly struct: { readonly type: string } }).struct.type, layout },
  display: null
})
