import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Scalings } from "../../chains/Chain.ts"
import { inForce, type Multiplier, type Scaling } from "../../domain/Multiplier.ts"
import type { Price } from "../../domain/Price.ts"
import { each } from "../../kernel/each.ts"
import { readDisplayedPrices, readScalings } from "../reading.ts"
import { type DisplayContext, type DisplayedUnit, type Multipliers, tokensIn } from "./entries.ts"
import type { HistoryRequest } from "./HistoryRequest.ts"
import type { pageOf } from "./NetworkHistory.ts"

/** A page of a history, and the token list of its network. */
interface ListedPage extends Pick<HistoryRequest, "network">, Pick<DisplayContext, "tokens"> {
  readonly page: ReturnType<typeof pageOf>
}

/** The current multipliers of the listed tokens that move, by network, read within a time (ms). Cannot fail. */
export const multipliersOf = (
  shown: ReadonlyArray<ListedPage>,
  within: number
): Effect.Effect<ReadonlyMap<string, Multipliers>> =>
  Effect.map(
    each([...Map.groupBy(shown, ({ network }) => network)], ([network, parts]) => {
      const tokens = parts.flatMap(({ page, tokens }) => tokensIn(page.transactions, tokens))
      const listed = new Map(tokens.map((token) => [token.address, token]))
      return Effect.gen(function* () {
        const end = (yield* Clock.currentTimeMillis) + within
        const found = yield* readScalings(network, [...listed.keys()], within)
        const scaled = [...listed.values()].flatMap(({ address, coinId }) => {
          const multiplier = multiplierIn(found.get(address))
          return multiplier == null ? [] : [{ address, coinId, multiplier }]
        })
        const left = Math.max(end - (yield* Clock.currentTimeMillis), 0)
        const prices = yield* readDisplayedPrices(network, scaled, left)
        return [network.facts.id, unitsIn(found, prices)] as const
      })
    }),
    (all) => new Map(all)
  )

/** Undefined if stored amounts are displayed, null if that is not known. */
const multiplierIn = (scaling: Either.Either<Scaling, unknown> | undefined): Multiplier | null | undefined =>
  scaling === undefined ? undefined : Either.match(scaling, { onLeft: () => null, onRight: inForce })

const unitsIn = (scalings: Scalings, prices: ReadonlyMap<string, Price>): Multipliers => {
  const found = new Map<string, DisplayedUnit | null>()
  for (const [token, scaling] of scalings) {
    const multiplier = multiplierIn(scaling)
    if (multiplier !== undefined) found.set(token, multiplier && { multiplier, usd: prices.get(token)?.usd })
  }
  return found
}
