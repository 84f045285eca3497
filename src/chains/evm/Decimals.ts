import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
import { span } from "../../kernel/span.ts"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import type { Endpoint as Node, Upstream } from "../../upstream/Upstream.ts"
import { decodeAggregate, encodeCalls, multicall3Address } from "./multicall.ts"
import { wrongChain } from "./newestBlock.ts"
import { callAll, quantity } from "./strategies/calls.ts"

/** The selector of ERC-20's `decimals()`. */
export const decimalsSelector = "0x313ce567"

/** ERC-20 declares its decimals as uint8. */
export const toDecimals = (value: bigint): Option.Option<number> =>
  value <= 255n ? Option.some(Number(value)) : Option.none()

/** Tokens in one call of Multicall3: a node allows the gas that they need. */
const tokensPerCall = 500

/** Calls for one list. Those beyond the few that it needs search for a token that uses up the gas of the others. */
const maxCalls = 16

/** After a failure nodes are not called again for this time, ms. */
const pauseAfterFailure = 10 * 60 * 1000

/** The state of one network. */
interface DecimalsState {
  /** The list that was checked last. */
  list: ReadonlyArray<RegisteredToken> | undefined
  /** Addresses whose decimals were requested, whether or not they declare any. */
  readonly requested: Set<string>
  reading: boolean
  /** The time of the next attempt at the earliest, ms. */
  next: number
}

/**
 * Reads the decimals that the tokens of a list declare, each token once, and passes on what it found. The effect that
 * it makes for a list starts that in the background where there is something to read, and cannot fail.
 */
export const make = (
  nodes: Upstream,
  chainId: number,
  found: (decimals: ReadonlyMap<string, number>) => Effect.Effect<void>
) =>
  Effect.map(Effect.scope, (scope) => {
    const state: DecimalsState = { list: undefined, requested: new Set(), reading: false, next: 0 }

    const pause = Effect.map(Clock.currentTimeMillis, (now) => {
      state.list = undefined
      state.next = now + pauseAfterFailure
    })

    const read = (open: ReadonlyArray<Address>) =>
      Effect.gen(function* () {
        const { requested, decimals } = yield* nodes.over((node) => readFrom(node, chainId, open))
        for (const address of requested) state.requested.add(address)
        if (requested.length < open.length) yield* pause
        yield* found(decimals)
      }).pipe(
        Effect.catchTag("UpstreamError", ({ message }) =>
          Effect.zipRight(pause, Effect.logDebug(`decimals of tokens: ${message}`))
        ),
        Effect.ensuring(
          Effect.sync(() => {
            state.reading = false
          })
        ),
        span("Evm.decimals", { root: true, attributes: { tokens: open.length } })
      )

    // Without an interruption between the note that it is being read and the start of the fiber that takes the note back.
    return (tokens: ReadonlyArray<RegisteredToken>): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (state.list === tokens || state.reading || now < state.next) return Effect.void
        state.list = tokens
        const open = tokens.flatMap(({ address }) => (state.requested.has(address) ? [] : [address as Address]))
        if (open.length === 0) return Effect.void
        state.reading = true
        return Effect.asVoid(Effect.forkIn(Effect.interruptible(read(open)), scope))
      }).pipe(Effect.uninterruptible)
  })

interface DecimalsReading {
  readonly decimals: ReadonlyMap<string, number>
  /** Whether the declared decimals of a token, if any, are known now. */
  readonly requested: ReadonlyArray<Address>
}

/**
 * A call that fails as a whole is halved, since a single token can use up its gas. It fails only where the node could
 * not be reached: a call that a node does not support is no failure of the node.
 */
const readFrom = (node: Node, chainId: number, tokens: ReadonlyArray<Address>) =>
  Effect.gen(function* () {
    const decimals = new Map<string, number>()
    const requested: Array<Address> = []
    const chunks: Array<ReadonlyArray<Address>> = Arr.chunksOf(tokens, tokensPerCall)
    for (let call = 0; call < maxCalls; call++) {
      const chunk = chunks.shift()
      if (chunk === undefined) break
      const answer = yield* readChunk(node, chainId, chunk)
      if (answer === "no Multicall3") break
      if (answer === "failed" && chunk.length > 1) {
        const half = Math.ceil(chunk.length / 2)
        chunks.push(chunk.slice(0, half), chunk.slice(half))
        continue
      }
      requested.push(...chunk)
      for (const [index, address] of chunk.entries()) {
        const declared = answer === "failed" ? undefined : answer[index]
        if (declared !== undefined) decimals.set(address, declared)
      }
    }
    return { decimals, requested } satisfies DecimalsReading as DecimalsReading
  })

/** One call; undefined for a token that declares nothing. */
const readChunk = (node: Node, chainId: number, tokens: ReadonlyArray<Address>) =>
  Effect.gen(function* () {
    const data = encodeCalls(tokens.map((target) => ({ target, callData: decimalsSelector })))
    const [chain, outcome] = yield* callAll(node, [
      { method: "eth_chainId", params: [] },
      { method: "eth_call", params: [{ to: multicall3Address, data }, "latest"] }
    ])
    if (Option.getOrUndefined(quantity(chain)) !== BigInt(chainId)) return yield* node.fault(wrongChain)
    if (outcome === undefined || Either.isLeft(outcome)) return "failed"
    return Option.match(decodeAggregate(String(outcome.right), tokens.length), {
      onNone: () => "no Multicall3" as const,
      onSome: (words) => words.map((word) => Option.getOrUndefined(Option.flatMap(word, toDecimals)))
    })
  })
