import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import { span } from "../../kernel/span.ts"
import type { FeeSource, ProtocolParameters, Unread } from "../Chain.ts"
import { lifetimeOf, sameLevels, secondsOf } from "../feeLevels.ts"

// The linear formula of the ledger (docs.cardano.org, "Transaction fees"): a * size + b, from the parameters in force.

/**
 * One input, two outputs to base addresses and one signature, bytes: the body has 194 (input 41 with the tag of a set,
 * outputs 140 with amounts of 9, fee and time to live 6 each, 1), the witness 107, and the transaction 3 more.
 */
const transferBytes = 304n

const Rate = Schema.Int.pipe(Schema.between(0, 1_000_000_000))
const Formula = Schema.parseJson(Schema.Struct({ min_fee_a: Rate, min_fee_b: Rate }))
const formula = Schema.decodeEither(Formula)

export const make = ({ current }: Pick<ProtocolParameters, "current">): FeeSource => ({
  lifetime: lifetimeOf(cardano.blockTime),
  current: Effect.flatMap(current, ({ json }) =>
    Either.mapBoth(formula(json), {
      onLeft: (): Unread => ({
        reason: "bad_answer",
        message: "the protocol parameters are without min_fee_a or min_fee_b"
      }),
      onRight: ({ min_fee_a, min_fee_b }) => ({
        family: "cardano" as const,
        levels: sameLevels(
          "cardano",
          {
            rates: { lovelacePerByte: String(min_fee_a), lovelacePerTransaction: String(min_fee_b) },
            transfer: Either.right(BigInt(min_fee_a) * transferBytes + BigInt(min_fee_b))
          },
          secondsOf(1, cardano.blockTime)
        ),
        basis: { transferBytes: Number(transferBytes) },
        transfer: `a transfer of ADA with one input, two outputs and one signature, ${transferBytes} bytes`
      })
    })
  ).pipe(span("Cardano.fees"))
})
