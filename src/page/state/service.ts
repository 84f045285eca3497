import { type KnownNetworks, networkOf } from "./knownNetworks.ts"
import { needsKey, withEachClient } from "./session.ts"
import { makeStore } from "./store.ts"

export interface Service extends KnownNetworks {
  /** Whether the service says that its upstreams are simulated. */
  readonly isSimulated: boolean
}

/** What the page knows of the service itself. */
export const service = makeStore<Service>({ networks: [], isSimulated: false })

/** The name of a network for people; its id until that is known. */
export const networkName = (known: Service, id: string): string => networkOf(known, id)?.name ?? id

withEachClient((client) =>
  client
    .networks()
    .withResponse()
    .then(({ data, headers }) => service.set({ networks: data, isSimulated: headers.get("x-sandbox") === "true" }))
    // The views say what they cannot read; names alone are not worth a message.
    .catch(needsKey(client))
)
