import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "./Chain.ts"

/** An ability that a network has no source for, as the service is configured. */
export interface Unserved {
  readonly network: string
  readonly ability: "balance" | "history"
  /** Why, with the variables that would change it. */
  readonly reason: string
}

/** The networks without a source of balances, and those with one but without a source of histories. */
export const unserved = (chains: ReadonlyArray<Context.Tag.Service<Chain>>): Effect.Effect<ReadonlyArray<Unserved>> =>
  Effect.map(
    Effect.forEach(chains, ({ abilities, facts }) =>
      Effect.map(abilities, ({ balance, history }): ReadonlyArray<Unserved> => {
        if (Either.isLeft(balance)) return [{ network: facts.id, ability: "balance", reason: balance.left }]
        return history !== undefined && Either.isLeft(history)
          ? [{ network: facts.id, ability: "history", reason: history.left }]
          : []
      })
    ),
    (all) => all.flat()
  )

/** One line for all of them; undefined if every network has its sources. */
export const inWords = (all: ReadonlyArray<Unserved>): string | undefined =>
  all.length === 0
    ? undefined
    : `networks without a source: ${all.map(({ ability, network, reason }) => `${network} (${ability}): ${reason}`).join("; ")}`
