import { problemOf } from "../text/reasons.ts"
import type { PageClient } from "./client.ts"
import { type KnownNetworks, networkOf } from "./knownNetworks.ts"
import { pulse } from "./pulse.ts"
import { onEachClient, promptForKey, session } from "./session.ts"
import { makeStore } from "./store.ts"

export interface Service extends KnownNetworks {
  /** True if the service reports simulated upstreams. */
  readonly isSimulated: boolean
  /** When the networks were last read, UNIX time in ms; 0 before. */
  readonly at: number
  /** Why they could not be read again, a sentence. */
  readonly problem?: string
}

/** State of the service: its networks, and whether it is simulated. */
export const service = makeStore<Service>({ networks: [], isSimulated: false, at: 0 })

/** The display name of a network; its id until the name is loaded. */
export const networkName = (known: Service, id: string): string => networkOf(known, id)?.name ?? id

const read = (client: PageClient) =>
  client
    .networks()
    .withResponse()
    .then(({ data, headers }) =>
      service.set({ networks: data, isSimulated: headers.get("x-sandbox") === "true", at: Date.now() })
    )
    .catch((error: unknown) => {
      promptForKey(client)(error)
      service.set({ ...service.get(), problem: problemOf(error) })
    })

/** Reads the networks again. */
export const readService = () => void read(session.get().client)

onEachClient(read)
pulse.subscribe(readService)
