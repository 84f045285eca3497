import { crc32 } from "node:zlib"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Cbor from "./Cbor.ts"

/** The longest existing addresses have 115 characters; the cost of base58 grows with the square of the length. */
const maxLength = 200

/**
 * An address of the Byron era: base58 of the CBOR `[24(payload), crc32 of the payload]`, where the payload is
 * `[root, attributes, type]`. It has one spelling only.
 */
export const parse = (text: string): Either.Either<string, string> => {
  const bytes = text.length > maxLength ? undefined : Option.getOrUndefined(decode(text))
  const outer = bytes === undefined ? undefined : heads(bytes)
  if (bytes === undefined || outer === undefined) return Either.left(noAddress)
  const { checksum, payload } = outer
  if (crc32(payload) !== checksum) return Either.left("the checksum does not fit (CRC32): a character may be mistyped")
  const attributes = attributesOf(payload)
  if (attributes === undefined) return Either.left(noAddress)
  return attributes.includes(networkMagic)
    ? Either.left("this is an address of a test network (its attributes name one)")
    : Either.right(text)
}

const noAddress = "an address starts with addr1 or stake1, or is a Byron address in base58"

const decode = Option.liftThrowable((text: string) => base58.decode(text))

/** The attribute of test network addresses. */
const networkMagic = 2

/** The head of an item, in its shortest form: any other would be a second spelling of the same address. */
const expect = (bytes: Uint8Array, at: number, major: number, value?: number) => {
  const found = Cbor.head(bytes, at)
  if (found?.major !== major || found.end - at !== shortest(found.value)) return undefined
  return value === undefined || found.value === value ? found : undefined
}

/** The length of the shortest head with a value, bytes. Undefined for an indefinite length, which no address has. */
const shortest = (value: number) => (value < 0 ? undefined : value < 24 ? 1 : value < 256 ? 2 : value < 65_536 ? 3 : 5)

const heads = (bytes: Uint8Array) => {
  const pair = expect(bytes, 0, Cbor.array, 2)
  const tagged = pair && expect(bytes, pair.end, Cbor.tag, 24)
  const payload = tagged && expect(bytes, tagged.end, Cbor.byteString)
  const checksum = payload && expect(bytes, payload.end + payload.value, Cbor.unsigned)
  return checksum?.end === bytes.length
    ? { payload: bytes.subarray(payload?.end, (payload?.end ?? 0) + (payload?.value ?? 0)), checksum: checksum.value }
    : undefined
}

/** The keys of the attributes; undefined if this is not the payload of an address. */
const attributesOf = (payload: Uint8Array): ReadonlyArray<number> | undefined => {
  const parts = expect(payload, 0, Cbor.array, 3)
  const root = parts && expect(payload, parts.end, Cbor.byteString, 28)
  const attributes = root && expect(payload, root.end + 28, Cbor.map)
  if (attributes === undefined) return undefined
  const keys: Array<number> = []
  let at = attributes.end
  for (let index = 0; index < attributes.value; index++) {
    const key = expect(payload, at, Cbor.unsigned)
    const value = key && expect(payload, key.end, Cbor.byteString)
    if (key === undefined || value === undefined || key.value <= (keys.at(-1) ?? -1)) return undefined
    keys.push(key.value)
    at = value.end + value.value
  }
  return expect(payload, at, Cbor.unsigned)?.end === payload.length ? keys : undefined
}
