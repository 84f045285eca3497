import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import { numberOf } from "../../domain/units.ts"
import type { Rpc, RpcReply } from "../../jsonrpc/Rpc.ts"
import * as Task from "../../kernel/Task.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { Prices } from "../prices/Prices.ts"
import { Pricing } from "../prices/Pricing.ts"
import type { AnyNetwork } from "../reading.ts"
import { evmFindings } from "./evmFindings.ts"
import { type Ask, type Finding, seconds, unread } from "./Finding.ts"

/** The facts of a network beside those of its chain. */
export interface NetworkFindings {
  readonly network: string
  readonly findings: ReadonlyArray<Finding>
}

/** Reads through the node proxy, so that the budgets of nodes hold. `limit`: timeout of a call, ms. */
const askOf =
  (rpc: Rpc, limit: number): Ask =>
  (method, params, schema) =>
    timeoutTo(
      Effect.match(Task.toEffect(rpc.call({ method, params: JSON.stringify(params) })), {
        onFailure: ({ detail }) => Either.left(`${method}: ${detail}`),
        onSuccess: ({ member, text }: RpcReply) =>
          member === "error"
            ? Either.left(`${method}: the node rejected the call`)
            : Either.mapLeft(
                Schema.decodeEither(Schema.parseJson(schema))(text),
                () => `${method}: the response is not understood`
              )
      }),
      { duration: limit, onTimeout: () => Effect.succeed(Either.left(`${method}: no response in time`)) }
    )

const isEvm = (facts: ChainFacts): facts is EvmFacts => facts.family === "evm"

const Identity = Schema.String.pipe(Schema.pattern(/^[\w:-]{1,100}$/))

const identity = ({ caip2 = [], proxy }: ChainFacts, ask: Ask) =>
  proxy?.identity === undefined
    ? Effect.succeed([])
    : Effect.map(
        ask(proxy.identity, [], Identity),
        Either.match({
          onLeft: (why) => [unread("chain id", why)],
          onRight: (found): ReadonlyArray<Finding> => [
            {
              fact: "chain id",
              catalogue: caip2.join(", "),
              chain: found,
              // CAIP-2 has the first 32 characters.
              holds: caip2.some((id) => id.split(":")[1] === found.slice(0, 32))
            }
          ]
        })
      )

const ofNodes = ({ facts, rpc }: AnyNetwork, limit: number) => {
  if (rpc === undefined)
    return Effect.succeed(isEvm(facts) ? [unread("facts of nodes", "it is not in the node proxy")] : [])
  const ask = askOf(rpc.main, limit)
  return isEvm(facts) ? evmFindings(facts, ask) : identity(facts, ask)
}

/** The newest block may not be older than what counts as final. */
const newest = ({ facts, newestBlock }: AnyNetwork, limit: number) =>
  newestBlock === undefined
    ? Effect.succeed([])
    : timeoutTo(
        Effect.zipWith(Effect.either(newestBlock), Clock.currentTimeMillis, (block, now) =>
          Either.match(block, {
            onLeft: ({ message }) => [unread("newest block", message)],
            onRight: ({ at }): ReadonlyArray<Finding> => {
              if (at === undefined) return []
              const age = now / 1000 - numberOf(at)
              const chain = `${seconds(Math.max(0, age))} old`
              const catalogue = `at most ${seconds(facts.finality)} old`
              return [{ fact: "newest block", catalogue, chain, holds: age <= facts.finality }]
            }
          })
        ),
        { duration: limit, onTimeout: () => Effect.succeed([unread("newest block", "no response in time")]) }
      )

const coin = ({ facts: { native } }: AnyNetwork, { found, missing }: Prices): Finding => {
  const reason = missing.get(native.coinId)
  return found.has(native.coinId) || reason === "not_listed"
    ? { fact: "coin id", catalogue: native.coinId, chain: reason ?? "has a price", holds: reason === undefined }
    : unread("coin id", `no price: ${reason}`)
}

/**
 * Compares the facts of networks with their chains, by a few reads of each node within its budgets. `limit`: timeout of a
 * read, ms.
 */
export const findingsOf = (networks: ReadonlyArray<AnyNetwork>, limit: number) =>
  Effect.gen(function* () {
    const { prices } = yield* Pricing
    const priced = yield* prices(networks.map(({ facts }) => facts.native.coinId))
    return yield* Effect.forEach(
      networks,
      (network) =>
        Effect.map(
          Effect.all([ofNodes(network, limit), newest(network, limit)]),
          ([nodes, block]): NetworkFindings => ({
            network: network.facts.id,
            findings: [...nodes, ...block, coin(network, priced)]
          })
        ).pipe(
          // A defect of one network takes nothing from the others.
          Effect.catchAllDefect((defect) =>
            Effect.succeed({ network: network.facts.id, findings: [unread("all facts", String(defect))] })
          )
        ),
      { concurrency: 4 }
    )
  })
