import { createPublicKey, verify } from "node:crypto"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import { numberOf, toSeconds } from "../../domain/units.ts"
import type { SendingRpc } from "../../jsonrpc/Rpc.ts"
import { methodOf } from "../../upstream/Call.ts"
import type { ReadSigned, SignedTransaction } from "../Chain.ts"
import { type Dialect, decided, send } from "../kit/sending/nodeReplies.ts"
import { send as sendTransaction } from "./providers/agave/transactionCalls.ts"
import { refusals } from "./refusals.ts"
import { contentOf, hasDurableNonce, messageIn, type SignedMessage } from "./SignedMessage.ts"

// Signed transactions: the signatures, then a legacy message or one of version 0 (solana.com/docs/core/transactions).

/** The size of a packet. */
const maxBytes = 1_232

interface SolanaSigned {
  readonly base64: string
  /** The first signature, which identifies the transaction. */
  readonly hash: string
  /** The block hash that limits its validity; undefined if it uses a durable nonce instead. */
  readonly blockhash: string | undefined
  readonly message: SignedMessage
  readonly signers: number
}

const [signatureBytes, keyBytes] = [64, 32]

/** The start of an Ed25519 public key in its DER form (RFC 8410). */
const keyPrefix = Buffer.from("302a300506032b6570032100", "hex")

const isSignedBy = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  Either.getOrElse(
    Either.try(() => {
      const publicKey = createPublicKey({ key: Buffer.concat([keyPrefix, key]), format: "der", type: "spki" })
      return verify(null, message, publicKey, signature)
    }),
    () => false
  )

const malformed = "this is not a signed transaction: signatures, and a legacy message or a message of version 0"

/** Bytes of a version: its number, with the highest bit set. */
const version0 = 0x80

/** Checks the signatures of all signers; left is the problem in words. */
const parseBytes = (bytes: Uint8Array): Either.Either<SolanaSigned, string> => {
  if (bytes.length > maxBytes) return Either.left(`a transaction has at most ${maxBytes} bytes; it has ${bytes.length}`)
  // All counts are below 128, so that each is one byte.
  const [count = 0] = bytes
  const message = bytes.subarray(1 + count * signatureBytes)
  const header = (message[0] ?? 0) >= version0 ? message.subarray(1) : message
  const [signers = 0, , , accounts = 0] = header
  const keys = header.subarray(4)
  if (message !== header && message[0] !== version0) return Either.left("its message has an unknown version")
  if (count === 0 || count !== signers || accounts < signers || keys.length < (accounts + 1) * keyBytes)
    return Either.left(malformed)
  for (let index = 0; index < count; index++) {
    const signature = bytes.subarray(1 + index * signatureBytes, 1 + (index + 1) * signatureBytes)
    if (!isSignedBy(keys.subarray(index * keyBytes, (index + 1) * keyBytes), message, signature))
      return Either.left(`its signature ${index + 1} of ${count} is not valid`)
  }
  const read = messageIn(header.subarray(3), message !== header)
  if (read === undefined) return Either.left(malformed)
  return Either.right({
    base64: Buffer.from(bytes).toString("base64"),
    hash: base58.encode(bytes.slice(1, 1 + signatureBytes)),
    blockhash: hasDurableNonce(read) ? undefined : read.blockhash,
    message: read,
    signers
  })
}

/** Decodes base64; undefined for other texts. */
export const bytesOf = (text: string): Uint8Array | undefined =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, "base64") : undefined

/** The length of a 1,232-byte transaction; the cost of decoding grows with the square of the length. */
const longest = 1_683

/** Decodes base58 of at most a transaction; undefined for other texts. */
export const fromBase58 = (text: string) =>
  text.length > longest ? undefined : Either.getOrUndefined(Either.try(() => base58.decode(text)))

/** Parses a signed transaction in base64, or in base58, whose texts may look like base64. */
export const parse = (text: string): Either.Either<SolanaSigned, string> => {
  const [first, second] = [bytesOf(text), fromBase58(text)]
  if (first === undefined && second === undefined) return Either.left("a transaction is written in base64 or base58")
  const parsed = parseBytes(first ?? second ?? new Uint8Array())
  return Either.isLeft(parsed) && first !== undefined && second !== undefined
    ? Either.orElse(parseBytes(second), () => parsed)
    : parsed
}

/** Sends to the nodes of one network. */
export const sendable =
  (rpc: SendingRpc): ReadSigned =>
  (text) =>
    Either.map(parse(text), ({ base64, blockhash, hash, message, signers }): SignedTransaction => {
      const { method, params } = methodOf(sendTransaction, { base64 })
      const call = { method, params: JSON.stringify(params) }
      const dialect: Dialect = {
        isResult: (result) => result === hash,
        known: alreadyProcessed,
        refusals,
        lags: unknownBlockhash
      }
      return {
        hash,
        content: () => contentOf(message, signers),
        ...(blockhash === undefined ? {} : { notes: (sentAt) => [blockhash, String(numberOf(toSeconds(sentAt)))] }),
        ambiguous,
        decided: (reply) => decided(dialect, reply),
        send: send(rpc, call, dialect)
      }
    })

/** A blockhash is not found after its expiry, also if a block has the transaction. */
const ambiguous = ["expired"] as const

/** A node that is behind the node of the transaction context does not have its blockhash yet. */
const unknownBlockhash = /blockhash ?not ?found/i

const alreadyProcessed = /AlreadyProcessed|already been processed/i
