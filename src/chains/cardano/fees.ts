import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import { span } from "../../kernel/span.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource } from "../Chain.ts"
import { ofSources } from "../kit/fees/comparedFees.ts"
import { lifetimeOf, sameLevels, secondsOf } from "../kit/fees/feeLevels.ts"
import { formula } from "./Parameters.ts"
import { type CardanoProvider, unanswered } from "./Provider.ts"

// The linear formula of the ledger (docs.cardano.org, "Transaction fees"): a * size + b, from the parameters in force.

/**
 * One input, two outputs to base addresses and one signature, bytes: the body has 194 (input 41 with the tag of a set,
 * outputs 140 with amounts of 9, fee and time to live 6 each, 1), the witness 107, and the transaction 3 more.
 */
const transferBytes = 304n

const decoded = Schema.decodeEither(Schema.parseJson(Schema.Struct(formula)))

/** The cost of the example transfer, lovelace. */
const costOf = ({ min_fee_a, min_fee_b }: { readonly min_fee_a: number; readonly min_fee_b: number }) =>
  BigInt(min_fee_a) * transferBytes + BigInt(min_fee_b)

/** Whether the cost of a transfer is plausible. */
export const isAffordable = (rates: Parameters<typeof costOf>[0]) => costOf(rates) <= cardano.maxTransferFee

/** The fees of a network whose rates are parameters. */
export const fees = (sources: ReadonlyArray<CardanoProvider>): FeeSource => ({
  lifetime: lifetimeOf(cardano.blockTime),
  current: ofSources(cardano, sources, read, { none: unanswered }).pipe(span("Cardano.fees"))
})

const read = ({ parameters, fault }: CardanoProvider) =>
  Effect.flatMap(parameters, ({ json }) =>
    Either.mapBoth(decoded(json), {
      onLeft: () => fault(noFormula),
      onRight: ({ min_fee_a, min_fee_b }) => ({
        family: "cardano" as const,
        levels: sameLevels(
          "cardano",
          {
            rates: { lovelacePerByte: String(min_fee_a), lovelacePerTransaction: String(min_fee_b) },
            transfer: Either.right(costOf({ min_fee_a, min_fee_b }))
          },
          secondsOf(1, cardano)
        ),
        basis: { transferBytes: Number(transferBytes) },
        transfer: `a transfer of ADA with one input, two outputs and one signature, ${transferBytes} bytes`
      })
    })
  )

const noFormula: Fault = { reason: "bad_answer", detail: "returned protocol parameters without a plausible fee" }
