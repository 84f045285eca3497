import type { components } from "../../client/Client.ts"
import { needsKey, withEachClient } from "./session.ts"
import { makeStore } from "./store.ts"

/** The currencies that values can be read in, with their rates; empty until they are known. */
export const currencies = makeStore<ReadonlyArray<components["schemas"]["CurrencyRate"]>>([])

withEachClient((client) =>
  client.prices
    .currencies()
    .then((known) => currencies.set(known))
    // Without them values stay in the currency that they are in.
    .catch(needsKey(client))
)
