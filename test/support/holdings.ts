import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain, Holding } from "../../src/chains/Chain.ts"

type Service = Context.Tag.Service<Chain>

/** Removes the parts: most tests check only amounts. Tests of parts use `chain`. */
const withoutParts = ({ parts: _, ...holding }: Holding): Holding => holding

/** A network with simpler methods for tests: holdings per address, and the missing parts separately. */
export const byAddress = (network: Service) => {
  const others: Omit<Service, "holdings"> = network
  return {
    ...others,
    /** The unchanged network. */
    chain: network,
    holdings: (addresses: ReadonlyArray<string>) =>
      Effect.map(network.holdings(addresses), (all) =>
        all.addresses.map(Either.map((holdings) => holdings.map(withoutParts)))
      ),
    holding: (...query: Parameters<Service["holding"]>) => Effect.map(network.holding(...query), withoutParts),
    /** Why addresses have no tokens. */
    unreadTokens: (addresses: ReadonlyArray<string>) =>
      Effect.map(network.holdings(addresses), ({ unreadTokens = [] }) => unreadTokens),
    /** Readable message about missing parts; undefined if the holdings are complete. */
    missing: (addresses: ReadonlyArray<string>) =>
      Effect.map(network.holdings(addresses), ({ missing }) => missing?.message)
  }
}
