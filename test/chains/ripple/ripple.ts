import * as Effect from "effect/Effect"
import * as Ripple from "../../../src/chains/ripple/Ripple.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { chainOver, token as tokenOf } from "../../support/chains.ts"
import { byAddress } from "../../support/holdings.ts"
import { type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"

export const token = (address: string, coinId: string, decimals = 15) => tokenOf(address, coinId, decimals)

export const rlusdIssuer = "rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De"
export const rlusdCode = "524C555344000000000000000000000000000000"
export const rlusd = token(`${rlusdIssuer}.${rlusdCode}`, "ripple-usd")
export const euro = token("rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.EUR", "euro", 6)

export const alice = "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"
export const bob = "rnZmVGX6f4pUYyS4oXYJzoLdRojQV8y297"

/** Whether a request reads the newest ledger, which happens once in some minutes for each node. */
export const isForHead = ({ body }: SentRequest): boolean => JSON.parse(body).method === "ledger"

/** The network over an in-memory transport with two nodes, and the requests that it sends. */
export const network = Effect.fnUntraced(function* (
  handler: (request: SentRequest) => Reply,
  tokens: ReadonlyArray<RegisteredToken> = [rlusd, euro],
  environment: Readonly<Record<string, string>> = { RIPPLE_RPC_URLS: "http://one.test,http://two.test" }
) {
  const { requests, layer } = simulatedClient(handler)
  const lists = tokens.length === 0 ? {} : { xrp: tokens }
  const { chain, upstreams } = yield* chainOver(Ripple.layer, layer, { tokens: lists, environment })
  return { ...byAddress(chain), requests, trials: upstreams.trials }
})
