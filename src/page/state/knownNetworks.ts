import type { components } from "../../client/Client.ts"

export type KnownNetwork = components["schemas"]["NetworkDescription"]

export interface KnownNetworks {
  /** In the order of the service; empty until they are known. */
  readonly networks: ReadonlyArray<KnownNetwork>
}

/** A network by its id; undefined until it is known. */
export const networkOf = ({ networks }: KnownNetworks, id: string): KnownNetwork | undefined =>
  networks.find((network) => network.id === id)
