import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import { type EvmFacts, evmSupply } from "../../catalogue/evm/EvmFacts.ts"
import { least, seconds } from "../../domain/units.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { each } from "../../kernel/each.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible, isWithin } from "../amounts.ts"
import { requireCurrent } from "../currentHead.ts"
import { type BalanceCall, decodeAggregate, encodeAggregate, multicall3Address } from "./multicall.ts"
import { currentBlock, newestBlock, newestBlockCalls, wrongChain } from "./newestBlock.ts"
import * as Codec from "./scanner/Codec.ts"
import {
  type BalanceQuery,
  type BalanceStrategy,
  concurrency,
  type Readings,
  Refused,
  tally
} from "./strategies/BalanceStrategy.ts"
import { balanceOf, callAll, ofContracts, quantity, word } from "./strategies/calls.ts"

/** Balances in one call of Multicall3. */
const callsPerAggregate = 300

/**
 * Reads through Multicall3 (github.com/mds1/multicall3), 300 balances per call. A call that fails as a whole is split
 * until the failing token is isolated. A balance that failed within a call may have lacked gas that another token used,
 * and is read again in a separate call.
 */
export const aggregate: BalanceStrategy = (node, { chainId, holders, multicall = multicall3Address, tokens }) =>
  Effect.gen(function* () {
    const pairs: ReadonlyArray<BalanceCall> = holders.flatMap((holder) => [
      { holder, token: "native" as const },
      ...tokens.map((token) => ({ holder, token }))
    ])
    const { timestamp } = yield* newestBlock(node, chainId, yield* callAll(node, newestBlockCalls))
    const first = yield* batched(node, multicall, pairs.slice(0, 1))
    if (Option.isNone(first)) return yield* new Refused({ detail: "no Multicall3" })
    const chunks = yield* each(
      Arr.chunksOf(pairs, callsPerAggregate),
      (chunk) => halving(node, multicall, chunk),
      concurrency
    )
    const amounts = chunks.flat()
    const tallied = tally(holders)
    const again: Array<Pair> = []
    for (const [index, { holder, token }] of pairs.entries()) {
      const amount = amounts[index] ?? Option.none()
      if (Option.isSome(amount)) tallied.read(holder, token, amount.value)
      else if (token === "native") return yield* new Refused({ detail: "no native balance" })
      else again.push({ holder, token })
    }
    yield* readEach(node, again, tallied)
    return { holders: tallied.readings(), timestamp }
  })

type Pair = Readonly<Record<"holder" | "token", EvmAddress>>

/** Reads each of these balances in a separate call. */
const readEach = (node: Endpoint, pairs: ReadonlyArray<Pair>, tallied: ReturnType<typeof tally>) =>
  Effect.map(
    callAll(
      node,
      pairs.map(({ holder, token }) => balanceOf(holder, token)),
      { ...ofContracts, perCall: true }
    ),
    (words) => {
      for (const [index, { holder, token }] of pairs.entries()) {
        const amount = word(words[index])
        if (Option.isSome(amount)) tallied.read(holder, token, amount.value)
        else tallied.unread(holder, token)
      }
    }
  )

type Amounts = ReadonlyArray<Option.Option<bigint>>

/** Makes one call; none if the node or the contract failed as a whole. */
const batched = (
  node: Endpoint,
  multicall: EvmAddress,
  calls: ReadonlyArray<BalanceCall>,
  format?: Client.CallFormat
) =>
  Effect.map(
    Client.call(
      node,
      { method: "eth_call", params: [{ to: multicall, data: encodeAggregate(calls, multicall) }, "latest"] },
      format
    ),
    (outcome): Option.Option<Amounts> =>
      Either.isRight(outcome) && typeof outcome.right === "string"
        ? decodeAggregate(outcome.right, calls.length)
        : Option.none()
  )

const halving = (
  node: Endpoint,
  multicall: EvmAddress,
  calls: ReadonlyArray<BalanceCall>
): Effect.Effect<Amounts, UpstreamError> =>
  Effect.flatMap(
    Effect.catchIf(batched(node, multicall, calls, ofContracts), ResponseDecoder.isTooLarge, () => Effect.succeedNone),
    (amounts) => {
      if (Option.isSome(amounts)) return Effect.succeed(amounts.value)
      if (calls.length === 1) return Effect.succeed([Option.none()])
      const half = Math.ceil(calls.length / 2)
      return Effect.zipWith(
        halving(node, multicall, calls.slice(0, half)),
        halving(node, multicall, calls.slice(half)),
        (a, b) => [...a, ...b],
        { concurrent: true }
      )
    }
  )

/** Reads up to 2,000 tokens of several holders per `eth_call`; longer lists are split into concurrent calls. */
export const scan: BalanceStrategy = (node, query) =>
  Effect.gen(function* () {
    const packed = query.packed.length === 0 ? [{ tokens: [], hex: "" }] : query.packed
    const parts = packed.flatMap(({ hex, tokens }) =>
      Arr.chunksOf(query.holders, holdersPerCall(tokens.length)).map((holders) => ({ hex, tokens, holders }))
    )
    const scans = yield* each(parts, (part) => toTheEnd(node, query.chainId, part), concurrency)
    const tallied = tally(query.holders)
    for (const { found, unread } of scans.flat()) {
      for (const { holder, token, value } of found) tallied.read(holder, token, value)
      for (const { holder, token } of unread) if (token !== "native") tallied.unread(holder, token)
    }
    const timestamps = scans.flat().map(({ timestamp }) => seconds(Number(timestamp)))
    return { holders: tallied.readings(), timestamp: least(...timestamps) }
  })

/** Balances that one call can read with the 50 million gas that most nodes allow, at 3,500 each. */
const pairsPerCall = 12_000

const holdersPerCall = (tokens: number) =>
  Math.max(1, Math.min(Codec.maxHoldersPerCall(tokens), Math.floor(pairsPerCall / (tokens + 1))))

interface ScanPart {
  readonly hex: string
  readonly tokens: ReadonlyArray<EvmAddress>
  readonly holders: ReadonlyArray<EvmAddress>
}

/** Repeats the call from the pair where its gas, or the space of its output, ran out. */
const toTheEnd = (node: Parameters<BalanceStrategy>[0], chainId: number, part: ScanPart) =>
  Effect.gen(function* () {
    const scans = []
    for (let start = 0; start < Codec.pairCount(part); ) {
      const data = Codec.encodeScan({ ...part, gasPerCall: Codec.defaultGasPerCall, start, tokensPacked: part.hex })
      const outcome = yield* Client.call(node, { method: "eth_call", params: [{ data }, "latest"] })
      if (Either.isLeft(outcome)) return yield* new Refused({ detail: outcome.left.message })
      const scanned = Codec.decodeScan(String(outcome.right), { ...part, start })
      if (Either.isLeft(scanned)) return yield* new Refused({ detail: `the response is ${scanned.left}` })
      if (scanned.right.chainId !== BigInt(chainId)) return yield* node.fault(wrongChain)
      if (scanned.right.next === start) return yield* new Refused({ detail: "too little gas for one token" })
      scans.push({ ...scanned.right, unread: scanned.right.unread.map((pair) => Codec.pairAt(part, pair)) })
      start = scanned.right.next
    }
    return scans
  })

/** Maximum token balances that are read in separate calls. */
const maxSingle = 300

/**
 * Reads each balance in a separate call, for networks whose nodes do not run a caller's code and have no Multicall3.
 * Tokens beyond a limit are unread.
 */
const single: BalanceStrategy = (node, { chainId, holders, tokens }) =>
  Effect.gen(function* () {
    const natives = holders.map((holder) => ({ method: "eth_getBalance", params: [holder, "latest"] }))
    const outcomes = yield* callAll(node, [...newestBlockCalls, ...natives])
    const { timestamp } = yield* newestBlock(node, chainId, outcomes)
    const share = Math.floor(maxSingle / holders.length)
    const tallied = tally(holders)
    for (const [index, holder] of holders.entries()) {
      const amount = quantity(outcomes[newestBlockCalls.length + index])
      if (Option.isNone(amount)) return yield* new Refused({ detail: "no native balance" })
      tallied.read(holder, "native", amount.value)
      for (const token of tokens.slice(share)) tallied.unread(holder, token)
    }
    const pairs = holders.flatMap((holder) => tokens.slice(0, share).map((token) => ({ holder, token })))
    yield* readEach(node, pairs, tallied)
    return { holders: tallied.readings(), timestamp }
  })

/** Ordered from the fewest calls to the most; each node uses the first strategy that it does not refuse. */
const strategies: ReadonlyArray<BalanceStrategy> = [scan, aggregate]

/** How long a node's refusal of a strategy is remembered, ms: the refusal may be temporary, or the node be upgraded. */
const remembered = 60 * 60 * 1000

const noBalances: Fault = { reason: "bad_answer", detail: "the node returned no balances" }

/** Reads balances from the nodes of one network, and remembers which strategy works for each node. */
export const make = (facts: EvmFacts, nodes: Upstream) => {
  const { multicall } = facts
  const refused = new Map<number, { readonly skip: number; readonly until: number }>()

  /** Undefined if the node refuses the strategy. */
  const by = (strategy: BalanceStrategy, node: Endpoint, query: BalanceQuery) =>
    Effect.gen(function* () {
      const readings = yield* Effect.catchTag(strategy(node, { ...query, multicall }), "Refused", ({ detail }) =>
        Effect.logDebug(`${nodes.name}: a strategy for reading balances was rejected: ${detail}`)
      )
      if (readings === undefined) return undefined
      if (!readings.holders.every(({ native }) => isWithin(evmSupply)(native))) return yield* node.fault(impossible)
      // Some development nodes run a call with a time that differs from that of their block.
      yield* Effect.orElse(requireCurrent(node, facts, readings.timestamp), () =>
        Effect.flatMap(callAll(node, newestBlockCalls), (outcomes) => currentBlock(node, facts, outcomes))
      )
      return readings
    })

  const from = (node: Endpoint, query: BalanceQuery, onRefused: () => void) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const refusal = refused.get(node.index)
      const skip = refusal !== undefined && refusal.until > now ? refusal.skip : 0
      for (const [index, strategy] of strategies.entries()) {
        if (index < skip) continue
        const readings = yield* by(strategy, node, query)
        if (readings === undefined) continue
        if (index > skip) refused.set(node.index, { skip: index, until: now + remembered })
        return readings
      }
      onRefused()
      return yield* node.fault(noBalances)
    })

  /** Reads part of the tokens from the first node that returns the native coins. */
  const singly = (query: BalanceQuery) =>
    nodes.over((node) =>
      Effect.flatMap(by(single, node, query), (readings) =>
        readings === undefined ? node.fault(noBalances) : Effect.succeed(readings)
      )
    )

  return (query: Omit<BalanceQuery, "multicall">): Effect.Effect<Readings, UpstreamError> =>
    Effect.suspend(() => {
      let isRefused = false
      const read = nodes.over((node) =>
        from(node, query, () => {
          isRefused = true
        })
      )
      return Effect.catchAll(read, (error) => (isRefused ? singly(query) : Effect.fail(error)))
    })
}
