import type { components } from "../../client/Client.ts"
import { needsKey, session } from "./session.ts"
import { makeStore } from "./store.ts"

export type KnownNetwork = components["schemas"]["NetworkDescription"]

export interface Service {
  /** In the order of the service; empty until they are known. */
  readonly networks: ReadonlyArray<KnownNetwork>
  /** Whether the service says that its upstreams are simulated. */
  readonly isSimulated: boolean
}

/** What the page knows of the service itself. */
export const service = makeStore<Service>({ networks: [], isSimulated: false })

/** The name of a network for people; its id until that is known. */
export const networkName = ({ networks }: Service, id: string): string =>
  networks.find((network) => network.id === id)?.name ?? id

const read = () =>
  session
    .get()
    .client.networks()
    .withResponse()
    .then(({ data, headers }) => service.set({ networks: data, isSimulated: headers.get("x-sandbox") === "true" }))
    // The views say what they cannot read; names alone are not worth a message.
    .catch(needsKey)

let client = session.get().client
session.subscribe(() => {
  if (session.get().client === client) return
  client = session.get().client
  void read()
})
void read()
