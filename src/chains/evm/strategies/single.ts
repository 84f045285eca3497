import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { newestBlock, newestBlockCalls } from "../newestBlock.ts"
import { type BalanceStrategy, Refused, tally } from "./BalanceStrategy.ts"
import { balanceOf, callAll, ofContracts, quantity, word } from "./calls.ts"

/** One `eth_getBalance` or `eth_call` a balance, in batches where the node supports batches. */
export const single: BalanceStrategy = (node, { chainId, holders, tokens }) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [
      ...newestBlockCalls,
      ...holders.map((holder) => ({ method: "eth_getBalance", params: [holder, "latest"] }))
    ])
    const { timestamp } = yield* newestBlock(node, chainId, outcomes)
    const tallied = tally(holders)
    for (const [index, holder] of holders.entries()) {
      const native = quantity(outcomes[newestBlockCalls.length + index])
      if (Option.isNone(native)) return yield* new Refused({ detail: "no native balance" })
      tallied.read(holder, "native", native.value)
    }
    const pairs = holders.flatMap((holder) => tokens.map((token) => ({ holder, token })))
    const words = yield* callAll(
      node,
      pairs.map(({ holder, token }) => balanceOf(holder, token)),
      ofContracts
    )
    for (const [index, { holder, token }] of pairs.entries()) {
      const balance = word(words[index])
      if (Option.isNone(balance)) tallied.unread(holder, token)
      else tallied.read(holder, token, balance.value)
    }
    return { holders: tallied.readings(), timestamp }
  })
