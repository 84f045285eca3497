import * as Catalogue from "../../src/catalogue/Catalogue.ts"

/** True in `bun run test:all`. */
export const isAll = process.env.TIER === "all"

/** EVM networks that differ from Ethereum: with a data fee, without a keyless explorer, and shut down. */
const others: ReadonlyArray<string> = ["optimism", "bsc", "zkevm"]

const families = new Map(Catalogue.all.toReversed().map(({ family, id }) => [family, id]))

/**
 * Networks that tests run for: one per family and those above, or all with TIER=all. Other networks of a family differ
 * only in their facts.
 */
export const networks = Catalogue.all.filter(
  ({ family, id }) => isAll || families.get(family) === id || others.includes(id)
)

/** These networks without those that were shut down. */
export const liveNetworks = networks.filter(({ sunset }) => sunset === undefined)
