import type { components } from "../../client/Client.ts"
import { onEachClient, promptForKey } from "./session.ts"
import { makeStore } from "./store.ts"

/** The currencies that the service supports, with their rates; empty until they are loaded. */
export const currencies = makeStore<ReadonlyArray<components["schemas"]["CurrencyRate"]>>([])

onEachClient((client) =>
  client.prices
    .currencies()
    .then((known) => currencies.set(known))
    // If the list cannot be read, the current currency stays selected.
    .catch(promptForKey(client))
)
