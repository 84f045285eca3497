import * as Either from "effect/Either"
import { parse, type Submission } from "../../chains/cardano/CardanoTransaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { outputs } from "./CardanoOutputs.ts"

/** The number of transactions that are retained. */
const maxSent = 10_000

const refusal = (tag: string, contents: unknown) => ({ tag: "TxSubmitFail", contents: { tag, contents } })

/** What a transaction that spends listed outputs is judged by. */
type Ledger = Pick<ReturnType<typeof outputs>, "refusalOf" | "accept">

/** The response of `cardano-submit-api`: the id of a transaction, or why it was rejected. */
export type Submitted = Either.Either<string, ReturnType<typeof refusal>>

/** Mempool and chain: a sent transaction is found at once, and is rejected the second time. */
export const pool = (ledger: Ledger) => {
  const sent = BoundedMap.make<string, Submission>({ capacity: maxSent })
  return {
    submit: (bytes: Uint8Array, slot: number): Submitted =>
      Either.match(parse(Buffer.from(bytes).toString("hex")), {
        onLeft: () =>
          Either.left(
            refusal("TxCmdTxReadError", [
              'DecoderErrorDeserialiseFailure "Shelley Tx" (DeserialiseFailure 0 "expected list len or indef")'
            ])
          ),
        onRight: (transaction) => {
          if (sent.has(transaction.id))
            return Either.left(
              refusal("TxCmdTxSubmitValidationError", {
                tag: "TxValidationErrorInCardanoMode",
                contents: {
                  kind: "ShelleyTxValidationError",
                  error: [
                    'ConwayMempoolFailure "All inputs are spent. Transaction has probably already been included"'
                  ],
                  era: "ShelleyBasedEraConway"
                }
              })
            )
          const problem = ledger.refusalOf(transaction, slot)
          if (problem !== undefined)
            return Either.left(
              refusal("TxCmdTxSubmitValidationError", {
                tag: "TxValidationErrorInCardanoMode",
                contents: {
                  kind: "ShelleyTxValidationError",
                  error: [`ConwayUtxowFailure (UtxoFailure (${problem}))`],
                  era: "ShelleyBasedEraConway"
                }
              })
            )
          ledger.accept(transaction)
          sent.set(transaction.id, transaction)
          return Either.right(transaction.id)
        }
      }),
    /** Hexadecimal digits. */
    cborOf: (id: string): string | undefined => {
      const found = sent.get(id)
      return found && Buffer.from(found.bytes).toString("hex")
    }
  }
}

export type CardanoPool = ReturnType<typeof pool>
