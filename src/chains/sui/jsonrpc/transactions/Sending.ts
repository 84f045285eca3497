import { blake2b } from "@noble/hashes/blake2b"
import { base58, base64 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as GraphQl from "../../GraphQl.ts"
import { invalid, queryText, run, type SuiMethod, SuiRefusal } from "../Method.ts"
import * as Params from "../Params.ts"
import * as TransactionData from "./TransactionData.ts"
import * as TransactionResponse from "./TransactionResponse.ts"

/** What a node refused, in its own words. */
const rejected = (words: string) => new SuiRefusal({ code: -32002, message: words })

const transactionOf = (value: unknown) =>
  Effect.gen(function* () {
    const bytes = yield* Params.bytes(value, "tx_bytes")
    const data = yield* Either.mapLeft(TransactionData.parse(bytes), (why) =>
      invalid(`tx_bytes: no transaction can be read from it: ${why}`)
    )
    return { bytes, data, transaction: base64.encode(bytes) }
  })

/** The name of a transaction (sui-types, TransactionData::digest). */
export const digestOf = (transaction: Uint8Array) =>
  base58.encode(
    blake2b(Uint8Array.from([...new TextEncoder().encode("TransactionData::"), ...transaction]), { dkLen: 32 })
  )

/** What a transaction would do; a coin is made up to pay for it where it names none. */
export const dryRunTransactionBlock: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { data, transaction } = yield* transactionOf(given)
    const { simulateTransaction } = yield* run(
      hosts,
      queryText(
        "$transaction: JSON!",
        `simulateTransaction(transaction: $transaction) { effects { ${TransactionResponse.dryRunFields} } }`
      ),
      { transaction: { bcs: { value: transaction } } },
      Schema.Struct({ simulateTransaction: Schema.Struct({ effects: Schema.NullOr(TransactionResponse.Done) }) })
    ).pipe(
      // The client's own part of the question was checked: what is refused is the transaction.
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
 * Goes out once. An answer says that the transaction is final; of what it did, parts may not be known yet, and are told
 * as missing: nobody may take a transaction that was executed for one that failed.
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
          // A part of the effects that failed does not undo them.
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
        ? Either.mapLeft(reply.at(path, TransactionResponse.Done), () => "effects: not available yet")
        : Either.left("effects: the host returned those of another transaction"),
      // Whether other queries show it already is not known.
      requestType === "WaitForEffectsCert" ? {} : { confirmedLocalExecution: false }
    )
  })
