import { head, indefinite } from "../../chains/cardano/Cbor.ts"

/** A value of CBOR (RFC 8949); tags are dropped, and so are all simple values but true and false. */
export type CborValue = bigint | Buffer | string | boolean | null | ReadonlyArray<CborValue> | CborMap
export type CborMap = ReadonlyMap<unknown, CborValue>

/** The value at an offset, and where it ends. Throws a RangeError where there is none. */
const valueAt = (bytes: Buffer, at: number): readonly [value: CborValue, end: number] => {
  const item = head(bytes, at)
  if (item === undefined || item.value === indefinite) throw new RangeError("not in the form that wallets write")
  const { end, major, value } = item
  switch (major) {
    case 0:
    case 1: {
      const size = end - at - 1
      const exact = size === 0 ? BigInt(value) : BigInt(`0x${bytes.toString("hex", at + 1, end)}`)
      return [major === 0 ? exact : -1n - exact, end]
    }
    case 2:
      return [bytes.subarray(end, end + value), end + value]
    case 3:
      return [bytes.toString("utf8", end, end + value), end + value]
    case 4:
    case 5: {
      const items: Array<CborValue> = []
      let next = end
      for (let index = 0; index < value * (major === 4 ? 1 : 2); index++) {
        const [element, after] = valueAt(bytes, next)
        items.push(element)
        next = after
      }
      if (major === 4) return [items, next]
      return [
        new Map(Array.from({ length: value }, (_, index) => [items[2 * index], items[2 * index + 1] ?? null])),
        next
      ]
    }
    case 6:
      return valueAt(bytes, end)
    default:
      return [value === 20 ? false : value === 21 ? true : null, end]
  }
}

/** The value of a text of CBOR whose lengths are all written. Throws a RangeError for others. */
export const cborValue = (bytes: Uint8Array): CborValue => valueAt(Buffer.from(bytes), 0)[0]

export const asMap = (value: CborValue | undefined): CborMap => (value instanceof Map ? value : new Map())
export const asList = (value: CborValue | undefined): ReadonlyArray<CborValue> => (Array.isArray(value) ? value : [])
export const asBytes = (value: CborValue | undefined): Buffer => (Buffer.isBuffer(value) ? value : Buffer.alloc(0))
export const asNumber = (value: CborValue | undefined): bigint => (typeof value === "bigint" ? value : 0n)
