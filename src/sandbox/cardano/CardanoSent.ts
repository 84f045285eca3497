import * as Either from "effect/Either"
import { parse, type Submission } from "../../chains/cardano/CardanoTransaction.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"

/** So many transactions are remembered. */
const most = 10_000

const refusal = (tag: string, contents: unknown) => ({ tag: "TxSubmitFail", contents: { tag, contents } })

/** What `cardano-submit-api` says of bytes: the id of a transaction, or why it was refused. */
export type Submitted = Either.Either<string, ReturnType<typeof refusal>>

/** The mempool and the chain, in one: what was sent is found at once, and is not taken a second time. */
export const pool = () => {
  const sent = BoundedMap.make<string, Submission>({ capacity: most })
  return {
    submit: (bytes: Uint8Array): Submitted =>
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

export type Pool = ReturnType<typeof pool>
