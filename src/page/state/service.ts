import type { WalletData } from "../../client/Client.ts"
import { type KnownNetworks, networkOf } from "./knownNetworks.ts"
import { pulse } from "./pulse.ts"
import { onEachClient, promptForKey, session } from "./session.ts"
import { makeStore } from "./store.ts"

export interface Service extends KnownNetworks {
  /** True if the service reports simulated upstreams. */
  readonly isSimulated: boolean
}

/** State of the service: its networks, and whether it is simulated. */
export const service = makeStore<Service>({ networks: [], isSimulated: false })

/** The display name of a network; its id until the name is loaded. */
export const networkName = (known: Service, id: string): string => networkOf(known, id)?.name ?? id

const read = (client: WalletData) =>
  client
    .networks()
    .withResponse()
    .then(({ data, headers }) => service.set({ networks: data, isSimulated: headers.get("x-sandbox") === "true" }))
    // No message: views report their own failures, and only names are missing here.
    .catch(promptForKey(client))

onEachClient(read)
pulse.subscribe(() => void read(session.get().client))
