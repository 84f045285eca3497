import { type KnownNetworks, networkOf } from "./knownNetworks.ts"
import { onEachClient, promptForKey } from "./session.ts"
import { makeStore } from "./store.ts"

export interface Service extends KnownNetworks {
  /** True if the service reports simulated upstreams. */
  readonly isSimulated: boolean
}

/** State of the service: its networks, and whether it is simulated. */
export const service = makeStore<Service>({ networks: [], isSimulated: false })

/** The display name of a network; its id until the name is loaded. */
export const networkName = (known: Service, id: string): string => networkOf(known, id)?.name ?? id

onEachClient((client) =>
  client
    .networks()
    .withResponse()
    .then(({ data, headers }) => service.set({ networks: data, isSimulated: headers.get("x-sandbox") === "true" }))
    // No message: views report their own failures, and only names are missing here.
    .catch(promptForKey(client))
)
