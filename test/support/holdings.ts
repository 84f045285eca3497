import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Chain } from "../../src/chains/Chain.ts"

type Service = Context.Tag.Service<Chain>

/** A network whose holdings tests read per address, and separately what the response is missing. */
export const byAddress = (network: Service) => {
  const others: Omit<Service, "holdings"> = network
  return {
    ...others,
    holdings: (addresses: ReadonlyArray<string>) => Effect.map(network.holdings(addresses), (all) => all.addresses),
    /** In words for people; undefined where nothing is missing. */
    missing: (addresses: ReadonlyArray<string>) =>
      Effect.map(network.holdings(addresses), ({ missing }) => missing?.message)
  }
}
