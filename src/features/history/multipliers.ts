import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Scalings } from "../../chains/scaled.ts"
import { inForce, type Multiplier } from "../../domain/Multiplier.ts"
import { each } from "../../kernel/each.ts"
import { readScalings } from "../reading.ts"
import { type DisplayContext, type Multipliers, tokensIn } from "./entries.ts"
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
      const addresses = [...new Set(tokens.map(({ address }) => address))]
      return Effect.map(
        readScalings(network, addresses, within),
        (found) => [network.facts.id, multipliersIn(found)] as const
      )
    }),
    (all) => new Map(all)
  )

const multipliersIn = (scalings: Scalings): Multipliers => {
  const found = new Map<string, Multiplier | null>()
  for (const [token, scaling] of scalings) {
    const multiplier = Either.match(scaling, { onLeft: () => null, onRight: inForce })
    if (multiplier !== undefined) found.set(token, multiplier)
  }
  return found
}
