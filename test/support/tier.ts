import * as Catalogue from "../../src/catalogue/Catalogue.ts"

/** True in `bun run test:all`. */
export const isAll = process.env.TIER === "all"

/** EVM networks that work in another way than the first: with a fee for data, without a keyless explorer, shut down. */
const others: ReadonlyArray<string> = ["optimism", "bsc", "zkevm"]

const families = new Map(Catalogue.all.toReversed().map(({ family, id }) => [family, id]))

/** Networks of a matrix: one of each family and the others above; all of them with TIER=all. They differ by facts alone. */
export const networks = Catalogue.all.filter(
  ({ family, id }) => isAll || families.get(family) === id || others.includes(id)
)

/** Those of them that are still in service. */
export const liveNetworks = networks.filter(({ sunset }) => sunset === undefined)
