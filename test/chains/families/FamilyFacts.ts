import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import type { Answering } from "../../support/EvmNodes.ts"

/** Of a whole family, or told for each network where they write addresses differently. */
type Texts = ReadonlyArray<string> | ((info: NetworkFacts) => ReadonlyArray<string>)

export const textsFor = (texts: Texts, info: NetworkFacts): ReadonlyArray<string> =>
  typeof texts === "function" ? texts(info) : texts

/** What the suite of all networks must know of a family. */
export interface FamilyFacts {
  /** Every way to write one address that has never received anything. */
  readonly unfunded: Texts
  readonly malformed: Texts
  /** Puts all upstreams of a network behind hosts that the suite answers for. */
  readonly variables: (info: NetworkFacts) => Readonly<Record<string, string>>
  /** By host, the upstreams of a network on which nobody holds anything. */
  readonly empty: (info: NetworkFacts) => Readonly<Record<string, Answering>>
}

/** The hosts behind which the upstreams of a network are. */
export const hostsOf = ({ variables }: FamilyFacts, info: NetworkFacts): ReadonlyArray<string> =>
  Object.values(variables(info))
    .filter((value) => URL.canParse(value))
    .map((value) => new URL(value).host)
