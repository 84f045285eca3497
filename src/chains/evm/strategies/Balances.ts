import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import { numberToHex } from "viem/utils"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { least, numberOf, type Seconds, seconds } from "../../../domain/units.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { each } from "../../../kernel/each.ts"
import * as Call from "../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { impossible } from "../../kit/holdings/amounts.ts"
import { requireCurrent } from "../../kit/status/currentHead.ts"
import { type BalanceCall, decodeAggregate, encodeAggregate, multicall3Address } from "../multicall.ts"
import * as calls from "../providers/node/calls.ts"
import { currentBlock, newestBlock, newestBlockCalls, wrongChain } from "../providers/node/newestBlock.ts"
import { ofContracts, quantity, word } from "../providers/node/results.ts"
import * as Codec from "../scanner/Codec.ts"
import {
  type BalanceQuery,
  type BalanceReading,
  type BalanceStrategy,
  balanceOf,
  concurrency,
  type Readings,
  Refused,
  tally
} from "./BalanceStrategy.ts"

/** Balances in one call of Multicall3. */
const callsPerAggregate = 300

/**
 * Reads through Multicall3 (github.com/mds1/multicall3), 300 balances per call, with the chain and the time of the block
 * that they are from. A call that fails as a whole is split until the failing token is isolated. A balance that failed
 * within a call may have lacked gas that another token used, and is read again in a separate call.
 */
export const aggregate: BalanceStrategy = (node, query) =>
  Effect.gen(function* () {
    const { holders, tokens } = query
    const pairs: ReadonlyArray<BalanceCall> = holders.flatMap((holder) => [
      { holder, token: "native" as const },
      ...tokens.map((token) => ({ holder, token }))
    ])
    const first = yield* batched(node, query, pairs.slice(0, 1))
    if (Option.isNone(first)) return yield* new Refused({ detail: "no Multicall3" })
    const chunks = yield* each(
      Arr.chunksOf(pairs, callsPerAggregate),
      (chunk) => halving(node, query, chunk),
      concurrency
    )
    const amounts = chunks.flatMap((chunk) => chunk.amounts)
    const tallied = tally(holders)
    yield* requireAny(amounts.filter((_, index) => pairs[index]?.token === "native"))
    const again: Array<Pair> = []
    for (const [index, { holder, token }] of pairs.entries()) {
      const amount = amounts[index] ?? Option.none()
      if (Option.isSome(amount)) tallied.read(holder, token, amount.value)
      else if (token === "native") tallied.unread(holder, token)
      else again.push({ holder, token })
    }
    const others = yield* readEach(node, query, again, tallied)
    return {
      holders: tallied.readings(),
      timestamp: least(first.value.timestamp, ...chunks.map(({ timestamp }) => timestamp), ...others)
    }
  })

type Pair = Readonly<Record<"holder" | "token", EvmAddress>>

/** Reads each of these balances in a separate call; returns the time of the node's newest block if there are any. */
const readEach = (
  node: Endpoint,
  { block, chainId }: BalanceQuery,
  pairs: ReadonlyArray<Pair>,
  tallied: ReturnType<typeof tally>
) =>
  Effect.gen(function* () {
    if (pairs.length === 0) return []
    const balances = pairs.map(({ holder, token }) => balanceOf(holder, token, block))
    const outcomes = yield* callAll(node, [...newestBlockCalls, ...balances], { ...ofContracts, perCall: true })
    const { timestamp } = yield* newestBlock(node, chainId, outcomes)
    for (const [index, { holder, token }] of pairs.entries()) {
      const amount = word(outcomes[newestBlockCalls.length + index])
      if (Option.isSome(amount)) tallied.read(holder, token, amount.value)
      else tallied.unread(holder, token)
    }
    return [timestamp]
  })

/** Balances from one block, with its time. */
interface AggregatedBalances {
  readonly amounts: ReadonlyArray<Option.Option<bigint>>
  readonly timestamp: Seconds
}

/** Makes one call; none if the node or the contract failed as a whole. */
const batched = (
  node: Endpoint,
  { block, chainId, multicall = multicall3Address }: BalanceQuery,
  reads: ReadonlyArray<BalanceCall>,
  format?: Client.CallFormat
): Effect.Effect<Option.Option<AggregatedBalances>, UpstreamError> =>
  Effect.gen(function* () {
    const data = encodeAggregate(reads, multicall)
    const outcome = yield* Client.call(node, Call.methodOf(calls.contract, { to: multicall, data, block }), format)
    const results =
      Either.isRight(outcome) && typeof outcome.right === "string"
        ? Option.getOrElse(decodeAggregate(outcome.right, reads.length + 2), () => [])
        : []
    const [chain = Option.none(), time = Option.none(), ...amounts] = results
    if (Option.isNone(chain) || Option.isNone(time)) return Option.none()
    if (chain.value !== BigInt(chainId)) return yield* node.fault(wrongChain)
    return Option.some({ amounts, timestamp: seconds(Number(time.value)) })
  })

const halving = (
  node: Endpoint,
  query: BalanceQuery,
  reads: ReadonlyArray<BalanceCall>
): Effect.Effect<AggregatedBalances, UpstreamError> =>
  Effect.flatMap(
    Effect.catchIf(batched(node, query, reads, ofContracts), ResponseDecoder.isTooLarge, () => Effect.succeedNone),
    (batch) => {
      if (Option.isSome(batch)) return Effect.succeed(batch.value)
      if (reads.length === 1) return Effect.succeed({ amounts: [Option.none()], timestamp: unlimited })
      const half = Math.ceil(reads.length / 2)
      return Effect.zipWith(
        halving(node, query, reads.slice(0, half)),
        halving(node, query, reads.slice(half)),
        (a, b) => ({ amounts: [...a.amounts, ...b.amounts], timestamp: least(a.timestamp, b.timestamp) }),
        { concurrent: true }
      )
    }
  )

/** The time of a balance that was not read: later than all others. */
const unlimited = seconds(Number.POSITIVE_INFINITY)

/** Reads up to 2,000 tokens of several holders per `eth_call`; longer lists are split into concurrent calls. */
export const scan: BalanceStrategy = (node, query) =>
  Effect.gen(function* () {
    const packed = query.packed.length === 0 ? [{ tokens: [], hex: "" }] : query.packed
    const parts = packed.flatMap(({ hex, tokens }) =>
      Arr.chunksOf(query.holders, holdersPerCall(tokens.length)).map((holders) => ({ hex, tokens, holders }))
    )
    const scans = yield* each(parts, (part) => toTheEnd(node, query, part), concurrency)
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
const toTheEnd = (node: Endpoint, { block, chainId }: BalanceQuery, part: ScanPart) =>
  Effect.gen(function* () {
    const scans = []
    for (let start = 0; start < Codec.pairCount(part); ) {
      const data = Codec.encodeScan({ ...part, gasPerCall: Codec.defaultGasPerCall, start, tokensPacked: part.hex })
      const outcome = yield* Client.call(node, Call.methodOf(calls.contract, { data, block }))
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
const single: BalanceStrategy = (node, query) =>
  Effect.gen(function* () {
    const { block, chainId, holders, tokens } = query
    const natives = holders.map((address) => Call.methodOf(calls.balance, { address, block }))
    const outcomes = yield* callAll(node, [...newestBlockCalls, ...natives])
    const { timestamp } = yield* newestBlock(node, chainId, outcomes)
    const share = Math.floor(maxSingle / holders.length)
    const tallied = tally(holders)
    const amounts = outcomes.slice(newestBlockCalls.length).map(quantity)
    yield* requireAny(amounts)
    for (const [index, holder] of holders.entries()) {
      const amount = amounts[index] ?? Option.none()
      if (Option.isSome(amount)) tallied.read(holder, "native", amount.value)
      else tallied.unread(holder, "native")
      for (const token of tokens.slice(share)) tallied.unread(holder, token)
    }
    const pairs = holders.flatMap((holder) => tokens.slice(0, share).map((token) => ({ holder, token })))
    const others = yield* readEach(node, query, pairs, tallied)
    return { holders: tallied.readings(), timestamp: least(timestamp, ...others) }
  })

/** Without any native balance, a node does not support the strategy. */
const requireAny = (natives: ReadonlyArray<Option.Option<bigint>>) =>
  natives.some(Option.isSome) ? Effect.void : Effect.fail(new Refused({ detail: "no native balance" }))

/** Ordered from the fewest calls to the most; each node uses the first strategy that it does not refuse. */
const strategies: ReadonlyArray<BalanceStrategy> = [scan, aggregate]

/** How long a node's refusal of a strategy is remembered, ms: the refusal may be temporary, or the node be upgraded. */
const remembered = 60 * 60 * 1000

/** A host of this machine. */
const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

const hasNative = ({ native }: BalanceReading) => native !== undefined
const isWhole = ({ holders }: Readings) => holders.every(hasNative)

const noBalances: Fault = { reason: "bad_answer", detail: "the node returned no balances" }

/** Reads balances from the nodes of one network, and remembers which strategy works for each node. */
export const make = (facts: EvmFacts, nodes: Upstream) => {
  const { multicall } = facts
  const refused = new Map<number, { readonly skip: number; readonly until: number }>()

  /** Undefined if the node refuses the strategy. */
  const attempt = (strategy: BalanceStrategy, node: Endpoint, query: BalanceQuery) =>
    Effect.gen(function* () {
      const readings = yield* Effect.catchTag(strategy(node, { ...query, multicall }), "Refused", ({ detail }) =>
        Effect.logDebug(`${nodes.name}: a strategy for reading balances was rejected: ${detail}`)
      )
      // A wrong amount of one address says nothing about the others.
      return readings === undefined || readings.holders.some(hasNative) ? readings : yield* node.fault(impossible)
    })

  /**
   * Undefined if the node refuses the strategy. Some development nodes run a call with a time that differs from that of
   * their block. Behind an address may be several nodes, of which one that stands still does not have the newest block of
   * another: balances are then read at its number. A local address has one node.
   */
  const by = (strategy: BalanceStrategy, node: Endpoint, query: BalanceQuery) =>
    Effect.gen(function* () {
      const readings = yield* attempt(strategy, node, query)
      if (readings === undefined) return undefined
      const current = yield* Effect.either(requireCurrent(node, facts, readings.timestamp))
      if (Either.isRight(current)) return readings
      const { number } = yield* currentBlock(node, facts, yield* callAll(node, newestBlockCalls))
      if (local.test(nodes.addresses[node.index]?.host ?? "")) return readings
      return (
        (yield* attempt(strategy, node, { ...query, block: numberToHex(numberOf(number)) })) ?? (yield* current.left)
      )
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
    nodes.over(
      (node) =>
        Effect.flatMap(by(single, node, query), (readings) =>
          readings === undefined ? node.fault(noBalances) : Effect.succeed(readings)
        ),
      { isWhole }
    )

  return (query: Omit<BalanceQuery, "multicall">): Effect.Effect<Readings, UpstreamError> =>
    Effect.suspend(() => {
      let isRefused = false
      const read = nodes.over(
        (node) =>
          from(node, query, () => {
            isRefused = true
          }),
        { isWhole }
      )
      return Effect.catchAll(read, (error) => (isRefused ? singly(query) : Effect.fail(error)))
    })
}
