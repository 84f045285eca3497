import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Ripple from "../../../src/chains/ripple/Ripple.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { type RegisteredToken, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"

export const token = (address: string, coinId: string, decimals = 15): RegisteredToken => ({
  address,
  coinId: CoinId.make(coinId),
  name: coinId,
  symbol: coinId,
  decimals,
  thumbnail: ""
})

export const rlusdIssuer = "rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De"
export const rlusdCode = "524C555344000000000000000000000000000000"
export const rlusd = token(`${rlusdIssuer}.${rlusdCode}`, "ripple-usd")
export const euro = token("rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.EUR", "euro", 6)

export const alice = "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"
export const bob = "rnZmVGX6f4pUYyS4oXYJzoLdRojQV8y297"

/** The network over an in-memory transport with two nodes, and the requests that it sends. */
export const network = Effect.fnUntraced(function* (
  handler: (request: SentRequest) => Reply,
  tokens: ReadonlyArray<RegisteredToken> = [rlusd, euro],
  environment: Readonly<Record<string, string>> = { RIPPLE_RPC_URLS: "http://one.test,http://two.test" }
) {
  const { requests, layer } = simulatedClient(handler)
  const registry = TokenRegistry.layerTest(tokens.length === 0 ? {} : { xrp: tokens })
  const upstreams = Upstreams.layer
  const built = Layer.provideMerge(
    Layer.provide(Ripple.layer, [layer, registry, Memory.layer(), Settings.layer(environment)]),
    upstreams
  )
  const { network, trials } = yield* Effect.provide(
    Effect.all({ network: Chain, trials: Effect.map(Upstreams, (all) => all.trials) }),
    built
  )
  return { ...byAddress(network), requests, trials }
})
