import { Call } from "../../client/Call.ts"
import type { CallOptions } from "../../client/ClientOptions.ts"
import type { PageClient } from "./client.ts"
import { isSendable } from "./refusal.ts"
import { isHashLike, isSigned } from "./secrets.ts"

const refused = <A>(why: string) => new Call<A>(Promise.reject(new TypeError(why)))

/** Calls a method with a signed transaction only. */
const ofSigned =
  <A extends { readonly transaction: string }, B>(call: (request: A, options?: CallOptions) => Call<B>) =>
  (request: A, options?: CallOptions): Call<B> =>
    isSigned(request.transaction) ? call(request, options) : refused("not signed")

/**
 * The client, as the last gate before the network: a text that is or may be a secret fits no network, without a request,
 * and is no part of a transaction context. Only signed transactions are decoded and sent, and only texts with the form of a
 * hash are looked up as transactions.
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
    ...client.transactions,
    byHash: (network, hash, options) =>
      isHashLike(hash) ? client.transactions.byHash(network, hash, options) : refused("no hash"),
    replacement: (request, options) =>
      isHashLike(request.hash) ? client.transactions.replacement(request, options) : refused("no hash"),
    status: (request, options) => {
      const hashes = Object.values(request.networks).flat()
      return hashes.every(isHashLike) ? client.transactions.status(request, options) : refused("no hash")
    },
    decode: ofSigned(client.transactions.decode),
    send: ofSigned(client.transactions.send),
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
