import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import type * as World from "../world/World.ts"
import { json, refused, type Working } from "../world/wire.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import * as EvmPast from "./EvmPast.ts"
import { signed } from "./EvmTransaction.ts"
import { methods, missing } from "./evmMethods.ts"

/**
 * A node of an EVM network with a state of its own for what is sent to it; of the past it has the transactions that
 * explorers listed.
 */
export const evmNode = (facts: ContractFacts, past: EvmPast.Past = EvmPast.make(facts)): Working => {
  const { send, table } = methods(facts, past)

  const outcome = (method: string | undefined, params: ReadonlyArray<unknown>, now: number): Effect.Effect<unknown> => {
    if (method === "eth_sendRawTransaction")
      return Effect.map(signed(params[0]), (read) => Either.flatMap(read, (transaction) => send(transaction, now)))
    const known = method === undefined || !Object.hasOwn(table, method) ? undefined : table[method]
    return Effect.try(() => (known === undefined ? Either.left(missing(method)) : known(params, now))).pipe(
      // What a real node finds while it reads the parameters.
      Effect.orElseSucceed(() => Either.left(refused(-32602, "invalid argument 0: cannot be read")))
    )
  }

  const answer = (call: unknown, now: number) => {
    const {
      id = null,
      method,
      params
    } = Object(call) as {
      readonly id?: unknown
      readonly method?: string
      readonly params?: unknown
    }
    return Effect.map(outcome(method, Array.isArray(params) ? params : [], now), (answered) => {
      if (!Either.isEither(answered)) return { jsonrpc: "2.0", id, result: answered }
      return {
        jsonrpc: "2.0",
        id,
        ...Either.match(answered, { onLeft: (error) => ({ error }), onRight: (result) => ({ result }) })
      }
    })
  }

  return ({ body, now }) => {
    const request = Option.getOrUndefined(parsed(body))
    if (request === undefined)
      return Effect.succeed(json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } }))
    const answers: Effect.Effect<unknown> = Array.isArray(request)
      ? Effect.forEach(request, (call) => answer(call, now))
      : answer(request, now)
    return Effect.map(answers, (body) => json(body))
  }
}

/** The nodes of a network and, where it has one, of its test network with other balances, by the names of the upstreams. */
export const evmNodes = (
  facts: World.Inhabited<NetworkFacts>,
  past: EvmPast.Past
): ReadonlyArray<readonly [string, Working]> => {
  const { id, native, proxy, world } = facts
  const inWorld = world === undefined ? {} : { world }
  const main = [`${id}-rpc`, evmNode(facts, past)] as const
  const chainId = proxy?.testnet?.chainId
  return chainId === undefined
    ? [main]
    : [main, [`${id}-testnet-rpc`, evmNode({ id: NetworkId.make(`${id}-testnet`), native, chainId, ...inWorld })]]
}

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))
