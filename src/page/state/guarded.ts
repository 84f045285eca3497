import { Call } from "../../client/Call.ts"
import type { PageClient } from "./client.ts"
import { isSendable } from "./refusal.ts"

/**
 * The client, as the last gate before the network: a text that is or may be a secret fits no network, without a request,
 * and is no part of a transaction context.
 */
export const guarded = (client: PageClient): PageClient => ({
  ...client,
  addresses: {
    ...client.addresses,
    lookUp: (text, options) =>
      isSendable(text)
        ? client.addresses.lookUp(text, options)
        : new Call(
            Promise.resolve({
              data: { input: text, matches: [] },
              status: 200,
              headers: new Headers(),
              requestId: undefined,
              partialFailures: [],
              cached: false
            })
          )
  },
  transactions: {
    context: ({ networks, ...request }, options) =>
      client.transactions.context(
        {
          ...request,
          networks: Object.fromEntries(
            Object.entries(networks).map(([network, addresses]) => [network, addresses.filter(isSendable)])
          )
        },
        options
      )
  }
})
