import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import type { SimulatedHost } from "../../support/EvmNodes.ts"

/** Texts of a whole family, or per network if the address formats differ. */
type Texts = ReadonlyArray<string> | ((info: NetworkFacts) => ReadonlyArray<string>)

export const textsFor = (texts: Texts, info: NetworkFacts): ReadonlyArray<string> =>
  typeof texts === "function" ? texts(info) : texts

/** Facts of a family for the test suite of all networks. */
export interface FamilyFacts {
  /** All spellings of one unused address. */
  readonly unfunded: Texts
  readonly malformed: Texts
  /** Environment variables that point all upstreams of a network at hosts of the suite. */
  readonly variables: (info: NetworkFacts) => Readonly<Record<string, string>>
  /** Upstreams of a network without balances, by host. */
  readonly empty: (info: NetworkFacts) => Readonly<Record<string, SimulatedHost>>
}

/** Hosts of the upstreams of a network. */
export const hostsOf = ({ variables }: FamilyFacts, info: NetworkFacts): ReadonlyArray<string> =>
  Object.values(variables(info))
    .filter((value) => URL.canParse(value))
    .map((value) => new URL(value).host)
