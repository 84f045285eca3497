import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import { hexProblem } from "../kit/sending/nodeResponse.ts"
import { type SignedFields, signedFields } from "./submit/signedFields.ts"

// A signed transaction of the XRP Ledger in its binary format (xrpl.org/docs/references/protocol/binary-format). Only
// the node checks its fields, so that transactions of later amendments are accepted.

/** More than the size of any transaction; rippled accepts up to a megabyte (`txMaxSizeBytes`). */
const maxBytes = 128 * 1024

/** A transaction that a node could accept. */
export interface RippleTransaction {
  /** In hex, upper case, as nodes write it. */
  readonly blob: string
  /** Its hash, in hex, upper case. */
  readonly hash: string
  readonly fields: SignedFields
}

/** `TXN` and a zero byte: the prefix of the bytes that are hashed for a transaction. */
const hashPrefix = "54584e00"

/** The hash of a transaction in hexadecimal digits: the first half of SHA-512, in upper case. */
export const hashOf = (text: string): string =>
  createHash("sha512").update(hashPrefix, "hex").update(text, "hex").digest("hex").slice(0, 64).toUpperCase()

/** Parses a signed transaction in hexadecimal digits (`tx_blob`); left is an error message for the user. */
export const parse = (text: string): Either.Either<RippleTransaction, string> => {
  const problem = hexProblem(text, maxBytes)
  return problem === undefined
    ? Either.right({ blob: text.toUpperCase(), hash: hashOf(text), fields: signedFields(Buffer.from(text, "hex")) })
    : Either.left(problem)
}

/** Parses the hash of a transaction to upper case; left is an error message for the user. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.toUpperCase())
    : Either.left("the hash of a transaction is 64 hexadecimal digits")
