import type { components } from "../../client/Client.ts"

export type KnownNetwork = components["schemas"]["NetworkDescription"]

export interface KnownNetworks {
  /** In the order of the service; empty until they are loaded. */
  readonly networks: ReadonlyArray<KnownNetwork>
}

/** A network by its id; undefined if it is unknown or not loaded yet. */
export const networkOf = ({ networks }: KnownNetworks, id: string): KnownNetwork | undefined =>
  networks.find((network) => network.id === id)

export const blockTitle = (network: KnownNetwork | undefined) => (network?.family === "sui" ? "checkpoint" : "block")

/** True if the service can read the newest block: it comes from the sources of transaction contexts. */
export const hasBlocks = ({ abilities }: KnownNetwork): boolean => abilities.transactionContext.available
