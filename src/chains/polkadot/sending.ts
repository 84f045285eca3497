import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { blake2b } from "@noble/hashes/blake2"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { bytesToHex, hexToBytes } from "viem/utils"
import { polkadot } from "../../catalogue/polkadot.ts"
import { numberOf, toSeconds } from "../../domain/units.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { faultOf, type RpcError, rpcErrorOf } from "../../jsonrpc/errors.ts"
import { span } from "../../kernel/span.ts"
import * as Call from "../../upstream/Call.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import { type Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { RawTransactions, ReadSigned, SendOutcome, SignedTransaction } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import {
  hexProblem,
  isRejectedByGateway,
  jsonResponse,
  noAnswer,
  unchanged,
  wrongCall
} from "../kit/sending/nodeResponse.ts"
import { accepted, failureOf, refusedBy } from "../kit/sending/outcomes.ts"
import { noIndexer, type PolkadotIndexer } from "./Provider.ts"
import * as calls from "./providers/substrate/calls.ts"
import { genesis, wrongChain } from "./providers/substrate/Substrate.ts"
import { refusals } from "./refusals.ts"
import { contentOf, type SignedExtrinsic, signedExtrinsic } from "./signedExtrinsic.ts"
import { compactAt } from "./storage.ts"

// A signed extrinsic in SCALE (`sp_runtime::generic::UncheckedExtrinsic`): its length, and data whose format depends on
// the runtime and is decoded only by the node.

/** More than the size of any wallet's extrinsic, and small enough to hash without delaying other requests. */
const maxBytes = 128 * 1024

/** An extrinsic that a node could accept. */
export interface PolkadotExtrinsic {
  /** In hex with `0x`, lower case. */
  readonly hex: `0x${string}`
  /** Blake2b-256 of all its bytes, with `0x`. */
  readonly hash: `0x${string}`
}

/** Parses a signed extrinsic in hexadecimal digits, with or without `0x`; left is an error message for the user. */
export const parse = (text: string): Either.Either<PolkadotExtrinsic, string> => {
  const digits = text.replace(/^0x/i, "").toLowerCase()
  const problem = hexProblem(digits, maxBytes)
  if (problem !== undefined) return Either.left(problem)
  const hex = `0x${digits}` as const
  const bytes = hexToBytes(hex)
  const [length, begins] = compactAt(bytes, 0) ?? [0n, 0]
  const rest = bytes.length - begins
  if (rest === 0 || begins === 0 || length >= 2n ** 32n) return Either.left("it does not begin with its length")
  return BigInt(rest) === length
    ? Either.right({ hex, hash: bytesToHex(blake2b(bytes, { dkLen: 32 })) })
    : Either.left(`it has ${rest} bytes after its length prefix, which declares ${length}`)
}

/** Parses the hash of an extrinsic to `0x` and lower case; left is an error message for the user. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^(0x)?[0-9a-f]{64}$/i.test(text)
    ? Either.right(`0x${text.slice(-64).toLowerCase()}`)
    : Either.left("the hash of an extrinsic is 64 hexadecimal digits, with or without 0x")

// `author_submitExtrinsic` of Substrate nodes; the codes of its errors as in polkadot-sdk,
// substrate/client/rpc-api/src/author/error.rs.

/** Sends to a node. */
export const signed =
  (nodes: Upstream): ReadSigned =>
  (text) =>
    Either.map(
      parse(text),
      (extrinsic): SignedTransaction => ({
        hash: extrinsic.hash,
        content: () => contentOf(signedExtrinsic(hexToBytes(extrinsic.hex))),
        ...useOf(signedExtrinsic(hexToBytes(extrinsic.hex))),
        ambiguous,
        known: known(extrinsic),
        send: nodes
          .once((node) => Effect.zipRight(ofAssetHub(node), submit(node, extrinsic)))
          .pipe(Effect.mapError(failureOf), span("Polkadot.send"))
      })
    )

/** Looks up an extrinsic at the indexer, because nodes cannot look up by hash. */
export const lookup =
  (subscan: PolkadotIndexer | undefined): RawTransactions["prepareLookup"] =>
  (text) =>
    Either.map(parseHash(text), (hash) =>
      (subscan === undefined
        ? Effect.fail(noIndexer)
        : Effect.mapBoth(subscan.find(hash), { onFailure: unread, onSuccess: ({ response }) => response })
      ).pipe(span("Polkadot.find"))
    )

/** An era repeats, so that the block at the sending determines its last block, which is at most one period later. */
const useOf = (read: SignedExtrinsic | undefined): Pick<SignedTransaction, "lifetime" | "notes" | "uses"> => {
  if (read === undefined) return {}
  const { period } = read
  const uses = { account: read.account, nonce: read.nonce }
  if (period === undefined) return { uses }
  return {
    uses,
    lifetime: period * polkadot.blockTime,
    notes: (sentAt) => [uses.account, String(uses.nonce), String(period), String(numberOf(toSeconds(sentAt)))]
  }
}

/** A node reports an extrinsic in an old block as expired. */
const ambiguous = ["expired"] as const

const known = ({ hash }: PolkadotExtrinsic) => jsonResponse("done", { jsonrpc: "2.0", id: Client.onlyId, result: hash })

/** Fails, before anything is sent, for a node of another chain: it would reject the signature as wrong. */
const ofAssetHub = (node: Endpoint) =>
  Effect.flatMap(Client.call(node, Call.methodOf(calls.blockHash, { height: 0 })), (outcome) =>
    Either.getOrUndefined(outcome) === genesis ? Effect.void : Effect.fail(node.fault(wrongChain))
  ).pipe(Effect.mapError((error) => new UpstreamError({ ...error, unsent: true })))

const submit = (node: Endpoint, extrinsic: PolkadotExtrinsic) =>
  node.send(
    HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), {
      jsonrpc: "2.0",
      id: Client.onlyId,
      ...Call.methodOf(calls.submit, extrinsic)
    }),
    submitted(extrinsic)
  )

/** The extrinsic is already in the pool. */
const alreadyImported = 1013

/** The pool is full, or the node does not offer the method to callers: the transaction is not in its pool. */
const notSentFaults: Readonly<Record<number, Fault | undefined>> = {
  1016: { reason: "upstream_error", detail: "the pool of the node is full", unsent: true },
  [-32601]: { reason: "upstream_error", detail: "the node accepts no transactions", unsent: true }
}

const submitted =
  (extrinsic: PolkadotExtrinsic): ResponseDecoder.Decoder<SendOutcome> =>
  (answer) => {
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    if (isRejectedByGateway(answer) || !Predicate.isRecord(body)) return Either.left(noAnswer(answer))
    if (!Client.isResponseTo(Client.onlyId, body)) return Either.left(wrongCall)
    if (body.error !== undefined && body.error !== null) {
      const error = rpcErrorOf(body.error)
      const words = [error.detail, error.data].filter((text) => typeof text === "string" && text !== "").join(": ")
      if (error.code === alreadyImported) return Either.right(accepted(true, words, known(extrinsic)))
      const fault = notSentFaults[error.code] ?? rateLimit(error, body)
      return Either.mapLeft(
        fault === undefined
          ? refusedBy(refusals, { code: error.code, words }, unchanged("refused", answer))
          : Either.left(fault),
        (undecided): Fault => ({ status: answer.status, retryAfter: answer.retryAfter, ...undecided })
      )
    }
    if (ResponseDecoder.statusFault(answer) !== undefined) return Either.left(noAnswer(answer))
    return body.result === extrinsic.hash
      ? Either.right(accepted(false, "", unchanged("done", answer)))
      : Either.left(otherHash)
  }

/** A gateway limits calls before the node gets them. */
const rateLimit = (error: RpcError, body: Readonly<Record<string, unknown>>): Fault | undefined => {
  const fault = faultOf(error, body)
  return fault?.unsent === true ? fault : undefined
}

const otherHash: Fault = { reason: "bad_answer", detail: "returned something other than the hash of the transaction" }
