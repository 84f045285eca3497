import * as Option from "effect/Option"

// The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), without a schema.

/** A field of a message: a number, or bytes. */
export interface ProtobufField {
  readonly number: number
  readonly value: bigint | Uint8Array
}

/** Decodes a number of up to 64 bits, in groups of seven bits, the lowest first. */
const varint = (bytes: Uint8Array, start: number): readonly [value: bigint, end: number] | undefined => {
  let value = 0n
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 127) << BigInt(7 * (at - start))
    if (byte < 128) return value >> 64n === 0n ? [value, at + 1] : undefined
  }
  return undefined
}

/** Maximum fields of a message; real transactions have far fewer. */
const maxFields = 10_000

/** The fields of a message, in order; none if the bytes are not a message. */
export const fieldsOf = (bytes: Uint8Array): Option.Option<ReadonlyArray<ProtobufField>> => {
  const fields: Array<ProtobufField> = []
  let at = 0
  while (at < bytes.length) {
    const tag = varint(bytes, at)
    if (tag === undefined || tag[0] < 8n || tag[0] >> 32n !== 0n || fields.length === maxFields) return Option.none()
    const [kind, number] = [Number(tag[0] & 7n), Number(tag[0] >> 3n)]
    const fixed = kind === 1 ? 8 : kind === 5 ? 4 : undefined
    const read = kind === 0 || kind === 2 ? varint(bytes, tag[1]) : undefined
    if (fixed === undefined && read === undefined) return Option.none()
    const [start, length] = read === undefined ? [tag[1], fixed ?? 0] : [read[1], kind === 2 ? Number(read[0]) : 0]
    at = start + length
    if (at > bytes.length) return Option.none()
    fields.push({ number, value: kind === 0 && read !== undefined ? read[0] : bytes.subarray(start, at) })
  }
  return Option.some(fields)
}

/** The bytes of each field with this number. */
export const bytesOf = (fields: ReadonlyArray<ProtobufField>, number: number): ReadonlyArray<Uint8Array> =>
  fields.flatMap((field) => (field.number === number && typeof field.value === "object" ? [field.value] : []))

/** The number in the last field with this number; zero, the default of the format, if the field is absent. */
export const numberOf = (fields: ReadonlyArray<ProtobufField>, number: number): bigint => {
  const last = fields.findLast((field) => field.number === number)?.value
  return typeof last === "bigint" ? last : 0n
}
