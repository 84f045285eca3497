import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
import { type EvmFacts, evmSupply } from "../../catalogue/evm/EvmFacts.ts"
import type { Token } from "../../domain/Token.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { span } from "../../kernel/span.ts"
import type { RegisteredToken, TokenList } from "../../providers/TokenRegistry.ts"
import * as Call from "../../upstream/Call.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, HoldingsResult, ReadFailure, Scalings } from "../Chain.ts"
import { impossible } from "../kit/holdings/amounts.ts"
import { scaled } from "../kit/holdings/scaled.ts"
import { invalidToken, missingTokens, unread, unregistered } from "../kit/holdings/tokenList.ts"
import * as EvmAddress from "./EvmAddress.ts"
import type { Explorer } from "./Provider.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { quantity, word } from "./providers/node/results.ts"
import * as Coalescer from "./scanner/Coalescer.ts"
import { maxTokensPerCall, packAddresses } from "./scanner/Codec.ts"
import type { BalanceQuery, BalanceReading } from "./strategies/BalanceStrategy.ts"
import { balanceOf } from "./strategies/BalanceStrategy.ts"
import * as Balances from "./strategies/Balances.ts"
import { confirmedHolding, type DecimalsOf, decimalsCall, declaredIn } from "./tokens/Decimals.ts"
import { type Multipliers, multiplierCalls } from "./tokens/multipliers.ts"
import { type EvmTokens, isMirror } from "./tokens.ts"
import { unlisted as unlistedOf } from "./unlisted.ts"

/** Addresses per call for balances. */
export const batchSize = 50

/** If this many calls for balances are in flight, the addresses of further requests are batched. */
const busyCalls = 4

/** Maximum time that a request waits for others to share its batch. */
const maxWait = "25 millis"

/** Reads the coins and the listed tokens of addresses. `off` is the reason if there are no nodes. */
export const holdings = (
  facts: EvmFacts,
  nodes: Upstream,
  tokens: EvmTokens,
  off: ReadFailure | undefined,
  explorers: ReadonlyArray<Explorer>,
  time: number
) => {
  const read = Balances.make(facts, nodes)
  const unlisted = unlistedOf(facts, read, explorers, tokens, time)
  const pack = tokenPacks((token) => !isMirror(facts, token))
  const listed = batched((addresses) =>
    Effect.gen(function* () {
      if (off !== undefined) return unreadAll(addresses, off)
      const known = yield* tokens.list
      const listed = Option.match(known, { onNone: () => [], onSome: (tokenList) => tokenList.tokens })
      const holders = addresses as ReadonlyArray<`0x${string}`>
      const { holders: readings } = yield* read({ chainId: facts.chainId, holders, ...pack(listed) })
      const units = yield* tokens.unitsOf(readings.flatMap(({ balances }) => [...balances.keys()]))
      return {
        addresses: readings.map((reading) => Either.right(toHoldings(reading, known, units))),
        missing: facts.platform === undefined ? undefined : missingTokens(known)
      }
    }).pipe(
      Effect.catchTag("UpstreamError", (error) => Effect.succeed(unreadAll(addresses, unread(error)))),
      span("Evm.holdings", { attributes: { network: facts.id, addresses: addresses.length } })
    )
  )
  return Effect.map(
    listed,
    (read): Chain["Type"]["holdings"] =>
      (addresses, options = {}) =>
        options.unlisted !== true || off !== undefined
          ? read(addresses)
          : Effect.zipWith(read(addresses), unlisted(addresses), (found, others) => ({ ...found, ...others }), {
              concurrent: true
            })
  )
}

/** Reads the coins or one token of an address. */
export const holding =
  (
    facts: EvmFacts,
    nodes: Upstream,
    { list, multipliers }: EvmTokens,
    off: ReadFailure | undefined
  ): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      const token = yield* tokenAddress(text)
      if (off !== undefined) return yield* Effect.fail(off)
      const holder = address as `0x${string}`
      if (token === undefined) return yield* nativeBalance(nodes, facts, holder)
      const registered = Option.flatMapNullable(yield* list, (known) => known.byAddress.get(token))
      return yield* tokenBalance(nodes, facts, holder, token, registered, multipliers)
    }).pipe(Effect.mapError(unread))

/** The native balance of one address. */
const nativeBalance = (nodes: Upstream, facts: EvmFacts, holder: Address): Effect.Effect<Holding, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const outcomes = yield* callAll(node, [...newestBlockCalls, Call.methodOf(calls.balance, { address: holder })])
      yield* currentBlock(node, facts, outcomes)
      const amount = quantity(outcomes[2])
      if (Option.isNone(amount))
        return yield* node.fault({ reason: "bad_answer", detail: "the node returned no balance" })
      if (amount.value > evmSupply) return yield* node.fault(impossible)
      return { asset: "native" as const, amount: Either.right(amount.value) }
    })
  )

/**
 * The balance of one token. The decimals that it declares are read in the same request; if it declares none, those of
 * the registry are used. A token without either fails, because its balance cannot be formatted.
 */
const tokenBalance = (
  nodes: Upstream,
  facts: EvmFacts,
  holder: Address,
  contract: Address,
  registered: Option.Option<Token>,
  multipliers: Multipliers
): Effect.Effect<Holding, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const isPlain = multipliers.isPlain(contract)
      const outcomes = yield* callAll(node, [
        ...newestBlockCalls,
        balanceOf(holder, contract),
        decimalsCall(contract),
        ...(isPlain ? [] : multiplierCalls(contract))
      ])
      yield* currentBlock(node, facts, outcomes)
      const [, , balance, decimals, ...multiplier] = outcomes
      const asset = Option.flatMap(declaredIn(decimals), (own) =>
        own === undefined
          ? registered
          : Option.some({ ...Option.getOrElse(registered, () => unregistered(contract)(own)), decimals: own })
      )
      const amount = word(balance)
      if (Option.isNone(asset) || Option.isNone(amount))
        return yield* node.fault({
          reason: "bad_answer",
          detail: "no token at this address returns a balance and its decimals",
          final: true
        })
      const scaling = isPlain ? undefined : yield* multipliers.read(contract, multiplier)
      return scaled(asset.value, Either.right(amount.value), scaling)
    })
  )

/** Packs the `wanted` tokens of a list for the scanner, once per list: the list of the registry rarely changes. */
export const tokenPacks = (wanted: (token: RegisteredToken) => boolean) => {
  let last: { readonly of: ReadonlyArray<RegisteredToken>; readonly packed: Packed } | undefined
  return (tokens: ReadonlyArray<RegisteredToken>): Packed => {
    if (last?.of === tokens) return last.packed
    const addresses = tokens.filter(wanted).map((token) => token.address as Address)
    const packed = Arr.chunksOf(addresses, maxTokensPerCall).map((chunk) => ({
      tokens: chunk,
      hex: packAddresses(chunk)
    }))
    last = { of: tokens, packed: { tokens: addresses, packed } }
    return last.packed
  }
}

type Packed = Pick<BalanceQuery, "tokens" | "packed">

/** Combines concurrent requests into a batch; each request gets the results of its addresses. */
const batched = (readHoldings: Chain["Type"]["holdings"]) =>
  Effect.map(
    Coalescer.make(
      (addresses: ReadonlyArray<string>) =>
        Effect.map(readHoldings(addresses), ({ addresses: all, missing }) =>
          all.map((answer) => ({ answer, missing }))
        ),
      { busy: busyCalls, maxBatchSize: batchSize, maxWait }
    ),
    (read): Chain["Type"]["holdings"] =>
      (addresses) =>
        Effect.map(read(addresses), (all) => ({
          addresses: all.map(({ answer }) => answer),
          missing: all[0]?.missing
        }))
  )

/** Parses the address of a token; undefined for the native coin. */
const tokenAddress = Option.match({
  onNone: () => Either.right(undefined),
  onSome: (text: string) => Either.mapLeft(EvmAddress.parse(text), invalidToken)
})

/** Every address fails with this reason. */
const unreadAll = (addresses: ReadonlyArray<string>, reason: ReadFailure): HoldingsResult => ({
  addresses: addresses.map(() => Either.left(reason)),
  missing: undefined
})

const toHoldings = (
  reading: BalanceReading,
  known: Option.Option<TokenList>,
  { decimalsOf, scalings }: { readonly decimalsOf: DecimalsOf; readonly scalings: Scalings }
): ReadonlyArray<Holding> => [
  { asset: "native" as const, amount: Either.fromNullable(reading.native, () => noCoins) },
  ...Option.match(known, {
    onNone: () => [],
    onSome: ({ byAddress }) =>
      [...reading.balances.keys(), ...reading.unread].flatMap((address) => {
        const asset = byAddress.get(address)
        const balance = reading.balances.get(address)
        const amount = Either.fromNullable(balance, () => brokenToken)
        if (asset === undefined) return []
        const confirmed = confirmedHolding(asset, amount, decimalsOf(address))
        return [scaled(confirmed.asset, confirmed.amount, scalings.get(address))]
      })
  })
]

const noCoins: ReadFailure = { reason: "bad_answer", message: "the node returned no balance that can exist" }
const brokenToken: ReadFailure = { reason: "bad_answer", message: "the token's contract returned no balance" }
