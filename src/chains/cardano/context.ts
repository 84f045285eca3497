import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import type { CardanoContext } from "../../domain/TransactionContext.ts"
import { numberOf } from "../../domain/units.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { EpochJson } from "../Chain.ts"
import { largest, withShared } from "../kit/context/Contexts.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { isStake, stakeOf } from "./CardanoAddress.ts"
import { isAffordable } from "./fees.ts"
import { datedOf, formula } from "./Parameters.ts"
import { type CardanoProvider, type CardanoUnspent, unanswered } from "./Provider.ts"

/** The fields read from the parameters and the block, in Blockfrost's format, which every source returns. */
const Parameters = Schema.Struct({
  ...formula,
  /** At present 16,384 bytes; `coins_per_utxo_size` is 4,310 lovelace per byte. */
  max_tx_size: Schema.Int.pipe(Schema.between(1_000, 1_000_000)),
  /** At present 15 lovelace. */
  min_fee_ref_script_cost_per_byte: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(0, 10_000))), {
    default: () => null
  }),
  coins_per_utxo_size: Schema.String.pipe(Schema.pattern(/^[1-9]\d{0,5}$/))
}).pipe(Schema.filter(isAffordable))

/** The part of a context that all addresses share. */
type CardanoNetwork = Omit<CardanoContext, "family" | "utxos" | "truncated" | "count">

const decoded =
  <A, I>(source: CardanoProvider, schema: Schema.Schema<A, I>) =>
  ({ json }: EpochJson) =>
    Either.mapLeft(Schema.decodeUnknownEither(Schema.parseJson(schema))(json), () => source.fault(unusable))

/** Reads what is needed to build transactions; the newest block and the parameters once for all addresses. */
export const contexts = (sources: ReadonlyArray<CardanoProvider>) =>
  withShared(
    () => network(sources),
    (address, shared) => read(sources, address, shared)
  )

/** Reads the newest block and the parameters in force: two reads for all addresses. */
const network = (sources: ReadonlyArray<CardanoProvider>): Effect.Effect<CardanoNetwork, UpstreamError> =>
  Effect.gen(function* () {
    const first = <A>(read: (source: CardanoProvider) => Effect.Effect<A, UpstreamError>) =>
      Sources.first(sources, read, { none: unanswered })
    const [block, parameters] = yield* Effect.all(
      [first(datedOf), first((source) => Effect.flatMap(source.parameters, decoded(source, Parameters)))],
      { concurrency: 2 }
    )
    return {
      slot: numberOf(block.slot),
      epoch: block.epoch,
      block: numberOf(block.height),
      minFeeA: parameters.min_fee_a,
      minFeeB: parameters.min_fee_b,
      minFeeRefScriptCostPerByte: parameters.min_fee_ref_script_cost_per_byte,
      coinsPerUtxoByte: parameters.coins_per_utxo_size,
      maxTransactionSize: parameters.max_tx_size
    }
  })

/** Reads what is needed to build transactions of a payment address, or of the addresses of an account. */
const read = (
  sources: ReadonlyArray<CardanoProvider>,
  address: string,
  shared: CardanoNetwork
): Effect.Effect<CardanoContext, UpstreamError> =>
  Effect.flatMap(
    Sources.first(sources, (source) => Effect.tap(source.unspent(address), requireOwn(source, address)), {
      none: unanswered
    }),
    ({ more, outputs }) => {
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

/** Fails unless each output belongs to the address or the account, and has an amount of ADA. */
const requireOwn =
  (source: CardanoProvider, requested: string) =>
  ({ outputs }: CardanoUnspent) => {
    const owner = isStake(requested) ? stakeOf : (address: string) => address
    if (outputs.some(({ address }) => owner(address) !== requested)) return Effect.fail(source.fault(others))
    const amounts = outputs.map(({ lovelace }) => BigInt(lovelace))
    const all = amounts.reduce((sum, amount) => sum + amount, 0n)
    return amounts.every((amount) => amount > 0n) && isPossible(cardano)(all)
      ? Effect.void
      : Effect.fail(source.fault(impossible))
  }

const unusable: Fault = { reason: "bad_answer", detail: "returned an unusable response" }
const others: Fault = { reason: "bad_answer", detail: "returned outputs of another address" }
