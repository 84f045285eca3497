import { base64 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { Rpc, RpcCall, RpcReply } from "../../jsonrpc/Rpc.ts"
import * as Task from "../../kernel/Task.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadSigned, SignedTransaction } from "../Chain.ts"
import { decided } from "../kit/sending/nodeReplies.ts"
import { accepted, failureOf, notSent } from "../kit/sending/outcomes.ts"
import * as TransactionData from "./jsonrpc/TransactionData.ts"
import { mainnet } from "./providers/graphql/HostReads.ts"
import { refusals } from "./refusals.ts"
import { contentOf } from "./signedContent.ts"

// Signed transactions in the forms of Sui's SDK.

/** The limits of the protocol: a transaction, and the signatures of its sender and of its sponsor. */
const [maxBytes, maxSignatures] = [128 * 1024, 2]

/** Scheme, signature and key of the shortest signature (Ed25519). */
const minSignature = 97

interface SuiSigned {
  readonly digest: string
  /** Transaction and signatures in base64. */
  readonly transaction: string
  readonly signatures: ReadonlyArray<string>
  readonly data: TransactionData.ExpiringTransaction
}

const decoded = (value: unknown): Uint8Array | undefined =>
  typeof value === "string" && value.length <= 2 * maxBytes
    ? Either.getOrUndefined(Either.try(() => base64.decode(value)))
    : undefined

const malformed =
  'this is not a signed transaction: JSON of the form {"bytes": base64, "signature": base64 or a list}, or signed data in base64'

/** The bytes and signatures in a text; left is the problem in words. */
const partsOf = (text: string) => {
  if (!text.trimStart().startsWith("{")) {
    const bytes = decoded(text)
    return bytes === undefined ? Either.left(malformed) : TransactionData.parseSigned(bytes)
  }
  const value = parsedJson(text)
  if (!Predicate.isRecord(value)) return Either.left(malformed)
  const transaction = decoded(value.bytes)
  const given = value.signatures ?? value.signature
  const signatures = Array.isArray(given) ? given.slice(0, maxSignatures + 1).map(decoded) : [decoded(given)]
  return transaction === undefined || !signatures.every(Predicate.isNotUndefined)
    ? Either.left(malformed)
    : Either.right({ transaction, signatures })
}

/** Parses a signed transaction; left is the problem in words. */
export const parse = (text: string): Either.Either<SuiSigned, string> =>
  Either.gen(function* () {
    const { signatures, transaction } = yield* partsOf(text)
    if (transaction.length > maxBytes) return yield* Either.left(`a transaction has at most ${maxBytes} bytes`)
    if (!Arr.isNonEmptyReadonlyArray(signatures) || signatures.length > maxSignatures)
      return yield* Either.left(`a transaction has 1 to ${maxSignatures} signatures`)
    if (signatures.some(({ length }) => length < minSignature))
      return yield* Either.left(`a signature has at least ${minSignature} bytes`)
    const data = yield* TransactionData.parse(transaction)
    return {
      data,
      digest: TransactionData.digestOf(transaction),
      transaction: base64.encode(transaction),
      signatures: signatures.map((signature) => base64.encode(signature))
    }
  })

const digestIn = ({ member, text }: RpcReply): unknown => {
  const result = member === "result" ? parsedJson(text) : undefined
  return Predicate.isRecord(result) ? result.digest : undefined
}

/**
 * Sends to the hosts or nodes of the main network, which execute the transaction. They return the same effects for a
 * transaction that they executed earlier, so it is looked up first.
 */
export const sendable =
  (rpc: Rpc): ReadSigned =>
  (text) =>
    Either.map(parse(text), ({ data, digest, signatures, transaction }): SignedTransaction => {
      const content = () => contentOf(data)
      const { chain, lastEpoch } = data.expiration ?? {}
      if (chain !== undefined && !mainnet.includes(chain)) return notSent({ hash: digest, content }, "wrong_chain")
      const call = (method: string, params: unknown) =>
        Task.toEffect(rpc.call({ method, params: JSON.stringify(params) } satisfies RpcCall))
      const isKnown = Effect.match(call("sui_getTransactionBlock", [digest, {}]), {
        onFailure: () => false,
        onSuccess: (reply) => digestIn(reply) === digest
      })
      const dialect = {
        isResult: (result: unknown) => Predicate.isRecord(result) && result.digest === digest,
        known: /already (executed|finalized)/i,
        refusals
      }
      const sent = call("sui_executeTransactionBlock", [transaction, signatures, { showEffects: true }]).pipe(
        Effect.flatMap((reply) =>
          Either.mapLeft(decided(dialect, reply), (fault) => new UpstreamError({ upstream: rpc.upstream, ...fault }))
        ),
        Effect.mapError(failureOf)
      )
      return {
        hash: digest,
        content,
        ...(lastEpoch === undefined ? {} : { notes: () => [String(lastEpoch)] }),
        ambiguous: [],
        decided: (reply) => decided(dialect, reply),
        send: Effect.if(isKnown, { onTrue: () => Effect.succeed(accepted(true)), onFalse: () => sent })
      }
    })

/** The transaction that a client's call executes, with parameters by position or by name. */
export const signedIn = ({ method, params = "" }: RpcCall): ReadonlyArray<string> => {
  const given = method === "sui_executeTransactionBlock" ? parsedJson(params) : undefined
  const { 0: first, 1: second, tx_bytes: bytes = first, signatures = second } = Object(given)
  return bytes === undefined ? [] : [JSON.stringify({ bytes, signatures })]
}
