import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import type { CardanoContext } from "../../domain/transactionContext/CardanoContext.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { isPossible } from "../amounts.ts"
import type { OfEpoch } from "../Chain.ts"
import { largest } from "../Contexts.ts"
import { type CardanoSource, unanswered } from "./Source.ts"

/** Of the parameters and the block in Blockfrost's format, which every source returns. */
const Parameters = Schema.Struct({
  min_fee_a: Schema.NonNegativeInt,
  min_fee_b: Schema.NonNegativeInt,
  max_tx_size: Schema.NonNegativeInt,
  coins_per_utxo_size: Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))
})
const Block = Schema.Struct({
  slot: Schema.NonNegativeInt,
  epoch: Schema.NonNegativeInt,
  height: Schema.NonNegativeInt
})

/** What all addresses share. */
type CardanoNetwork = Omit<CardanoContext, "family" | "utxos" | "truncated" | "count">

const decoded = <A, I>(schema: Schema.Schema<A, I>, { json }: OfEpoch) =>
  Either.mapLeft(Schema.decodeUnknownEither(Schema.parseJson(schema))(json), () => unusable)

/** The newest block and the parameters in force: two reads for all addresses. */
export const network = (sources: ReadonlyArray<CardanoSource>): Effect.Effect<CardanoNetwork, UpstreamError> =>
  Effect.gen(function* () {
    const first = (what: "block" | "parameters") =>
      Sources.first(sources, (source) => source[what], { none: unanswered })
    const [newest, current] = yield* Effect.all([first("block"), first("parameters")], { concurrency: 2 })
    const block = yield* decoded(Block, newest)
    const parameters = yield* decoded(Parameters, current)
    return {
      slot: block.slot,
      epoch: block.epoch,
      block: block.height,
      minFeeA: parameters.min_fee_a,
      minFeeB: parameters.min_fee_b,
      coinsPerUtxoByte: parameters.coins_per_utxo_size,
      maxTransactionSize: parameters.max_tx_size
    }
  })

/** What the transactions of a payment address, or of the addresses of an account, are built from. */
export const read = (
  sources: ReadonlyArray<CardanoSource>,
  address: string,
  shared: CardanoNetwork
): Effect.Effect<CardanoContext, UpstreamError> =>
  Effect.flatMap(
    Sources.first(sources, (source) => source.unspent(address), { none: unanswered }),
    ({ more, outputs }) => {
      const all = outputs.reduce((sum, { lovelace }) => sum + BigInt(lovelace), 0n)
      if (!isPossible(cardano)(all)) return Effect.fail(unusable)
      const utxos = largest(outputs, ({ lovelace }) => BigInt(lovelace))
      return Effect.succeed({
        family: "cardano" as const,
        ...shared,
        utxos,
        truncated: more || utxos.length < outputs.length,
        count: more ? null : outputs.length
      })
    }
  )

const unusable = new UpstreamError({
  upstream: "cardano",
  reason: "bad_answer",
  detail: "returned an unusable response"
})
