import type { NetworkInfo } from "../../../src/networks/Network.ts"
import type { Answering } from "../../support/evmNodes.ts"

/** What the suite of all networks must know of a family. */
export interface FamilyFacts {
  /** Every way to write one address that has never received anything. */
  readonly unfunded: ReadonlyArray<string>
  readonly malformed: ReadonlyArray<string>
  /** Puts the upstreams of a network behind hosts that the suite answers for. */
  readonly variables: (info: NetworkInfo) => Readonly<Record<string, string>>
  /** By host, the upstreams of a network on which nobody holds anything. */
  readonly empty: (info: NetworkInfo) => Readonly<Record<string, Answering>>
}
