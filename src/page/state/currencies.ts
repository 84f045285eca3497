import type { components } from "../../client/Client.ts"
import { needsKey, session } from "./session.ts"
import { makeStore } from "./store.ts"

/** The currencies that values can be read in, with their rates; empty until they are known. */
export const currencies = makeStore<ReadonlyArray<components["schemas"]["CurrencyRate"]>>([])

const read = () =>
  session
    .get()
    .client.prices.currencies()
    .then((known) => currencies.set(known))
    // Without them values stay in the currency that they are in.
    .catch(needsKey)

let client = session.get().client
session.subscribe(() => {
  if (session.get().client === client) return
  client = session.get().client
  void read()
})
void read()
