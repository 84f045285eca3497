import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import * as Client from "../../../jsonrpc/Client.ts"
import { each } from "../../../kernel/each.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { type BalanceCall, decodeAggregate, encodeAggregate, multicall3Address } from "../multicall.ts"
import { newestBlock, newestBlockCalls } from "../newestBlock.ts"
import { type BalanceStrategy, concurrency, Refused, tally } from "./BalanceStrategy.ts"
import { balanceOf, callAll, ofContracts, word } from "./calls.ts"

/** Balances in one call of Multicall3. */
const callsPerAggregate = 300

/**
 * Through Multicall3 (github.com/mds1/multicall3), 300 balances a call. A call that fails as a whole is halved until
 * the token that causes the failure is alone; a balance that failed within a call may have run out of gas that another
 * token used, and is read again by itself.
 */
export const aggregate: BalanceStrategy = (node, { chainId, holders, tokens }) =>
  Effect.gen(function* () {
    const pairs: ReadonlyArray<BalanceCall> = holders.flatMap((holder) => [
      { holder, token: "native" as const },
      ...tokens.map((token) => ({ holder, token }))
    ])
    const { timestamp } = yield* newestBlock(node, chainId, yield* callAll(node, newestBlockCalls))
    const first = yield* batched(node, pairs.slice(0, 1))
    if (Option.isNone(first)) return yield* new Refused({ detail: "no Multicall3" })
    const chunks = yield* each(Arr.chunksOf(pairs, callsPerAggregate), (chunk) => halving(node, chunk), concurrency)
    const amounts = chunks.flat()
    const tallied = tally(holders)
    const again: Array<{ readonly holder: EvmAddress; readonly token: EvmAddress }> = []
    for (const [index, { holder, token }] of pairs.entries()) {
      const amount = amounts[index] ?? Option.none()
      if (Option.isSome(amount)) tallied.read(holder, token, amount.value)
      else if (token === "native") return yield* new Refused({ detail: "no native balance" })
      else again.push({ holder, token })
    }
    const words = yield* callAll(
      node,
      again.map(({ holder, token }) => balanceOf(holder, token)),
      ofContracts
    )
    for (const [index, { holder, token }] of again.entries()) {
      const amount = word(words[index])
      if (Option.isSome(amount)) tallied.read(holder, token, amount.value)
      else tallied.unread(holder, token)
    }
    return { holders: tallied.readings(), timestamp }
  })

type Amounts = ReadonlyArray<Option.Option<bigint>>

/** One call; none where the node or the contract did not answer it as a whole. */
const batched = (node: Endpoint, calls: ReadonlyArray<BalanceCall>, format?: Client.CallFormat) =>
  Effect.map(
    Client.call(
      node,
      { method: "eth_call", params: [{ to: multicall3Address, data: encodeAggregate(calls) }, "latest"] },
      format
    ),
    (outcome): Option.Option<Amounts> =>
      Either.isRight(outcome) && typeof outcome.right === "string"
        ? decodeAggregate(outcome.right, calls.length)
        : Option.none()
  )

const halving = (node: Endpoint, calls: ReadonlyArray<BalanceCall>): Effect.Effect<Amounts, UpstreamError> =>
  Effect.flatMap(
    Effect.catchIf(batched(node, calls, ofContracts), ResponseDecoder.isTooLarge, () => Effect.succeedNone),
    (amounts) => {
      if (Option.isSome(amounts)) return Effect.succeed(amounts.value)
      if (calls.length === 1) return Effect.succeed([Option.none()])
      const half = Math.ceil(calls.length / 2)
      return Effect.zipWith(
        halving(node, calls.slice(0, half)),
        halving(node, calls.slice(half)),
        (a, b) => [...a, ...b],
        { concurrent: true }
      )
    }
  )
