import { blake2b } from "@noble/hashes/blake2"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Slot, slot } from "../../domain/units.ts"
import type { SignedContent } from "../kit/sending/content.ts"
import * as Cbor from "./Cbor.ts"
import { contentOf, isOfOtherNetwork } from "./submit/signedContent.ts"

// A serialised transaction (CDDL of the ledger): `[body, witnesses, auxiliary data]` until Mary; since Alonzo with the
// validity of its scripts before the last element. Its id is the hash of its body's bytes.

/**
 * The ledger allows 16,384 bytes (`max_tx_size`); a vote may raise that, and the node enforces it in any case. Twice as
 * many small items take tens of milliseconds to decode.
 */
const maxBytes = 32_768

/** A transaction that passed validation. */
export interface Submission {
  readonly bytes: Uint8Array
  /** Hexadecimal digits, as in explorers. */
  readonly id: string
  /** The last slot at which a block may include it; undefined if it has none. */
  readonly ttl: Slot | undefined
  /** The outputs that it spends, `hash:index`. */
  readonly inputs: ReadonlyArray<string>
  readonly content: () => SignedContent
  readonly refusal?: "wrong_chain"
}

/** Decodes hexadecimal digits; left is a message for people. */
export const parse = (text: string): Either.Either<Submission, string> => {
  if (!/^[0-9a-f]+$/i.test(text)) return Either.left("a transaction is written in hexadecimal digits (CBOR)")
  if (text.length % 2 === 1) return Either.left("the number of hexadecimal digits is odd: a digit is missing")
  if (text.length > 2 * maxBytes) return Either.left(`a transaction has at most ${maxBytes} bytes`)
  const bytes = Uint8Array.from(Buffer.from(text, "hex"))
  const decoded = Cbor.decode(bytes)
  if (Option.isNone(decoded))
    return Either.left("this is not valid CBOR, a part of it is missing, or more bytes follow it")
  const [body, witnesses, isValid] = isTransaction(decoded.value) ? decoded.value : []
  const bodyBytes = Cbor.bytesOfMap(body)
  return bodyBytes !== undefined && body instanceof Map && witnesses instanceof Map
    ? Either.right({
        bytes,
        id: Buffer.from(blake2b(bodyBytes, { dkLen: 32 })).toString("hex"),
        ttl: ttlIn(body.get(ttlKey)),
        inputs: inputsIn(body.get(inputsKey)),
        content: () => contentOf(body, isValid === false),
        ...(isOfOtherNetwork(body) ? { refusal: "wrong_chain" as const } : {})
      })
    : Either.left(
        "this is not a signed transaction: a CBOR array of 3 or 4 elements, of which the first is the body (a map)"
      )
}

const isTransaction = (item: unknown): item is ReadonlyArray<unknown> =>
  Array.isArray(item) && (item.length === 3 || item.length === 4)

/** Keys of the inputs and of the last slot in the body. */
const [inputsKey, ttlKey] = [0, 3]

/** Pairs of an id and an index; since Conway in a set, which has a tag. */
const inputsIn = (set: unknown): ReadonlyArray<string> => {
  const inputs = Cbor.untagged(set)
  if (!Array.isArray(inputs)) return []
  return inputs.flatMap((input: unknown) => {
    const [id, index] = Array.isArray(input) ? input : []
    return id instanceof Uint8Array ? [`${Buffer.from(id).toString("hex")}:${index}`] : []
  })
}

const ttlIn = (last: unknown): Slot | undefined =>
  typeof last === "number" || typeof last === "bigint" ? slot(Number(last)) : undefined

/** The id of a transaction; left is a message for people. */
export const parseId = (text: string): Either.Either<string, string> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.toLowerCase())
    : Either.left("the hash of a transaction is 64 hexadecimal digits")
