import { blake2b } from "@noble/hashes/blake2b"
import { base58, base64 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as GraphQl from "../../GraphQl.ts"
import { invalid, queryFirst, queryText, type SuiMethod, SuiRefusal } from "../Method.ts"
import * as Params from "../Params.ts"
import * as TransactionData from "./TransactionData.ts"
import * as TransactionResponse from "./TransactionResponse.ts"

/** The error for a transaction that a node rejected, with the node's message. */
const rejected = (words: string) => new SuiRefusal({ code: -32002, message: words })

const transactionOf = (value: unknown) =>
  Effect.gen(function* () {
    const bytes = yield* Params.bytes(value, "tx_bytes")
    const data = yield* Either.mapLeft(TransactionData.parse(bytes), (why) =>
      invalid(`tx_bytes: not a valid transaction: ${why}`)
    )
    return { bytes, data, transaction: base64.encode(bytes) }
  })

/** The digest of a transaction (sui-types, TransactionData::digest). */
export const digestOf = (transaction: Uint8Array) =>
  base58.encode(
    blake2b(Uint8Array.from([...new TextEncoder().encode("TransactionData::"), ...transaction]), { dkLen: 32 })
  )

/** Simulates a transaction; if it has no gas objects, a simulated coin pays for it. */
export const dryRunTransactionBlock: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { data, transaction } = yield* transactionOf(given)
    const { simulateTransaction } = yield* queryFirst(
      hosts,
      queryText(
        "$transaction: JSON!",
        `simulateTransaction(transaction: $transaction) { effects { ${TransactionResponse.dryRunFields} } }`
      ),
      { transaction: { bcs: { value: transaction } } },
      Schema.Struct({
        simulateTransaction: Schema.Struct({ effects: Schema.NullOr(TransactionResponse.ExecutedEffects) })
      })
    ).pipe(
      // The parameters were validated before, so a rejection concerns the transaction.
      Effect.mapError((error) =>
        error._tag === "Refusal" ? rejected(error.message.replace("Invalid Params: ", "")) : error
      )
    )
    const { effects } = simulateTransaction
    if (effects === null)
      return yield* hosts.fault({ reason: "bad_answer", detail: "did not return the effects of the transaction" })
    return yield* Either.mapLeft(TransactionResponse.toDryRun(data, effects), invalid)
  })

const execute = (show: TransactionResponse.TransactionOptions) =>
  `mutation ($transaction: Base64!, $signatures: [Base64!]!) { executeTransaction(transactionDataBcs: $transaction, signatures: $signatures) { effects { ${TransactionResponse.effectFields(show)} } } }`

/**
 * Sends a transaction once. A response means that the transaction is final. Effects that are not available yet are
 * reported as missing, so that an executed transaction does not look like a failed one.
 */
export const executeTransactionBlock: SuiMethod = (hosts, [given, signatures, options, requestType]) =>
  Effect.gen(function* () {
    const { bytes, data, transaction } = yield* transactionOf(given)
    const signed = (yield* Params.list(signatures, "signatures", Params.bytes)).map(base64.encode)
    if (!Arr.isNonEmptyReadonlyArray(signed)) return yield* invalid("signatures: at least one is expected")
    const show = yield* Params.flags(options, TransactionResponse.options)
    const answered = yield* hosts.once((host) =>
      host.send(GraphQl.request(execute(show), { transaction, signatures: signed }), GraphQl.refusable)
    )
    const reply = yield* Either.mapLeft(answered, rejected)
    const path = ["executeTransaction", "effects"]
    const { digest } = yield* Either.mapLeft(
      reply.at([...path], Schema.Struct({ digest: Schema.NonEmptyString })).pipe(
        Either.orElse((fault) =>
          // The transaction is executed even if a part of its effects has an error.
          Either.mapBoth(reply.at([...path, "digest"], Schema.NonEmptyString), {
            onLeft: () => fault,
            onRight: (text) => ({ digest: text })
          })
        )
      ),
      hosts.fault
    )
    return TransactionResponse.toExecuted(
      show,
      digest,
      { transaction, signatures: signed, sender: data.sender },
      digest === digestOf(bytes)
        ? Either.mapLeft(reply.at(path, TransactionResponse.ExecutedEffects), () => "effects: not available yet")
        : Either.left("effects: the host returned the effects of another transaction"),
      // It is unknown whether other queries already include the transaction.
      requestType === "WaitForEffectsCert" ? {} : { confirmedLocalExecution: false }
    )
  })
