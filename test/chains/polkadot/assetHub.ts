import * as Effect from "effect/Effect"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { chainOver, token as tokenOf } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { byAddress } from "../../support/holdings.ts"
import { Polkadot } from "../../support/networks.ts"

export const token = (address: string, coinId: string) => tokenOf(address, coinId, 0)
export const [usdt, usdc, odd] = [token("1984", "tether"), token("1337", "usd-coin"), token("30", "odd")]

/** The network over these nodes, and the calls to them. */
export const network = Effect.fnUntraced(function* (
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>>,
  tokens: ReadonlyArray<RegisteredToken> = [usdt, usdc],
  isListed = true
) {
  const { layer, seen } = EvmNodes.clientOver(hosts)
  const urls = Object.keys(hosts).map((host) => `http://${host}`)
  const { chain, upstreams } = yield* chainOver(Polkadot.layer, layer, {
    tokens: isListed ? { polkadot: tokens } : {},
    environment: { POLKADOT_RPC_URLS: urls.join(",") }
  })
  return { ...byAddress(chain), seen, trials: upstreams.trials }
})
