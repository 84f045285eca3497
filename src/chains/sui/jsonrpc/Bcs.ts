import { base58, hex } from "@scure/base"

// Binary Canonical Serialization (github.com/diem/bcs). Input that ends too early throws a RangeError, which the
// callers catch.

export interface BcsReader {
  readonly view: DataView
  at: number
}

export const reader = (bytes: Uint8Array): BcsReader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  at: 0
})

export const ended = ({ at, view }: BcsReader) => at === view.byteLength

export const bytes = (reader: BcsReader, length: number): Uint8Array => {
  // Throws if the input ends before the last of these bytes.
  if (length > 0) reader.view.getUint8(reader.at + length - 1)
  const taken = new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.at, length)
  reader.at += length
  return taken
}

/** An unsigned little-endian number of `size` bytes. */
export const unsigned = (reader: BcsReader, size: number): bigint =>
  bytes(reader, size).reduceRight((number, byte) => number * 256n + BigInt(byte), 0n)

export const small = (reader: BcsReader, size: 1 | 2 | 4): number => Number(unsigned(reader, size))

/** A ULEB128 number: a length, or the index of a variant. */
export const uleb = (reader: BcsReader): number => {
  let number = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = small(reader, 1)
    number += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80 && number < 2 ** 32) return number
  }
  throw new RangeError("a length has more than 32 bits")
}

export const byteVector = (reader: BcsReader) => bytes(reader, uleb(reader))

export const string = (reader: BcsReader) => new TextDecoder().decode(byteVector(reader))

export const address = (reader: BcsReader) => `0x${hex.encode(bytes(reader, 32))}`

/** A digest, preceded by its length. */
export const digest = (reader: BcsReader) => base58.encode(byteVector(reader))

export const vector = <A>(reader: BcsReader, element: (reader: BcsReader) => A): ReadonlyArray<A> => {
  const length = uleb(reader)
  const read: Array<A> = []
  // Reads one element at a time, so that a wrong length exhausts the input, not the memory. Elements must have bytes.
  while (read.length < length) {
    const start = reader.at
    read.push(element(reader))
    if (reader.at === start) throw new RangeError("an element has no bytes")
  }
  return read
}
