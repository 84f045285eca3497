import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Client from "../../../jsonrpc/Client.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import { eachLevel } from "../../feeLevels.ts"
import { eachTarget, type FeeCalls, ofCoins, ownRank } from "./FeeRates.ts"

// `estimatesmartfee` and `getmempoolinfo` of bitcoind; `estimatefee` of nodes without the former (Bitcoin Cash Node).

const Estimate = Schema.Struct({ feerate: Schema.optional(Schema.Number) })
const Pool = Schema.Struct({ mempoolminfee: Schema.Number })

const estimate = Schema.decodeUnknownOption(Estimate)
const pool = Schema.decodeUnknownOption(Pool)
const coins = Schema.decodeUnknownOption(Schema.Number)

const noMethod = -32601

/** The result of a call; undefined if the node rejects it. */
const result = (node: Endpoint, method: string, params: ReadonlyArray<unknown>) =>
  Effect.map(Client.call(node, { method, params }), Either.getOrUndefined)

const smart = (node: Endpoint) => (blocks: number) =>
  Effect.flatMap(Client.call(node, { method: "estimatesmartfee", params: [blocks] }), (outcome) => {
    if (Either.isLeft(outcome))
      return outcome.left.code === noMethod
        ? Effect.map(result(node, "estimatefee", []), (found) => Option.getOrUndefined(coins(found)))
        : Effect.succeed(undefined)
    return Effect.succeed(Option.getOrUndefined(estimate(outcome.right))?.feerate)
  })

/** The operator's node. No rate is below the minimum that its mempool accepts. */
export const calls: FeeCalls = {
  rank: ownRank,
  read: (node) =>
    Effect.gen(function* () {
      const rates = yield* eachTarget((blocks) =>
        Effect.map(smart(node)(blocks), (feerate) => (feerate === undefined ? undefined : ofCoins(feerate)))
      )
      const minimum = Option.getOrUndefined(pool(yield* result(node, "getmempoolinfo", [])))?.mempoolminfee
      const least = (minimum === undefined ? undefined : ofCoins(minimum)) ?? 0n
      return eachLevel((name) => {
        const rate = rates[name]
        return rate === undefined || rate > least ? rate : least
      })
    })
}
