import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { cardano } from "../../catalogue/cardano.ts"
import { isOpen, notListed } from "../../domain/history/Gap.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { Height } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { fullySpendable } from "../Breakdown.ts"
import { Chain, type ReadFailure } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { type HeadCheck, headCheck } from "../currentHead.ts"
import { byBlock, positioned } from "../heights.ts"
import {
  decimalsOf,
  follow,
  missingTokens,
  unread,
  unreadTokensOf,
  confirming as waiting,
  withDecimals
} from "../tokenList.ts"
import * as Blockfrost from "./blockfrost/Blockfrost.ts"
import * as CardanoAddress from "./CardanoAddress.ts"
import * as CardanoAsset from "./CardanoAsset.ts"
import { tokens as platformTokens } from "./CardanoAsset.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
import * as Holdings from "./Holdings.ts"
import { heightOf } from "./history.ts"
import * as Koios from "./koios/Koios.ts"
import * as Parameters from "./Parameters.ts"
import { type CardanoBalances, type CardanoHistory, type CardanoSource, nothing, unanswered } from "./Source.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"

// The Cardano ledger as indexed by Blockfrost and Koios; addresses of CIP-19 and of the Byron era, metadata of CIP-26
// and CIP-68.

/** Rewards are part of the balance of a stake address only. */
const unlisted = cardano.unlisted.map((text) => notListed(text))

/** The first complete history; otherwise the longest. Each source leaves time for the next one. */
const historyFrom = (sources: ReadonlyArray<CardanoSource>, maxWait: number, query: HistoryQuery<Height>) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const read = (source: CardanoSource, others: ReadonlyArray<CardanoSource>) =>
      source.history(query, start + (maxWait * (sources.length - others.length)) / sources.length)
    const part = yield* Sources.firstOf(sources, read, {
      none: unanswered,
      isWhole: ({ gaps }: CardanoHistory) => !isOpen(gaps),
      isBetter: (part, best) => part.transactions.length > best.transactions.length,
      reason: ([first]) => first
    })
    return CardanoAddress.isStake(query.address) ? { ...part, gaps: [...part.gaps, ...unlisted] } : part
  })

/**
 * The balances of each address, in their order. Addresses that fail at one source, or of which it returns the coins
 * alone, are read from the next.
 */
const balancesOf = (
  sources: ReadonlyArray<CardanoSource>,
  addresses: ReadonlyArray<string>,
  withAssets: boolean
): Effect.Effect<ReadonlyArray<Either.Either<CardanoBalances, UpstreamError>>> =>
  Effect.suspend(() => {
    const coinsOnly = new Map<string, CardanoBalances>()
    const read = Sources.each<CardanoSource, string, CardanoBalances, UpstreamError>(
      sources,
      addresses,
      (source, open, report) =>
        source.balances(open, withAssets, (address, result) => {
          const unread = Either.isRight(result) ? result.right.unreadAssets : undefined
          if (unread !== undefined && Either.isRight(result) && !coinsOnly.has(address))
            coinsOnly.set(address, result.right)
          report(address, unread === undefined ? result : Either.left(unread))
        })
    )
    return Effect.map(read, (found) =>
      addresses.map((address) =>
        Either.orElse(found.get(address) ?? Either.left(unanswered), (error) =>
          Either.fromNullable(coinsOnly.get(address), () => error)
        )
      )
    )
  })

/**
 * A source that fails if its newest block does not fit the clock, except for older transactions, or if its parameters are
 * of another epoch.
 */
const currentOnly = (source: CardanoSource, check: HeadCheck): CardanoSource => {
  const isCurrent = Effect.suspend(() => check(current, source.head))
  const current: CardanoSource = {
    ...source,
    ...Parameters.currentOnly(source),
    balances: (addresses, withAssets, report) =>
      Effect.matchEffect(isCurrent, {
        onFailure: (error) =>
          Effect.sync(() => {
            for (const address of addresses) report(address, Either.left(error))
          }),
        onSuccess: () => source.balances(addresses, withAssets, report)
      }),
    history: (query, until) =>
      Effect.zipRight(query.before === undefined ? isCurrent : Effect.void, source.history(query, until))
  }
  return current
}

/**
 * Blockfrost, which is preferred but needs a key, if it is configured; and Koios, which needs none. `asWritten` has
 * Blockfrost with its parameters and newest block whatever they are, for the route that returns them unchanged.
 */
const connect = Effect.gen(function* () {
  const check = yield* headCheck(cardano)
  const blockfrost = yield* Blockfrost.make
  const koios = currentOnly(yield* Koios.make, check)
  if (blockfrost === undefined) return { sources: [koios] as const, asWritten: [Parameters.datedOnly(koios)] }
  return {
    sources: [currentOnly(blockfrost, check), koios] as const,
    asWritten: [blockfrost, Parameters.datedOnly(koios)]
  }
})

/** The limit of a request to Koios. */
const batchSize = 9

const make = Effect.gen(function* () {
  const { asWritten, sources } = yield* connect
  const names = sources.map(({ name }) => name)
  // Koios returns thirteen transactions per call, Blockfrost needs two calls for each of them.
  const preferred = [...sources].reverse()
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const tokenList = yield* follow(platformTokens, names)
  const metadata = yield* Holdings.metadata(sources)

  const holding: Chain["Type"]["holding"] = (address, text) =>
    Effect.gen(function* () {
      const unit = Option.flatMap(text, CardanoAsset.parse)
      if (Option.isSome(text) && Option.isNone(unit)) return yield* Effect.fail(invalidToken)
      const [result = Either.right(nothing)] = yield* balancesOf(sources, [address], Option.isSome(unit))
      const balances = yield* result
      if (Option.isNone(unit)) return Holdings.native(balances)
      if (balances.unreadAssets !== undefined) return yield* balances.unreadAssets
      const asset = balances.assets.find((balance) => balance.unit === unit.value)
      const known = Option.flatMapNullable(yield* tokenList.list, ({ byAddress }) => byAddress.get(unit.value))
      const found = asset ?? { unit: unit.value, quantity: 0n, decimals: undefined }
      if (Option.isSome(known)) {
        const reported = yield* metadata.decimalsOf(
          Holdings.unclear([{ ...balances, assets: [found] }], new Map([[unit.value, known.value]])),
          maxWait / 2
        )
        return Holdings.toHolding(found, known.value, reported)
      }
      const described = yield* metadata.of(unit.value)
      if (described === undefined) return yield* Effect.fail(noAsset)
      return Holdings.unregistered(found, described)
    }).pipe(Effect.mapError(unread))

  const confirm = confirming(tokenList)
  const history = (query: HistoryQuery<Height>) =>
    historyFrom(preferred, maxWait, query).pipe(
      Effect.flatMap(({ decimals = new Map(), ...part }) => Effect.as(confirm(decimals), part)),
      Effect.mapError(unread),
      span("Cardano.history")
    )

  /** For assets whose decimals did not come with their transactions. */
  const lookUp = (units: ReadonlyArray<string>) => Effect.flatMap(metadata.decimalsOf(units, maxWait), confirm)

  return {
    facts: cardano,
    address: CardanoAddress.parse,
    addressForm: CardanoAddress.formOf,
    canonicalToken: CardanoAsset.parse,
    batchSize,
    holdings: holdingsOf(sources, tokenList, metadata, maxWait),
    holding,
    breakdown: fullySpendable,
    ...positioned(byBlock(cardano, heightOf), withDecimals(history, tokenList.list, lookUp)),
    transactionContexts: Contexts.withShared(
      () => TransactionContext.network(sources),
      (address, network) => TransactionContext.read(sources, address, network)
    ),
    ...(yield* TransactionStatus.make(sources)),
    transaction: waiting(FindTransaction.make(preferred), tokenList.list, lookUp),
    protocolParameters: { current: first(asWritten, "parameters"), block: first(asWritten, "block") },
    fees: Fees.make(sources),
    abilities: Effect.map(tokenList.abilities, (abilities) => ({
      ...abilities,
      history: Either.right(preferred.map(({ name }) => name)),
      rawTransactions: Either.right(names),
      fees: Either.right(names),
      transactionContext: Either.right(names)
    }))
  } satisfies Chain["Type"]
})

type AssetList = Effect.Effect.Success<ReturnType<typeof follow>>

const holdingsOf =
  (
    sources: ReadonlyArray<CardanoSource>,
    tokenList: AssetList,
    metadata: Effect.Effect.Success<ReturnType<typeof Holdings.metadata>>,
    maxWait: number
  ): Chain["Type"]["holdings"] =>
  (addresses) =>
    Effect.gen(function* () {
      const known = yield* tokenList.list
      const registered = Option.match(known, { onNone: () => none, onSome: ({ byAddress }) => byAddress })
      const start = yield* Clock.currentTimeMillis
      const results = yield* balancesOf(sources, addresses, Option.isSome(known))
      const reported = yield* metadata.decimalsOf(
        Holdings.unclear(results.flatMap(Either.match(balancesOrNone)), registered),
        (start + maxWait - (yield* Clock.currentTimeMillis)) / 2
      )
      const read = results.map(
        Either.mapBoth({ onLeft: unread, onRight: (balances) => Holdings.toHoldings(balances, registered, reported) })
      )
      yield* tokenList.confirm(decimalsOf(read))
      return {
        addresses: read,
        missing: missingTokens(known),
        unreadTokens: unreadTokensOf(results, ({ unreadAssets }) => unreadAssets)
      }
    }).pipe(span("Cardano.holdings", { attributes: { addresses: addresses.length } }))

/** Confirms decimals of assets that were reported and do not contradict the list. */
const confirming =
  (tokenList: AssetList) =>
  (reported: Holdings.Decimals): Effect.Effect<void> =>
    Effect.flatMap(reported.size === 0 ? Effect.succeedNone : tokenList.list, (known) => {
      const registered = Option.match(known, { onNone: () => none, onSome: ({ byAddress }) => byAddress })
      return tokenList.confirm(decimalsOf([Either.right(Holdings.unitsOf(reported, registered))]))
    })

/** The first success. */
const first = (sources: ReadonlyArray<CardanoSource>, what: "parameters" | "block") =>
  Sources.first(sources, (source) => source[what], { none: unanswered }).pipe(
    Effect.mapError(unread),
    span(`Cardano.${what}`)
  )

const balancesOrNone = {
  onLeft: (): ReadonlyArray<CardanoBalances> => [],
  onRight: (balances: CardanoBalances): ReadonlyArray<CardanoBalances> => [balances]
}

const none: ReadonlyMap<string, RegisteredToken> = new Map()

const noAsset: ReadFailure = { reason: "bad_answer", message: "no asset with this policy and name was ever minted" }

const invalidToken: ReadFailure = {
  reason: "invalid_address",
  message: "tokenAddress: an asset is its policy id (56 hexadecimal digits) and the hexadecimal digits of its name"
}

export const layer = Layer.effect(Chain, make)
