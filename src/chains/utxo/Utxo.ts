import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../domain/NetworkId.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { Height } from "../../domain/units.ts"
import * as Client from "../../jsonrpc/Client.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption, timeoutTo } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Sources from "../../upstream/Sources.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance } from "../Breakdown.ts"
import { type AbilitySources, Chain, type Holding, type ReadFailure } from "../Chain.ts"
import { newestBlock } from "../currentHead.ts"
import { byBlock, positioned } from "../heights.ts"
import { unread } from "../tokenList.ts"
import * as FeeRates from "./fees/FeeRates.ts"
import * as UtxoFees from "./fees/UtxoFees.ts"
import * as Histories from "./Histories.ts"
import * as Replacement from "./Replacement.ts"
import { calls, feeCalls } from "./rawTransactions/node.ts"
import * as RawTransactions from "./rawTransactions/RawTransactions.ts"
import * as Relay from "./rawTransactions/Relay.ts"
import { heightOf } from "./replacements.ts"
import * as Indexers from "./sources/Indexers.ts"
import type { AddressSummary, IndexerSource } from "./sources/Source.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"
import * as Transactions from "./Transactions.ts"
import * as Unspent from "./Unspent.ts"
import * as UtxoAddress from "./UtxoAddress.ts"

/** The balance of an address, the part of it that is certainly unconfirmed, and the addresses of an extended key. */
type UtxoBalance = Pick<AddressSummary, "balance" | "unconfirmed" | "derived">

/** The result for an address; undefined if no source supports it. */
type BalanceResult = Either.Either<UtxoBalance, UpstreamError> | undefined

/**
 * Reads balances from sources of different kinds, in as few calls as each allows. If a source does not return an
 * address, for any reason, the next source is queried: another kind may support an address that the first one rejects.
 * Returns what was read within `within` ms: a source that takes one address per call may not finish a long list.
 */
const balancesOf = (sources: ReadonlyArray<IndexerSource>, within: number) => {
  const inOrder = (count: number) => Arr.partition(sources, ({ minAddresses: from }) => from > count).flat()

  /** Reads the addresses that one source supports, and records the result of each call. */
  const from: Sources.QueryEach<IndexerSource, string, UtxoBalance, UpstreamError> = (
    source,
    addresses,
    report,
    others
  ) =>
    Effect.suspend(() => {
      let answered = 0
      let failed = false
      const isLast = (address: string) => !others.some((other) => other.supports(address))
      const readChunk = (chunk: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          // Leaves these addresses to the next source: one that is down would use up its time.
          if (failed && answered === 0 && !chunk.some(isLast)) return
          const answers = yield* Effect.either(source.summaries(chunk))
          if (Either.isRight(answers)) answered++
          else if (answers.left.final !== true) failed = true
          for (const address of chunk)
            report(
              address,
              Either.flatMap(answers, (found) =>
                Either.fromNullable(found.get(address), () => addressMissing(source.name))
              )
            )
        })
      // Bounded: queued chunks can be skipped if the source turns out to be down.
      const chunks = Arr.chunksOf(addresses.filter(source.supports), source.perCall)
      return Effect.forEach(chunks, readChunk, { concurrency: 8, discard: true })
    })

  return (addresses: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<BalanceResult>> =>
    Effect.gen(function* () {
      const found: Sources.SourceResult<string, UtxoBalance, UpstreamError> = new Map()
      const ordered = inOrder(new Set(addresses).size)
      const inTime = Option.isSome(yield* timeoutOption(Sources.each(ordered, addresses, from, found), within))
      return addresses.map((address) => {
        const source = inTime ? undefined : ordered.find(({ supports }) => supports(address))
        return found.get(address) ?? (source === undefined ? undefined : Either.left(tooLate(source.name)))
      })
    })
}

const addressMissing = (upstream: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: "did not return the address" })

const tooLate = (upstream: string) => new UpstreamError({ upstream, reason: "timeout", detail: "timed out" })

// The balance is the sum of the unspent outputs: outputs in the mempool are unconfirmed, those that are too young can be
// spent only at their maturity, those with tokens only together with these, and all others can be spent now.

/** The sums of a list of outputs; fails if the list is incomplete. */
const toDetail = (
  read: TransactionContext.Outputs,
  hasTokens: boolean
): Effect.Effect<DetailedBalance, ReadFailure> => {
  if (TransactionContext.isTruncated(read)) return Effect.fail(tooMany)
  const sum = (included: (confirmations: number, lock: TransactionContext.Lock | undefined) => boolean) =>
    read.outputs
      .filter(({ lock, output }) => included(output.confirmations, lock))
      .reduce((all, { output }) => all + BigInt(output.value), 0n)
  const amount = sum(() => true)
  const unconfirmed = sum((confirmations) => confirmations === 0)
  const locked = (...locks: ReadonlyArray<TransactionContext.Lock>) =>
    sum((confirmations, lock) => confirmations > 0 && lock !== undefined && locks.includes(lock))
  const reserved = locked("tokens")
  const immature = locked("immature", "pegOut")
  const known = { unconfirmed, ...(hasTokens && { reserved }) }
  const locks = read.outputs.map(({ lock }) => lock)
  const { origin = unknownOrigin, script = unknownScript } = read.failures ?? {}
  return Effect.succeed(
    locks.includes("unknownOrigin")
      ? { amount, parts: known, missing: unread(origin) }
      : locks.includes("unknownScript")
        ? { amount, parts: { ...known, immature }, missing: unread(script) }
        : { amount, parts: { spendable: amount - unconfirmed - immature - reserved, ...known, immature } }
  )
}

const tooMany: ReadFailure = { reason: "bad_answer", message: "the address has more unspent outputs than are read" }

const unknownOrigin: ReadFailure = {
  reason: "bad_answer",
  message: "the indexer did not report for all recent outputs whether they are newly mined"
}

const unknownScript: ReadFailure = {
  reason: "bad_answer",
  message:
    "the indexer did not return the scripts of all outputs, without which it is unknown whether they can be spent"
}

const timedOut: ReadFailure = { reason: "timeout", message: "the unspent outputs were not returned in time" }

/** Reads the outputs of each address within `within` ms; a slow address does not delay the others. */
const breakdownOf = (
  { coding }: UtxoFacts,
  reader: Effect.Effect<(address: string) => Effect.Effect<TransactionContext.Outputs, ReadFailure>>,
  within: number
): BreakdownReader => ({
  parts: ["spendable", "unconfirmed", "immature", ...(coding.cashaddr === undefined ? [] : (["reserved"] as const))],
  isSum: true,
  read: (addresses) =>
    Effect.flatMap(reader, (read) =>
      each(addresses, (address) =>
        read(address).pipe(
          Effect.flatMap((outputs) => toDetail(outputs, coding.cashaddr !== undefined)),
          timeoutTo({ duration: within, onTimeout: () => Effect.fail(timedOut) }),
          Effect.either
        )
      )
    )
})

/** Maps a balance to a holding of the native coin. */
const toHolding = (read: BalanceResult, noSource: ReadFailure): Either.Either<Holding, ReadFailure> => {
  if (read === undefined) return Either.left(noSource)
  return Either.mapBoth(read, {
    onLeft: ({ message, reason }) => ({ reason, message }),
    onRight: ({ balance, derived, unconfirmed }) => ({
      asset: "native" as const,
      amount: Either.right(balance),
      ...(derived === undefined ? {} : { derived }),
      ...(unconfirmed === undefined ? {} : { parts: { unconfirmed } })
    })
  })
}

/** The adapter of every network of the Bitcoin family. */
export const layer = (info: UtxoFacts) => Layer.effect(Chain, make(info))

const make = (info: UtxoFacts) =>
  Effect.gen(function* () {
    const node = yield* nodes(info)
    const sources = yield* Indexers.make(info)
    const relays = RawTransactions.inPreference([node, ...sources].flatMap((source) => source?.relay ?? []))
    const estimators = UtxoFees.inPreference([node, ...sources].flatMap((source) => source?.fees ?? []))
    // Ends before the use case times out for the whole network.
    const within = Deadline.make(yield* requestDeadline).share("collect")
    const balances = balancesOf(sources, within)
    const configured = sources.filter(({ supports }) => supports(info.sampleAddress))
    const historySources = Histories.inPreference(configured)

    const noSource = noSourceReason(info, configured.length > 0)
    const histories = Histories.make(info, sources, within, noSourceReason(info, historySources.length > 0))
    const read = (addresses: ReadonlyArray<string>) =>
      Effect.map(balances(addresses), (all) => all.map((balance) => toHolding(balance, noSource)))

    const holdings: Chain["Type"]["holdings"] = (addresses) =>
      Effect.map(read(addresses), (all) => ({
        addresses: all.map(Either.map((current) => [current])),
        missing: undefined
      })).pipe(span("Utxo.holdings", { attributes: { network: info.id, addresses: addresses.length } }))

    const holding: Chain["Type"]["holding"] = (address, token) =>
      Option.isSome(token)
        ? Effect.fail(noTokens(info))
        : Effect.flatMap(read([address]), ([first]) => first ?? Effect.fail(noSource))

    /** For the addresses of one request. */
    const outputs = Effect.map(
      Unspent.sharedHeads,
      (heads) => (address: string) => TransactionContext.read(info, sources, () => noSource, address, heads)
    )
    const contexts = Effect.map(
      outputs,
      (read) => (address: string) => Effect.map(read(address), (all) => TransactionContext.toContext(info, all))
    )

    const history = (query: HistoryQuery<Height>) =>
      span("Utxo.history", { attributes: { network: info.id, limit: query.limit } })(histories(query))

    const fees = UtxoFees.make(info, estimators)
    const statusSources = sources.flatMap(({ statuses }) => statuses)

    return {
      facts: info,
      address: UtxoAddress.parse(info),
      addressForm: UtxoAddress.formOf(info),
      holdings,
      holding,
      ...positioned({ ...byBlock(info, heightOf), disorder: Histories.disorder }, history),
      breakdown: breakdownOf(info, outputs, within),
      transactionContexts: () => contexts,
      ...RawTransactions.make(info, relays),
      newestBlock: newestBlock(info, statusSources, ({ head }) => head, noSourceReason(info, false)),
      statuses: yield* TransactionStatus.make(info, statusSources, RawTransactions.notConfigured(info)),
      transaction: Transactions.make(info, statusSources, RawTransactions.notConfigured(info)),
      replacement: yield* Replacement.make(info, statusSources, RawTransactions.notConfigured(info), fees),
      fees,
      abilities: Effect.succeed({
        balance: served(configured, noSource),
        history: served(historySources, noSourceReason(info, false)),
        rawTransactions: served(relays, RawTransactions.notConfigured(info)),
        fees: served(estimators, UtxoFees.notConfigured(info)),
        transactionContext: served(TransactionContext.inPreference(configured), noSource),
        tokens: Either.left(`${info.name} has no tokens`)
      })
    } satisfies Chain["Type"]
  })

/** The operator's own nodes; there are no public ones. */
const nodes = (info: UtxoFacts) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: `${variablePrefix(info.id)}_RPC_URLS`,
      default: [],
      meaning: `Nodes of ${info.name} (JSON-RPC of bitcoind; user:password@ is allowed), used first for raw transactions and fees`
    })
    const upstream = yield* Upstream.make({
      name: `${info.id}-rpc`,
      urls,
      canary: (address) =>
        Effect.flatMap(
          Client.call(address, { method: "getblockcount", params: [] }),
          Either.match({
            onLeft: () =>
              Effect.fail(address.fault({ reason: "upstream_error", detail: "did not return its block height" })),
            onRight: () => Effect.void
          })
        )
    })
    return urls.length > 0
      ? { relay: Relay.make(info, upstream, calls), fees: FeeRates.make(info, upstream, feeCalls) }
      : undefined
  })

const served = (sources: ReadonlyArray<{ readonly name: string }>, noSource: ReadFailure): AbilitySources =>
  sources.length > 0 ? Either.right(sources.map(({ name }) => name)) : Either.left(noSource.message)

const noTokens = ({ name }: UtxoFacts): ReadFailure => ({
  reason: "invalid_address",
  message: `tokenAddress: ${name} has no tokens`
})

/** Why no source can be queried: no indexer is configured, or only ones that do not support extended public keys. */
const noSourceReason = ({ id, name }: UtxoFacts, forAddresses: boolean): ReadFailure => {
  const variable = variablePrefix(id)
  return {
    reason: "not_configured",
    message: forAddresses
      ? `extended public keys need a Blockbook: set ${variable}_BLOCKBOOK_URLS`
      : `${name} has no indexer: set ${variable}_BLOCKBOOK_URLS or ${variable}_ESPLORA_URLS`
  }
}
