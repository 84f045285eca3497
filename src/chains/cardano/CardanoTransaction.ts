import { blake2b } from "@noble/hashes/blake2"
import * as Either from "effect/Either"
import * as Cbor from "./Cbor.ts"

// A serialised transaction (CDDL of the ledger): `[body, witnesses, auxiliary data]` until Mary; since Alonzo with the
// validity of its scripts before the last element. Its id is the hash of its body's bytes.

/** The ledger allows 16,384 bytes (`max_tx_size`); a vote may raise that, and the node enforces it in any case. */
const maxBytes = 65_536

/** A transaction that passed validation. */
export interface Submission {
  readonly bytes: Uint8Array
  /** Hexadecimal digits, as in explorers. */
  readonly id: string
  /** The last slot at which a block may include it; undefined if it has none. */
  readonly ttl: number | undefined
}

/** Decodes hexadecimal digits; left is a message for people. */
export const parse = (text: string): Either.Either<Submission, string> => {
  if (!/^[0-9a-f]+$/i.test(text)) return Either.left("a transaction is written in hexadecimal digits (CBOR)")
  if (text.length % 2 === 1) return Either.left("the number of hexadecimal digits is odd: a digit is missing")
  if (text.length > 2 * maxBytes) return Either.left(`a transaction has at most ${maxBytes} bytes`)
  const bytes = Uint8Array.from(Buffer.from(text, "hex"))
  const end = Cbor.endOf(bytes, 0)
  if (end === undefined) return Either.left("this is not valid CBOR, or a part of it is missing")
  if (end !== bytes.length) return Either.left(`${bytes.length - end} bytes follow the end of the CBOR item`)
  const body = bodyOf(bytes)
  return body === undefined
    ? Either.left(
        "this is not a signed transaction: a CBOR array of 3 or 4 elements, of which the first is the body (a map)"
      )
    : Either.right({ bytes, id: Buffer.from(blake2b(body, { dkLen: 32 })).toString("hex"), ttl: ttlOf(body) })
}

/** The bytes of the body in well-formed CBOR; undefined if it is not a transaction. */
const bodyOf = (bytes: Uint8Array): Uint8Array | undefined => {
  const outer = Cbor.head(bytes, 0)
  const count = outer?.major === Cbor.array ? elements(bytes, outer.end, outer.value) : 0
  if (outer === undefined || (count !== 3 && count !== 4)) return undefined
  const [body, witnesses] = [Cbor.head(bytes, outer.end), Cbor.endOf(bytes, outer.end)]
  return body?.major === Cbor.map && witnesses !== undefined && Cbor.head(bytes, witnesses)?.major === Cbor.map
    ? bytes.subarray(outer.end, witnesses)
    : undefined
}

/** Key of the last slot in the body. */
const ttlKey = 3

/** The value of a key in the body, a well-formed map. */
const ttlOf = (body: Uint8Array): number | undefined => {
  const map = Cbor.head(body, 0)
  let at = map?.end ?? body.length
  for (let count = 0; count !== map?.value; count++) {
    const [key, begins] = [Cbor.head(body, at), Cbor.endOf(body, at)]
    const value = begins === undefined ? undefined : Cbor.head(body, begins)
    if (key === undefined || begins === undefined || value === undefined) return undefined
    if (key.major === Cbor.unsigned && key.value === ttlKey)
      return value.major === Cbor.unsigned ? value.value : undefined
    at = Cbor.endOf(body, begins) ?? body.length
  }
  return undefined
}

/** The number of elements of an array; of indefinite length, it is only counted as far as necessary. */
const elements = (bytes: Uint8Array, start: number, declared: number): number => {
  if (declared !== Cbor.indefinite) return declared
  let count = 0
  for (let at: number | undefined = start; at !== undefined && bytes[at] !== 0xff && count < 5; count++)
    at = Cbor.endOf(bytes, at)
  return count
}

/** The id of a transaction; left is a message for people. */
export const parseId = (text: string): Either.Either<string, string> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.toLowerCase())
    : Either.left("the hash of a transaction is 64 hexadecimal digits")
