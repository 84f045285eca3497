import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import * as Multiplier from "../../../domain/Multiplier.ts"
import { type Millis, now, seconds, toMillis } from "../../../domain/units.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { hasReverted } from "../../../jsonrpc/errors.ts"
import * as BoundedMap from "../../../kernel/collections/BoundedMap.ts"
import { timeoutTo } from "../../../kernel/timeout.ts"
import * as Call from "../../../upstream/Call.ts"
import type { Endpoint as Node, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { ReadFailure, Scalings } from "../../Chain.ts"
import { type ScalingRead, scalingsOf } from "../../kit/holdings/scaled.ts"
import { unread } from "../../kit/holdings/tokenList.ts"
import { decodeAggregate, encodeCalls, gasProbe, multicall3Address } from "../multicall.ts"
import * as calls from "../providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "../providers/node/newestBlock.ts"
import { ofContracts, word } from "../providers/node/results.ts"

// Tokens whose displayed amounts have a multiplier of 18 decimals (ERC-8056, BEP-677); all other functions of such a
// token, and its events, are about stored amounts.

/** `uiMultiplier()`, which is in force now; `effectiveAt()`; the next one in ERC-8056 and in BEP-677. */
const selectors = ["0xa60bf13d", "0x97a4064f", "0xdc767007", "0x6fe968a3"] as const

/** Enough for a proxy; a token without the function may use all of it. */
const gas = "0x493e0"

const unit = 10n ** 18n

/** Tokens per call of Multicall3. */
const tokensPerCall = 300

/** The time limit for the tokens of one request, ms. */
const readWithin = 2_000

/** Maximum number of tokens of a network of which it is known whether they have a multiplier. */
const capacity = 20_000

const late: ReadFailure = { reason: "timeout", message: "the multiplier of the token was not read in time" }
const unreadable: ReadFailure = { reason: "bad_answer", message: "the multiplier of the token cannot be read" }

const callOf = (to: string, data: string): Client.ClientCall => Call.methodOf(calls.contract, { to, data, gas })

/** Requests everything about the multiplier of a token. */
export const multiplierCalls = (token: string): ReadonlyArray<Client.ClientCall> =>
  selectors.map((selector) => callOf(token, selector))

/**
 * The multipliers in the outcomes of {@link multiplierCalls}. A contract that returns something for any function has no
 * multiplier: its time of a change would equal it.
 */
const scalingIn = (outcomes: ReadonlyArray<Client.Outcome>, clock: Millis): ScalingRead => {
  if (outcomes.some((outcome) => outcome === Client.missing)) return Either.left(unreadable)
  const [current, effectiveAt, ...next] = outcomes.map((outcome) => Option.getOrUndefined(word(outcome)))
  const multiplier = toMultiplier(current)
  if (multiplier === undefined || current === effectiveAt) return Either.right(undefined)
  const announced = next.map(toMultiplier).find((found) => found !== undefined)
  const at = toMillis(seconds(Number(effectiveAt ?? 0n)))
  // The time stays after the change.
  return Either.right(
    Multiplier.scalingOf(multiplier, announced === undefined || at <= clock ? undefined : { multiplier: announced, at })
  )
}

const toMultiplier = (value: bigint | undefined) =>
  value === undefined ? undefined : Option.getOrUndefined(Multiplier.make(value, unit))

/** Tokens that are called one by one if they cannot be called together. */
const maxSingleCalls = 8

/** Maximum calls for tokens together: a few find the token that uses up the gas of the others. */
const maxCalls = 32

type Words = ReadonlyMap<string, Option.Option<bigint>>

/** The first word of `uiMultiplier()` of each token; tokens that could not be called are absent. */
const probe = (node: Node, network: EvmFacts, tokens: ReadonlyArray<string>): Effect.Effect<Words, UpstreamError> =>
  Effect.gen(function* () {
    const found = new Map<string, Option.Option<bigint>>()
    const chunks = Arr.chunksOf(tokens, tokensPerCall) as Array<ReadonlyArray<string>>
    for (let call = 0; call < maxCalls; call++) {
      const chunk = chunks.shift()
      if (chunk === undefined) break
      const words =
        (yield* readBatch(node, network, chunk)) ??
        (chunk.length > maxSingleCalls ? undefined : yield* alone(node, chunk))
      const half = Math.ceil(chunk.length / 2)
      if (words === undefined) chunks.push(chunk.slice(0, half), chunk.slice(half))
      else for (const [token, word] of words) found.set(token, word)
    }
    return found
  })

/** Calls `uiMultiplier()` of many tokens. */
const batchCall = (
  { multicall = multicall3Address }: Pick<EvmFacts, "multicall">,
  tokens: ReadonlyArray<string>
): Client.ClientCall => {
  const all = tokens.map((token) => ({ target: token as Address, callData: selectors[0] }))
  return Call.methodOf(calls.contract, { to: multicall, data: encodeCalls([...all, gasProbe]) })
}

/** The words in the outcome of {@link batchCall}; undefined if the tokens cannot be called together. */
const wordsIn = (tokens: ReadonlyArray<string>, outcome: Client.Outcome | undefined): Words | undefined => {
  if (outcome === undefined || Either.isLeft(outcome)) return undefined
  const words = Option.getOrElse(decodeAggregate(String(outcome.right), tokens.length + 1), () => [])
  return Option.isNone(words[tokens.length] ?? Option.none())
    ? undefined
    : new Map(tokens.map((token, index) => [token, words[index] ?? Option.none()] as const))
}

const readBatch = (node: Node, network: EvmFacts, tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...newestBlockCalls, batchCall(network, tokens)], {
      ...ofContracts,
      perCall: true
    })
    yield* currentBlock(node, network, outcomes)
    return wordsIn(tokens, outcomes[newestBlockCalls.length])
  })

/** Whether a token has answered: a node that refuses a call says nothing about the token. */
const isVerdict = (outcome: Client.Outcome): boolean => Either.isRight(outcome) || hasReverted(outcome.left)

const alone = (node: Node, tokens: ReadonlyArray<string>) =>
  Effect.map(
    callAll(
      node,
      tokens.map((token) => callOf(token, selectors[0])),
      ofContracts
    ),
    (outcomes): Words =>
      new Map(
        tokens.flatMap((token, index) => {
          const outcome = outcomes[index] ?? Client.missing
          return isVerdict(outcome) ? [[token, word(outcome)] as const] : []
        })
      )
  )

/**
 * Reads the multipliers of tokens. Whether a token has one is learnt once; one that has none costs no further call.
 */
export const multipliersOf = (nodes: Upstream, network: EvmFacts) =>
  Effect.map(BoundedMap.sized<boolean>(`${nodes.name}-multipliers`, capacity), (known) => {
    const isPlain = (token: string) => known.get(token) === false

    const scalingFrom = (token: string, outcomes: ReadonlyArray<Client.Outcome>, clock: Millis): ScalingRead => {
      const read = isVerdict(outcomes[0] ?? Client.missing) ? scalingIn(outcomes, clock) : Either.left(unreadable)
      const hasNone = Option.isNone(Option.flatMapNullable(word(outcomes[0]), toMultiplier))
      if (Either.isLeft(read) || (hasNone && known.get(token) === true)) return Either.left(unreadable)
      known.set(token, !hasNone)
      return read
    }

    const learn = (words: Words) => {
      for (const [token, found] of words)
        if (Option.isNone(Option.flatMapNullable(found, toMultiplier))) known.set(token, false)
    }

    /** Reads which of these tokens have a multiplier, and then these multipliers. */
    const readFrom = (node: Node, tokens: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const clock = yield* now
        const open = tokens.filter((token) => known.get(token) === undefined)
        const probed = yield* probe(node, network, open)
        const failed = new Set(open.filter((token) => !probed.has(token)))
        learn(probed)
        const scaled = tokens.filter((token) => !isPlain(token) && !failed.has(token))
        const all = scaled.flatMap(multiplierCalls)
        const outcomes = all.length === 0 ? [] : yield* callAll(node, [...newestBlockCalls, ...all], ofContracts)
        if (all.length > 0) yield* currentBlock(node, network, outcomes)
        const parts = Arr.chunksOf(outcomes.slice(newestBlockCalls.length), selectors.length)
        return [
          ...scaled.map(
            (token, index) => [token, scalingFrom(token, parts[index] ?? [Client.missing], clock)] as const
          ),
          ...[...failed].map((token) => [token, Either.left(unreadable)] as const)
        ]
      })

    /** The scalings of these tokens. Cannot fail: those that could not be read are left. */
    const scalings = (tokens: ReadonlyArray<string>): Effect.Effect<Scalings> => {
      const open = [...new Set(tokens.filter((token) => !isPlain(token)))]
      if (open.length === 0) return Effect.succeed(new Map())
      return nodes
        .over((node) => readFrom(node, open))
        .pipe(
          Effect.match({
            onFailure: (error) => open.map((token) => [token, Either.left(unread(error))] as const),
            onSuccess: (read): ReadonlyArray<readonly [string, ScalingRead]> => read
          }),
          timeoutTo({
            duration: readWithin,
            onTimeout: () => Effect.succeed(open.map((token) => [token, Either.left(late)] as const))
          }),
          Effect.map(scalingsOf)
        )
    }

    return {
      isPlain,
      scalings,
      /**
       * The scalings of tokens in histories, which explorers list while nodes cannot be reached: a token of which nothing
       * is known has none, as nearly all of them.
       */
      likelyScalings: (tokens: ReadonlyArray<string>): Effect.Effect<Scalings> =>
        Effect.map(
          scalings(tokens),
          (found) => new Map([...found].filter(([token, read]) => Either.isRight(read) || known.get(token) === true))
        ),
      /** Learns which tokens have no multiplier from the outcome of {@link batchCall}, next to another call. */
      batchCall: (tokens: ReadonlyArray<string>) => batchCall(network, tokens),
      learn: (tokens: ReadonlyArray<string>, outcome: Client.Outcome | undefined): void =>
        learn(wordsIn(tokens, outcome) ?? new Map()),
      /** Reads the outcomes of {@link multiplierCalls} for a token. */
      read: (token: string, outcomes: ReadonlyArray<Client.Outcome>): Effect.Effect<ScalingRead> =>
        Effect.map(now, (clock) => scalingFrom(token, outcomes, clock))
    }
  })

export type Multipliers = Effect.Effect.Success<ReturnType<typeof multipliersOf>>
