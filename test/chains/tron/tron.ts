import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Tron from "../../../src/chains/tron/Tron.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { type RegisteredToken, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"

export const token = (address: string, coinId: string, decimals: number): RegisteredToken => ({
  address,
  coinId: CoinId.make(coinId),
  name: coinId,
  symbol: coinId,
  decimals,
  thumbnail: ""
})

export const usdt = token("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "tether", 6)
export const just = token("TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9", "just", 18)
export const wink = token("TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "wink", 6)

export const alice = "TEB39Rt69QkgD1BKhqaRNqGxfQzCarkRCb"
export const bob = "TFFriedwRtWdFuzerDDtkoQTZ29smDZ1MB"

/** The network over an in-memory transport, and its requests. */
export const network = Effect.fnUntraced(function* (
  handler: (request: SentRequest) => Reply,
  tokens: ReadonlyArray<RegisteredToken> | undefined = [usdt, just, wink],
  environment: Readonly<Record<string, string>> = {}
) {
  const { requests, layer } = simulatedClient(handler)
  const registry = TokenRegistry.layerTest(tokens.length === 0 ? {} : { tron: tokens })
  const built = Layer.provide(Tron.layer, [
    layer,
    registry,
    Layer.fresh(Upstreams.layer),
    Memory.layer(),
    Settings.layer(environment)
  ])
  return { ...byAddress(yield* Effect.provide(Chain, built)), requests }
})
