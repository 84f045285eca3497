import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { missing, type Outcome } from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { hasReverted } from "../../../jsonrpc/errors.ts"
import { continuing } from "../../../kernel/continuing.ts"
import { span } from "../../../kernel/span.ts"
import { timeoutTo } from "../../../kernel/timeout.ts"
import {
  type DeclaredDecimals,
  type RegisteredToken,
  type TokenList,
  TokenRegistry
} from "../../../providers/TokenRegistry.ts"
import * as Call from "../../../upstream/Call.ts"
import type { Endpoint as Node, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { Holding, ReadFailure } from "../../Chain.ts"
import { unread } from "../../kit/holdings/tokenList.ts"
import { decodeAggregate, encodeCalls, multicall3Address } from "../multicall.ts"
import * as calls from "../providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "../providers/node/newestBlock.ts"
import { ofContracts, word } from "../providers/node/results.ts"
import type { Multipliers } from "./multipliers.ts"

/** The selector of ERC-20's `decimals()`. */
export const decimalsSelector = "0x313ce567"

export const decimalsCall = (to: string) => Call.methodOf(calls.contract, { to, data: decimalsSelector })

/** ERC-20 declares its decimals as uint8. */
export const toDecimals = (value: bigint): Option.Option<number> =>
  value <= 255n ? Option.some(Number(value)) : Option.none()

/** Tokens per call of Multicall3; nodes allow the gas that these need. */
const tokensPerCall = 500

/** Maximum calls per list. It needs only a few; the others isolate a token that uses up the gas of the rest. */
const maxCalls = 16

/** Maximum tokens per reading that are called one by one if Multicall3 does not return their decimals. */
const maxSingleCalls = 100

/** The time limit for the tokens of one request, ms. */
const confirmWithin = 2_000

/** After a failure nodes are not called again for this time, ms. */
const pauseAfterFailure = 10 * 60 * 1000

/** Declared decimals of a token; undefined if it declares none, left if they are unknown. */
export type DecimalsOf = (address: string) => Either.Either<number | undefined, ReadFailure>

/** Learns in the same request which tokens have no multiplier. */
type Learning = Pick<Multipliers, "batchCall" | "learn">

/** The state of one network. */
interface DecimalsState {
  /** The list that was checked last. */
  list: ReadonlyArray<RegisteredToken> | undefined
  /** Declared decimals by address; undefined for a token that declares none. */
  readonly declared: Map<string, number | undefined>
  reading: boolean
  /** Earliest time of the next attempt, ms. */
  next: number
}

/** Reads the decimals that tokens declare, as far as it can. */
type DecimalsReader = (tokens: ReadonlyArray<string>) => Effect.Effect<DecimalsReading, UpstreamError>

/** Reads the decimals that tokens declare, each token once, and passes them to `found`. */
export const make = (reader: DecimalsReader, found: (decimals: DeclaredDecimals) => Effect.Effect<void>) =>
  Effect.map(Effect.scope, (scope) => {
    const state: DecimalsState = { list: undefined, declared: new Map(), reading: false, next: 0 }

    const pause = Effect.map(Clock.currentTimeMillis, (now) => {
      state.list = undefined
      state.next = now + pauseAfterFailure
    })

    const readNow = (open: ReadonlyArray<string>) =>
      Effect.flatMap(reader(open), ({ requested, decimals }) => {
        const declared = requested.map((address) => [address, decimals.get(address)] as const)
        for (const [address, own] of declared) state.declared.set(address, own)
        return found(new Map(declared))
      })

    const start = continuing((open) => Effect.match(readNow(open), { onFailure: unread, onSuccess: () => unconfirmed }))

    const isOpen = (address: string) => !state.declared.has(address)

    /** Reads tokens, or joins the readings of them in flight: the reason for those that are unread afterwards. */
    const readAll = (open: ReadonlyArray<string>) =>
      Effect.map(
        Effect.flatMap(start(open), (readings) => Effect.forEach(readings, Deferred.await)),
        (reasons) => reasons.find((reason) => reason !== unconfirmed) ?? unconfirmed
      )

    /** Reads a list part by part, so that a request waits for one part at most. Ends at a token that is unread afterwards. */
    const read = (open: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        for (const part of Arr.chunksOf(open, tokensPerCall)) {
          const { message } = yield* readAll(part)
          if (!part.some(isOpen)) continue
          yield* Effect.logDebug(`decimals of tokens: ${message}`)
          return yield* pause
        }
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            state.reading = false
          })
        ),
        span("Evm.decimals", { root: true, attributes: { tokens: open.length } })
      )

    /**
     * Starts reading a list in the background, if it has unread tokens. Uninterruptible, so that `reading` is never set
     * without the fiber that resets it.
     */
    const check = (tokens: ReadonlyArray<RegisteredToken>): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (state.list === tokens || state.reading || now < state.next) return Effect.void
        state.list = tokens
        const open = tokens.flatMap(({ address }) => (isOpen(address) ? [address] : []))
        if (open.length === 0) return Effect.void
        state.reading = true
        return Effect.asVoid(Effect.forkIn(Effect.interruptible(read(open)), scope))
      }).pipe(Effect.uninterruptible)

    const known =
      (reason: ReadFailure): DecimalsOf =>
      (address) =>
        isOpen(address) ? Either.left(reason) : Either.right(state.declared.get(address))

    /** Reads the decimals of tokens that were not read before. Cannot fail. */
    const confirm = (addresses: Iterable<string>): Effect.Effect<DecimalsOf> =>
      Effect.gen(function* () {
        const open = [...new Set(Arr.filter(addresses, isOpen))]
        if (open.length === 0) return known(unconfirmed)
        const within = timeoutTo({ duration: confirmWithin, onTimeout: () => Effect.succeed(late) })
        return known(yield* within(readAll(open)))
      })

    return { check, confirm }
  })

/** A balance without confirmed decimals is an error, because it may be wrong by powers of ten. */
export const confirmedHolding = (
  asset: RegisteredToken,
  amount: Either.Either<bigint, ReadFailure>,
  decimals: ReturnType<DecimalsOf>
): Holding => {
  const own = Either.getOrUndefined(decimals)
  return {
    asset: own === undefined || own === asset.decimals ? asset : { ...asset, decimals: own },
    amount: Either.flatMap(amount, (units) => Either.map(decimals, () => units))
  }
}

/** Reads and confirms the decimals of a platform's list: the list of the result starts that in the background. */
export const checked = (
  platform: string | undefined,
  list: Effect.Effect<Option.Option<TokenList>>,
  reader: DecimalsReader
) =>
  Effect.gen(function* () {
    const { setDecimals } = yield* TokenRegistry
    const { check, confirm } = yield* make(reader, (found) =>
      platform === undefined ? Effect.void : setDecimals(platform, found)
    )
    return {
      confirm,
      list: Effect.tap(list, (known) => (Option.isSome(known) ? check(known.value.tokens) : Effect.void))
    }
  })

const unconfirmed: ReadFailure = { reason: "bad_answer", message: "the decimals of the token are not confirmed" }
const late: ReadFailure = { reason: "timeout", message: "the decimals of the token were not read in time" }

export interface DecimalsReading {
  readonly decimals: ReadonlyMap<string, number>
  /** Tokens that were read: their declared decimals, if any, are in `decimals`. */
  readonly requested: ReadonlyArray<string>
}

/**
 * The decimals in the result of `decimals()`; undefined if the token declares none: it has no code, reverts, or returns
 * another value. None if they are unknown, because the call failed for another reason.
 */
export const declaredIn = (outcome: Outcome | undefined): Option.Option<number | undefined> =>
  outcome === undefined || (Either.isLeft(outcome) && !hasReverted(outcome.left))
    ? Option.none()
    : Option.some(Option.getOrUndefined(Option.flatMap(word(outcome), toDecimals)))

/**
 * Reads the decimals from the first node that can. Splits a call that fails as a whole, since a single token can use up
 * its gas. A token that fails within a call may have lacked gas that another token used: its call is repeated alone.
 * Fails only if the node is unreachable or on another chain: an unsupported call is not a failure of the node.
 */
export const ofNodes =
  (nodes: Upstream, network: EvmFacts, multipliers: Learning): DecimalsReader =>
  (tokens) =>
    nodes.over((node) => readFrom(node, network, multipliers, tokens as ReadonlyArray<Address>))

const readFrom = (node: Node, network: EvmFacts, multipliers: Learning, tokens: ReadonlyArray<Address>) =>
  Effect.gen(function* () {
    const answered: Array<readonly [Address, Option.Option<number>]> = []
    const chunks: Array<ReadonlyArray<Address>> = Arr.chunksOf(tokens, tokensPerCall)
    for (let call = 0; call < maxCalls; call++) {
      const chunk = chunks.shift()
      if (chunk === undefined) break
      const answer = yield* readChunk(node, network, multipliers, chunk)
      const alone = chunk.length === 1 || tokens.length <= maxSingleCalls
      if (answer === "no Multicall3" && !alone) break
      if (answer === "failed" && !alone) {
        const half = Math.ceil(chunk.length / 2)
        chunks.push(chunk.slice(0, half), chunk.slice(half))
        continue
      }
      const declared = typeof answer === "string" ? [] : answer
      answered.push(...chunk.map((address, index) => [address, declared[index] ?? Option.none()] as const))
    }
    return yield* repeatingFailed(answered, (failed) => readEach(node, failed.slice(0, maxSingleCalls)))
  })

/** Completes a reading: reads the tokens that failed within a call alone, in their order and as many as `readEach` does. */
export const repeatingFailed = <A extends string, E>(
  answered: ReadonlyArray<readonly [A, Option.Option<number>]>,
  readEach: (failed: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Option.Option<number | undefined>>, E>
): Effect.Effect<DecimalsReading, E> => {
  const failed = answered.flatMap(([address, declared]) => (Option.isNone(declared) ? [address] : []))
  const read: ReadonlyArray<readonly [A, Option.Option<number | undefined>]> = answered
  return Effect.map(failed.length === 0 ? Effect.succeed([]) : readEach(failed), (repeated) => {
    const all = [
      ...read,
      ...repeated.flatMap((declared, index) =>
        failed.slice(index, index + 1).map((address) => [address, declared] as const)
      )
    ]
    const known = all.flatMap(([address, declared]) => Option.toArray(declared).map((own) => [address, own] as const))
    return {
      requested: known.map(([address]) => address),
      decimals: new Map(known.flatMap(([address, own]) => (own === undefined ? [] : [[address, own] as const])))
    }
  })
}

/** One call per token. */
const readEach = (node: Node, tokens: ReadonlyArray<Address>) =>
  Effect.map(callAll(node, tokens.map(decimalsCall), { ...ofContracts, perCall: true }), Arr.map(declaredIn))

/** One call for all tokens; none for a token that failed. */
const readChunk = (node: Node, network: EvmFacts, multipliers: Learning, tokens: ReadonlyArray<Address>) =>
  Effect.gen(function* () {
    const data = encodeCalls(tokens.map((target) => ({ target, callData: decimalsSelector })))
    const { multicall = multicall3Address } = network
    const [chain = missing, block = missing, outcome, probed] = yield* callAll(node, [
      ...newestBlockCalls,
      Call.methodOf(calls.contract, { to: multicall, data }),
      multipliers.batchCall(tokens)
    ])
    // A node that is behind may not have a contract, or may have an earlier version of it.
    yield* currentBlock(node, network, [chain, block])
    multipliers.learn(tokens, probed)
    if (outcome === undefined || Either.isLeft(outcome)) return "failed"
    return Option.match(decodeAggregate(String(outcome.right), tokens.length), {
      onNone: () => "no Multicall3" as const,
      onSome: Arr.map(Option.flatMap(toDecimals))
    })
  })
