import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { gap } from "../../domain/history/Gap.ts"
import { type HistoryPart, type HistoryQuery, isRequested } from "../../domain/Transaction.ts"
import {
  type Height,
  height,
  millis,
  numberOf,
  type Seconds,
  seconds,
  secondsOf,
  toMillis
} from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { byBlock, positioned } from "../kit/history/heights.ts"
import { heightOf, orderOf } from "../kit/history/orderOf.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import type * as CoinDecimals from "./CoinDecimals.ts"
import type { Part, SuiPage, SuiProvider } from "./Provider.ts"
import { type Range, transactionsPerPage } from "./providers/graphql/calls.ts"
import { decodeTransaction, type SuiTransaction, toTransaction } from "./toTransaction.ts"

/** Reads histories, at most for `maxWait` (ms), and the heights that separate their pages. */
export const histories = (provider: SuiProvider, coins: CoinDecimals.Coins, maxWait: number) => {
  const history = (query: HistoryQuery<Height>) =>
    historyOf(provider, maxWait, query).pipe(
      Effect.mapError(unread),
      span("Sui.history", { attributes: { limit: query.limit } })
    )
  return positioned(byBlock(sui, heightOf(height)), withDecimals(history, coins.list, coins.decimalsOf))
}

/** Limits of requests for further balance changes: transactions per request (5,000 bytes), and rounds. */
const perQuery = 10
const maxRounds = 4

/** The history that a host has returned so far. */
interface SuiHistoryReading {
  /** Newest first. */
  readonly transactions: ReadonlyArray<SuiTransaction>
  /** True if the host has older transactions. */
  readonly older: boolean
  /** The time before which the host has no data; none if it has all, undefined if it does not report it. */
  readonly availableSince: Option.Option<string> | undefined
  /** The number of rows that could not be decoded. */
  readonly unreadable: number
}

/**
 * Reads the newest transactions of an address, all from one host, because cursors are valid at one host only. If a host
 * fails, the next host starts over. If no host returns everything in time, the longest result is used.
 */
const historyOf = (
  provider: SuiProvider,
  maxWait: number,
  query: HistoryQuery<Height>
): Effect.Effect<HistoryPart, UpstreamError> =>
  Effect.gen(function* () {
    let best: SuiHistoryReading | undefined
    const remember = (reading: SuiHistoryReading) =>
      Effect.sync(() => {
        if (best === undefined || reading.transactions.length >= best.transactions.length) best = reading
      })
    const reads = provider.hosts.over((host) => pages(provider, host, query, remember))
    const ended = yield* Effect.either(
      timeoutFail(reads, { duration: maxWait, onTimeout: () => provider.hosts.fault(timedOut) })
    )
    // A complete result takes precedence, even over a longer incomplete result of another host.
    if (Either.isRight(ended)) return toPart(provider.name, query, ended.right, undefined)
    const reading = best as SuiHistoryReading | undefined
    return reading === undefined ? yield* ended.left : toPart(provider.name, query, reading, ended.left)
  })

const toPart = (
  name: string,
  query: HistoryQuery<Height>,
  { availableSince, unreadable, older, transactions }: SuiHistoryReading,
  fault: UpstreamError | undefined
): HistoryPart => {
  const { address, limit, since = seconds(0) } = query
  const orders = orderOf(transactions, ({ effects }) => effects.checkpoint.sequenceNumber)
  const isWanted = isRequested(query)
  const all = transactions.map((row, index) => ({ row, transaction: toTransaction(address, orders[index] ?? 0, row) }))
  const wanted = all.filter(({ transaction: { hash, timestamp } }) => isWanted(hash, timestamp))
  const isNew = ({ transaction }: (typeof all)[number]) => transaction.timestamp >= since
  const reachedStart = !all.every(isNew)
  const shown = wanted.slice(0, limit)
  const cut = shown.filter(({ row: { effects } }) => effects.balanceChanges.pageInfo.hasNextPage).length
  const isEnd = !older && wanted.length <= limit
  const nameless = shown.filter(({ row: { effects } }) =>
    effects.balanceChanges.nodes.some(({ owner }) => owner === null)
  ).length
  const lost = Option.filter(
    availableSince ?? Option.none(),
    (time) => isEnd && millis(Date.parse(time)) > toMillis(since)
  )
  return {
    transactions: shown.map(({ transaction }) => transaction),
    more: wanted.slice(limit).some(isNew) || (older && !reachedStart),
    sources: [name],
    gaps: [
      ...(fault === undefined ? [] : [gap("older", `older transactions: ${fault.message}`)]),
      ...(unreadable === 0
        ? []
        : [gap("transactions", `${unreadable} transactions: ${name} returned them in an unexpected format`)]),
      ...(cut === 0 ? [] : [gap("transfers", `some transfers of ${cut} transactions: there are too many of them`)]),
      ...(nameless === 0 ? [] : [gap("transfers", `the parties of some transfers of ${nameless} transactions`)]),
      ...Option.toArray(
        Option.map(lost, (time) => gap("older", `transactions before ${time}: ${name} does not have them`))
      ),
      ...(isEnd && !reachedStart && availableSince === undefined
        ? [
            gap("older", `older transactions: ${name} does not report since when it has transactions`, {
              isFinal: true
            })
          ]
        : [])
    ]
  }
}

const pages = (
  provider: SuiProvider,
  host: Endpoint,
  { address, before: from, limit, since = seconds(0) }: HistoryQuery<Height>,
  remember: (reading: SuiHistoryReading) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    let before: string | null = null
    const beforeCheckpoint = from === undefined ? undefined : numberOf(from.height) + 1
    let reading: SuiHistoryReading = { transactions: [], older: true, availableSince: Option.none(), unreadable: 0 }
    while (reading.older && reading.transactions.length < limit && oldestOf(reading) >= since) {
      const left = limit - reading.transactions.length
      const wanted: SuiPage = { address, last: Math.min(left, transactionsPerPage), before, beforeCheckpoint }
      const { nodes, pageInfo, range }: Effect.Effect.Success<ReturnType<SuiProvider["transactions"]>> =
        yield* provider.transactions(host, wanted)
      before = pageInfo.startCursor ?? null
      if (pageInfo.hasPreviousPage && (before === null || nodes.length === 0)) return yield* host.fault(endless)
      const understood = Arr.getSomes(nodes.map((row) => decodeTransaction(row)))
      if (nodes.length > 0 && understood.length === 0) return yield* host.fault(notUnderstood)
      const seen = new Set(reading.transactions.map(({ digest }) => digest))
      const byDigest = byKey(understood.map((transaction) => [transaction.digest, transaction]))
      const fresh = [...byDigest.values()].flatMap((transaction) =>
        transaction === undefined || seen.has(transaction.digest) ? [] : [transaction]
      )
      const contradictory = understood.filter(({ digest }) => byDigest.get(digest) === undefined).length
      const completed = yield* complete(provider, host, fresh.reverse())
      reading = {
        transactions: [...reading.transactions, ...completed],
        older: pageInfo.hasPreviousPage,
        availableSince: range === undefined ? reading.availableSince : availableSince(range),
        unreadable: reading.unreadable + nodes.length - understood.length + contradictory
      }
      yield* remember(reading)
    }
    return reading
  })

const oldestOf = ({ transactions }: SuiHistoryReading): Seconds => {
  const last = transactions.at(-1)
  return last === undefined ? seconds(Number.POSITIVE_INFINITY) : secondsOf(last.effects.timestamp)
}

/** None if the host has all data; undefined if it does not report since when it has data. */
const availableSince = (range: Part<typeof Range.Type>): Option.Option<string> | undefined => {
  const first = Either.getOrUndefined(range)?.first
  if (first?.sequenceNumber === 0) return Option.none()
  return first?.timestamp == null ? undefined : Option.some(first.timestamp)
}

/** Reads the remaining balance changes as far as possible; `hasNextPage` remains true for an incomplete list. */
const complete = (
  provider: SuiProvider,
  host: Endpoint,
  transactions: ReadonlyArray<SuiTransaction>,
  round = 0
): Effect.Effect<ReadonlyArray<SuiTransaction>> =>
  Effect.gen(function* () {
    const pending = transactions.filter(({ effects }) => effects.balanceChanges.pageInfo.hasNextPage)
    if (pending.length === 0 || round === maxRounds) return transactions
    const parts = yield* Effect.forEach(Arr.chunksOf(pending, perQuery), (chunk) => further(provider, host, chunk), {
      concurrency: 4
    })
    const added = new Map(parts.flat())
    if (added.size === 0) return transactions
    return yield* complete(
      provider,
      host,
      transactions.map((transaction) => {
        const more = added.get(transaction.digest)
        if (more === undefined) return transaction
        const { nodes } = transaction.effects.balanceChanges
        return {
          ...transaction,
          effects: { ...transaction.effects, balanceChanges: { ...more, nodes: [...nodes, ...more.nodes] } }
        }
      }),
      round + 1
    )
  })

const further = (provider: SuiProvider, host: Endpoint, chunk: ReadonlyArray<SuiTransaction>) =>
  Effect.match(
    provider.moreChanges(
      host,
      chunk.map(({ digest, effects }) => ({ key: digest, after: effects.balanceChanges.pageInfo.endCursor ?? "" }))
    ),
    {
      onFailure: () => [],
      onSuccess: (found) =>
        Arr.zip(chunk, found).flatMap(([{ digest }, more]) =>
          Either.isRight(more) ? [[digest, more.right] as const] : []
        )
    }
  )

/** Executed, but in no checkpoint yet. */
const isUnchecked = Schema.is(Schema.Struct({ effects: Schema.Struct({ checkpoint: Schema.Null }) }))

/** A transaction at one host, with the order of its checkpoint; undefined if the host does not have it. */
export const atHost = (provider: SuiProvider, host: Endpoint, digest: string) =>
  Effect.gen(function* () {
    const row = yield* provider.transaction(host, digest)
    if (row === null || isUnchecked(row)) return undefined
    const own = Option.filter(decodeTransaction(row), (found) => found.digest === digest)
    const [read] = Option.isNone(own) ? [] : yield* complete(provider, host, [own.value])
    if (read === undefined) return yield* host.fault(notUnderstood)
    const { balanceChanges, checkpoint } = read.effects
    return {
      transaction: toTransaction(read.sender?.address ?? "", numberOf(checkpoint.sequenceNumber), read),
      isWhole: !balanceChanges.pageInfo.hasNextPage && balanceChanges.nodes.every(({ owner }) => owner !== null)
    }
  })

const timedOut: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
const notUnderstood: Fault = { reason: "bad_answer", detail: "returned transactions in an unexpected format" }
const endless: Fault = { reason: "bad_answer", detail: "returned pages without an end" }
