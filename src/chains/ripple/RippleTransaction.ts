import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import { hexProblem } from "../nodeResponse.ts"
import { type BinaryField, readFields } from "./binaryFields.ts"

// A signed transaction of the XRP Ledger in its binary format (xrpl.org/docs/references/protocol/binary-format).

/** More than any transaction has; rippled takes up to a megabyte (`txMaxSizeBytes`). */
const maxBytes = 128 * 1024

/** A transaction that a node could accept. */
export interface RippleTransaction {
  /** In hex, upper case, as nodes write it. */
  readonly blob: string
  /** Its hash, in hex, upper case. */
  readonly hash: string
  readonly bytes: Uint8Array
  /** Its outermost fields, in their order. */
  readonly fields: ReadonlyArray<BinaryField>
}

/** The fields that decide whether it is a signed transaction, by type and code. */
export const keys = {
  transactionType: "1.2",
  sequence: "2.4",
  lastLedgerSequence: "2.27",
  amount: "6.1",
  fee: "6.8",
  signingPublicKey: "7.3",
  signature: "7.4",
  account: "8.1",
  destination: "8.3",
  signers: "15.3"
} as const

const required: ReadonlyArray<readonly [key: string, name: string, length: number | undefined]> = [
  [keys.transactionType, "TransactionType", 2],
  [keys.sequence, "Sequence", 4],
  [keys.fee, "Fee", 8],
  [keys.signingPublicKey, "SigningPubKey", undefined],
  [keys.account, "Account", 20]
]

const problemIn = (fields: ReadonlyArray<BinaryField>): string | undefined => {
  const byKey = new Map(fields.map((field) => [field.key, field.value]))
  for (const [key, name, length] of required) {
    const value = byKey.get(key)
    if (value === undefined) return `it has no ${name}`
    if (length !== undefined && value.length !== length) return `its ${name} does not have ${length} bytes`
  }
  const isSigned = (byKey.get(keys.signature)?.length ?? 0) > 0 || byKey.has(keys.signers)
  return isSigned ? undefined : "it is not signed"
}

/** The first half of SHA-512 of a prefix of four bytes and what follows. */
export const halfHash = (prefix: string, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const hash = createHash("sha512").update(prefix, "hex")
  for (const part of parts) hash.update(part)
  return hash.digest().subarray(0, 32)
}

/** `TXN` and a zero: the prefix of what the hash of a transaction is made from. */
const identified = "54584e00"

/** The hash of any transaction in hexadecimal digits, in upper case. */
export const hashOf = (text: string): string =>
  halfHash(identified, Buffer.from(text, "hex")).toString("hex").toUpperCase()

/** A signed transaction in hexadecimal digits (`tx_blob`); left is what is wrong with it, for people. */
export const parse = (text: string): Either.Either<RippleTransaction, string> => {
  const problem = hexProblem(text, maxBytes)
  if (problem !== undefined) return Either.left(problem)
  const bytes = Buffer.from(text, "hex")
  return Either.flatMap(readFields(bytes), (fields) => {
    const wrong = problemIn(fields)
    return wrong === undefined
      ? Either.right({
          blob: text.toUpperCase(),
          hash: hashOf(text),
          bytes,
          fields
        })
      : Either.left(wrong)
  })
}

/** The hash of a transaction, in upper case; left is a message for people. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.toUpperCase())
    : Either.left("the hash of a transaction is 64 hexadecimal digits")
