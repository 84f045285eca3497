import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { cardano } from "../../../catalogue/cardano.ts"
import { type HeadCheck, headCheck } from "../../kit/status/currentHead.ts"
import * as Parameters from "../Parameters.ts"
import type { CardanoProvider } from "../Provider.ts"
import * as Blockfrost from "./blockfrost/Blockfrost.ts"
import * as Koios from "./koios/Koios.ts"

/**
 * A source that fails if its newest block does not fit the clock, except for older transactions, or if its parameters are
 * of another epoch.
 */
const currentOnly = (source: CardanoProvider, check: HeadCheck): CardanoProvider => {
  const isCurrent = Effect.suspend(() => check(current, source.head))
  const current: CardanoProvider = {
    ...source,
    ...Parameters.currentOnly(source),
    balances: (addresses, withAssets, report) =>
      Effect.matchEffect(isCurrent, {
        onFailure: (error) =>
          Effect.sync(() => {
            for (const address of addresses) report(address, Either.left(error))
          }),
        onSuccess: () => source.balances(addresses, withAssets, report)
      }),
    history: (query, until) =>
      Effect.zipRight(query.before === undefined ? isCurrent : Effect.void, source.history(query, until))
  }
  return current
}

/** The limit of a request to Koios. */
export const batchSize = 9

/**
 * Blockfrost, which is preferred but needs a key, if it is configured; and Koios, which needs none. `asWritten` has
 * Blockfrost with its parameters and newest block whatever they are, for the route that returns them unchanged.
 */
export const connect = Effect.gen(function* () {
  const check = yield* headCheck(cardano)
  const blockfrost = yield* Blockfrost.make
  const koios = currentOnly(yield* Koios.make, check)
  if (blockfrost === undefined) return { sources: [koios] as const, asWritten: [Parameters.datedOnly(koios)] }
  return {
    sources: [currentOnly(blockfrost, check), koios] as const,
    asWritten: [blockfrost, Parameters.datedOnly(koios)]
  }
})
