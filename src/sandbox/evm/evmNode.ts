import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import type * as World from "../world/World.ts"
import { json, refused, type Working } from "../world/wire.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import * as EvmLedger from "./EvmLedger.ts"
import { methods, missing } from "./evmMethods.ts"

/** A node of an EVM network; of the past it has the transactions that explorers listed. */
export const evmNode = (facts: ContractFacts, chain = EvmLedger.make(facts)): Working => {
  const table = methods(chain)

  const call: JsonRpc.RpcCall = (method, params, now) => {
    const known = Object.hasOwn(table, method) ? table[method] : undefined
    return known === undefined ? Either.left(missing(method)) : known(params, now)
  }

  return (request) => Effect.map(JsonRpc.answers(call, words, request), (body) => json(body))
}

const words = { unparsed: "parse error", unreadable: refused(-32602, "invalid argument 0: cannot be read") }

/** The nodes of a network and, where it has one, of its test network with other balances, by the names of the upstreams. */
export const evmNodes = (
  facts: World.Inhabited<NetworkFacts>,
  chain: EvmLedger.EvmLedger
): ReadonlyArray<readonly [string, Working]> => {
  const { id, native, proxy, world } = facts
  const inWorld = world === undefined ? {} : { world }
  const main = [`${id}-rpc`, evmNode(facts, chain)] as const
  const chainId = proxy?.testnet?.chainId
  return chainId === undefined
    ? [main]
    : [main, [`${id}-testnet-rpc`, evmNode({ id: NetworkId.make(`${id}-testnet`), native, chainId, ...inWorld })]]
}
