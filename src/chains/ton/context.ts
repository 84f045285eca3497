import { batched } from "../kit/context/Contexts.ts"
import { type Clients, each } from "./Client.ts"

/** Reads what is needed to build wallet messages. */
export const contexts = (clients: Clients) => batched((addresses) => contextsOf(clients, addresses))

/** The context of every address. */
export const contextsOf = (clients: Clients, addresses: ReadonlyArray<string>) =>
  each(clients, addresses, (client) => client.contexts)
