import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain, Holding } from "../../src/chains/Chain.ts"

type Service = Context.Tag.Service<Chain>

/** Most tests are about amounts alone; those of parts read them from `chain`. */
const withoutParts = ({ parts: _, ...holding }: Holding): Holding => holding

/** A network whose holdings tests read per address, and separately what the response is missing. */
export const byAddress = (network: Service) => {
  const others: Omit<Service, "holdings"> = network
  return {
    ...others,
    /** The network as it is. */
    chain: network,
    holdings: (addresses: ReadonlyArray<string>) =>
      Effect.map(network.holdings(addresses), (all) =>
        all.addresses.map(Either.map((holdings) => holdings.map(withoutParts)))
      ),
    holding: (...query: Parameters<Service["holding"]>) => Effect.map(network.holding(...query), withoutParts),
    /** In words for people; undefined where nothing is missing. */
    missing: (addresses: ReadonlyArray<string>) =>
      Effect.map(network.holdings(addresses), ({ missing }) => missing?.message)
  }
}
