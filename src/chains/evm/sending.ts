import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { Hex } from "viem"
import { concatHex, fromRlp, hexToBytes, keccak256, numberToHex, toRlp } from "viem/utils"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import type { SendingRpc } from "../../jsonrpc/Rpc.ts"
import type { ReadFailure, ReadSigned, SignedTransaction } from "../Chain.ts"
import type { SignedContent } from "../kit/sending/content.ts"
import { type Dialect, decided, send } from "../kit/sending/nodeReplies.ts"
import { hexProblem } from "../kit/sending/nodeResponse.ts"
import { notSent } from "../kit/sending/outcomes.ts"
import * as calls from "./providers/node/calls.ts"
import { alreadyKnown } from "./rpc/EvmMethodPolicy.ts"
import { refusals } from "./submit/refusals.ts"
import { callIn, contentOf, type Field, numberOf, type SignedCall } from "./submit/SignedCall.ts"
import { slotOf } from "./submit/Slots.ts"

// Signed transactions: legacy (EIP-155) and typed (EIP-2718), of the types of EIP-2930, EIP-1559, EIP-4844 and EIP-7702.

/** Nodes of a main or test network. */
interface SendingNodes {
  readonly rpc: SendingRpc
  readonly chainId: number | undefined
  /** Whether transactions pay a fee for data besides their gas. */
  readonly dataFee?: EvmFacts["dataFee"] | undefined
}

interface EvmSigned {
  /** Lower case. */
  readonly raw: Hex
  readonly hash: Hex
  /** Undefined if the signature is for any chain (before EIP-155). */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  /** Lower case. */
  readonly sender: Hex
  readonly call: SignedCall
}

/** The limit of nodes (`txMaxSize` of geth), bytes. Blobs are not counted there. */
const maxBytes = 128 * 1024

/** Six blobs, the maximum of a transaction, with 128 cell proofs each (EIP-7594), and the transaction. */
const maxBytesWithBlobs = 7 * maxBytes

/** The number of fields, by type. The last three are the signature; the first of typed transactions is the chain. */
const fieldCounts: Readonly<Record<string, number>> = { "0x01": 11, "0x02": 12, "0x03": 14, "0x04": 13 }

const withBlobs = "0x03"

/** The most RLP items of a transaction: those of the shortest entries of access lists have 7 bytes on average. */
const maxItems = maxBytes / 4

/** Whether RLP has at most this many items, also those of lists, whose headers count too. */
const isCountable = (rlp: Hex): boolean => {
  const bytes = hexToBytes(rlp)
  let count = 0
  for (let at = 0; at < bytes.length && count <= maxItems; count++) {
    const first = bytes[at] ?? 0
    const [base, isList] = first < 0xc0 ? [0x80, false] : [0xc0, true]
    const size = Math.max(first - base - 55, 0)
    const length = size === 0 ? Math.max(first - base, 0) : Number(`0x${rlp.slice(2 * at + 4, 2 * (at + size) + 4)}`)
    at += (first < 0x80 ? 1 : 1 + size) + (isList ? 0 : length)
  }
  return count <= maxItems
}

/** Decodes one RLP item in its only valid encoding; undefined for other bytes. */
const itemOf = (bytes: Hex): Field | undefined =>
  Either.getOrUndefined(
    Either.try(() => {
      if (!isCountable(bytes)) return undefined
      const item = fromRlp(bytes, "hex")
      return toRlp(item) === bytes ? item : undefined
    })
  )

interface Signature {
  readonly digest: Hex
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/** Nodes reject the upper half of the range (EIP-2). */
const maxS = secp256k1.Point.Fn.ORDER / 2n

/** The address whose key signed; undefined if the signature is not valid. */
const signerOf = ({ digest, r, s, yParity }: Signature): Hex | undefined => {
  if ((yParity !== 0n && yParity !== 1n) || s > maxS) return undefined
  const compact = concatHex([
    numberToHex(yParity, { size: 1 }),
    ...[r, s].map((part) => numberToHex(part, { size: 32 }))
  ])
  return Either.getOrUndefined(
    Either.try(() => {
      const key = secp256k1.Signature.fromBytes(hexToBytes(compact), "recovered").recoverPublicKey(hexToBytes(digest))
      return `0x${keccak256(key.toBytes(false).subarray(1)).slice(-40)}` as const
    })
  )
}

const unsigned = "its signature is not valid"
const malformed = "this is not a signed transaction: RLP, after the type of typed transactions (EIP-2718)"

type Checked = Either.Either<Omit<EvmSigned, "raw">, string>

const checked = (parsed: Omit<EvmSigned, "raw" | "sender">, signature: Signature): Checked => {
  const sender = signerOf(signature)
  return sender === undefined ? Either.left(unsigned) : Either.right({ ...parsed, sender })
}

const legacy = (raw: Hex): Checked => {
  const fields = itemOf(raw)
  if (!Array.isArray(fields) || fields.length !== 9) return Either.left(malformed)
  const [v, r, s] = fields.slice(6).map(numberOf)
  const nonce = numberOf(fields[0])
  const call = callIn("legacy", fields)
  if (nonce === undefined || v === undefined || r === undefined || s === undefined || call === undefined)
    return Either.left(malformed)
  const chainId = v >= 35n ? (v - 35n) / 2n : undefined
  const suffix: ReadonlyArray<Hex> = chainId === undefined ? [] : [numberToHex(chainId), "0x", "0x"]
  const digest = keccak256(toRlp([...fields.slice(0, 6), ...suffix]))
  return checked(
    { hash: keccak256(raw), chainId, nonce, call },
    { digest, r, s, yParity: v >= 35n ? (v - 35n) % 2n : v - 27n }
  )
}

const typed = (type: Hex, raw: Hex): Checked => {
  const count = fieldCounts[type]
  if (count === undefined) return Either.left(`transactions of type ${type} are not supported`)
  const outer = itemOf(`0x${raw.slice(type.length)}`)
  // Blobs are sent along but not hashed (EIP-4844).
  const fields = type === withBlobs && Array.isArray(outer) && Array.isArray(outer[0]) ? outer[0] : outer
  if (!Array.isArray(fields) || fields.length !== count) return Either.left(malformed)
  const [chainId, nonce] = fields.slice(0, 2).map(numberOf)
  const [yParity, r, s] = fields.slice(-3).map(numberOf)
  const call = callIn(type, fields)
  if (chainId === undefined || nonce === undefined || call === undefined) return Either.left(malformed)
  if (yParity === undefined || r === undefined || s === undefined) return Either.left(malformed)
  const digest = keccak256(concatHex([type, toRlp(fields.slice(0, -3))]))
  return checked({ hash: keccak256(concatHex([type, toRlp(fields)])), chainId, nonce, call }, { digest, r, s, yParity })
}

/** Parses a signed transaction in hexadecimal digits, with or without `0x`; left is the problem in words. */
export const parse = (text: string): Either.Either<EvmSigned, string> => {
  const digits = text.replace(/^0x/i, "").toLowerCase()
  const problem = hexProblem(digits, digits.startsWith("03") ? maxBytesWithBlobs : maxBytes)
  if (problem !== undefined) return Either.left(problem)
  const raw: Hex = `0x${digits}`
  const type: Hex = `0x${digits.slice(0, 2)}`
  return Either.map(type >= "0xc0" ? legacy(raw) : typed(type, raw), (signed) => ({ raw, ...signed }))
}

/** What a signed transaction does. */
const signedContent = ({ call, chainId, nonce, sender }: EvmSigned, isGasAll: boolean): SignedContent => ({
  from: sender,
  nonce,
  ...(chainId === undefined ? {} : { chainId }),
  ...contentOf(call, isGasAll)
})

/** Sends to the nodes of one network, unless it is off. A transaction for another chain is not sent. */
export const sendable =
  ({ chainId: expected, dataFee, rpc }: SendingNodes, off?: ReadFailure): ReadSigned =>
  (text) =>
    Either.map(parse(text), (signed): SignedTransaction => {
      const { chainId, hash, nonce, raw, sender } = signed
      const content = () => signedContent(signed, dataFee === undefined)
      const isOther = expected !== undefined && chainId !== undefined && chainId !== BigInt(expected)
      const refusal = isOther ? ({ refusal: "wrong_chain" } as const) : {}
      if (off !== undefined) return { hash, content, off, ...refusal, ambiguous, send: Effect.fail(off) }
      if (isOther) return notSent({ hash, content }, "wrong_chain")
      // The result of `eth_sendRawTransactionSync` is a receipt (EIP-7966).
      const isResult = (result: unknown) =>
        String(Predicate.isRecord(result) ? result.transactionHash : result).toLowerCase() === hash
      const call = { method: calls.submit.rpc, params: JSON.stringify(calls.submit.params({ raw })) }
      const dialect: Dialect = { isResult, known: alreadyKnown, refusals }
      return {
        hash,
        content,
        uses: { account: sender, nonce },
        countsNonces: true,
        notes: () => [slotOf({ from: sender, nonce })],
        ambiguous,
        decided: (reply) => decided(dialect, reply),
        send: send(rpc, call, dialect)
      }
    })

/** Some nodes check the balance and the price before the nonce, also of a transaction that is in a block. */
const ambiguous = ["nonce_too_low", "insufficient_funds", "fee_too_low"] as const
