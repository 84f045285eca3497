import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ripple } from "../../catalogue/ripple.ts"
import { gap } from "../../domain/history/Gap.ts"
import type { Heights } from "../../domain/history/Heights.ts"
import type { Token } from "../../domain/Token.ts"
import { type HistoryPart, type HistoryQuery, isRequested, newestFirst } from "../../domain/Transaction.ts"
import { distance, type LedgerIndex, ledgerIndex, now, numberOf, type Seconds, toSeconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { positioned } from "../kit/history/heights.ts"
import { by } from "../kit/history/readUntil.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import { notLoaded, unread } from "../kit/holdings/tokenList.ts"
import { maxHeightOf } from "../kit/status/currentHead.ts"
import { isMpt } from "./BalanceChanges.ts"
import { usualDecimals } from "./IssuedToken.ts"
import { fromRow, type LedgerTransaction } from "./LedgerTransaction.ts"
import { contradiction, otherAccount, type RippleProvider } from "./Provider.ts"
import { transactionsPerPage } from "./providers/rippled/calls.ts"
import { hasUnknownDelivery, heightOf, toTransaction } from "./toTransaction.ts"

type AccountTxPage = Option.Option.Value<Effect.Effect.Success<ReturnType<RippleProvider["transactions"]>>>

/** The first ledger that still exists: 1 January 2013. */
const firstLedger = ledgerIndex(32_570)

/** Lower bound of the time between two ledgers. */
const secondsPerLedger = 2

/** Separates pages by ledgers. */
const ledgers: Heights<LedgerIndex> = {
  of: heightOf,
  max: (clock) => ledgerIndex(numberOf(maxHeightOf(ripple, clock)))
}

/** Reads histories, at most for `maxWait` (ms), and the heights that separate their pages. */
export const histories = (
  rippled: RippleProvider,
  registered: Effect.Effect<Option.Option<TokenList>>,
  maxWait: number
) =>
  positioned(
    ledgers,
    Effect.fnUntraced(
      function* (query: HistoryQuery<LedgerIndex>) {
        const until = (yield* Clock.currentTimeMillis) + maxWait
        const [tokenList, reading] = yield* Effect.all([registered, read(rippled, query, until)], { concurrency: 2 })
        return toPart(rippled.nodes, query, reading, Option.getOrUndefined(tokenList)?.byAddress)
      },
      Effect.mapError(unread),
      span("Ripple.history")
    )
  )

/** The history that a node has returned so far. */
interface AccountTxReading {
  readonly rows: ReadonlyArray<LedgerTransaction>
  readonly more: boolean
  readonly unreadable: number
  /** Why the result is incomplete. */
  readonly fault: UpstreamError | undefined
  /** True if the node does not report which ledgers it searched: a retry would not help. */
  readonly isFinal?: true
}

/**
 * Reads the history until a deadline (clock time, ms): returns the first complete result, or else the longest result. The
 * newest transactions are read from nodes that are not behind the network.
 */
const read = (
  rippled: RippleProvider,
  query: HistoryQuery<LedgerIndex>,
  until: number
): Effect.Effect<AccountTxReading, UpstreamError> =>
  Effect.suspend(() => {
    let best: AccountTxReading | undefined
    const note = (reading: AccountTxReading) => {
      if (best === undefined || reading.rows.length > best.rows.length) best = reading
    }
    return Effect.catchAll(
      rippled.nodes.over((node) =>
        Effect.zipRight(
          query.before === undefined ? rippled.isCurrent(node) : Effect.void,
          readFrom(node, rippled, query, until, note)
        )
      ),
      (error) => (best === undefined ? Effect.fail(error) : Effect.succeed(best))
    )
  }).pipe(
    Effect.filterOrFail(
      ({ unreadable, rows }) => rows.length > 0 || unreadable === 0,
      () => rippled.nodes.fault(notUnderstood)
    )
  )

/** The decimals of a token: those of the list, or the usual ones. */
export const decimalsFrom = (registered: ReadonlyMap<string, Token> | undefined) => (token: string) =>
  registered?.get(token)?.decimals ?? (isMpt(token) ? 0 : usualDecimals)

/** Amounts use the decimals of the token list; without the list, `missing` says that the decimals are uncertain. */
const toPart = (
  upstream: Upstream,
  { address, limit }: Pick<HistoryQuery, "address" | "limit">,
  { fault, isFinal, more, unreadable, rows }: AccountTxReading,
  registered: ReadonlyMap<string, Token> | undefined
): HistoryPart => {
  const { name } = upstream
  const decimalsOf = decimalsFrom(registered)
  const listed = rows.slice(0, limit)
  const transactions = listed.flatMap((ledgerTransaction) =>
    Option.toArray(toTransaction(address, ledgerTransaction, decimalsOf))
  )
  const lost = unreadable + listed.length - transactions.length
  const unclear = listed.filter(hasUnknownDelivery).length
  const unplaced = transactions.filter(({ block, status }) => block === undefined && status !== "Pending").length
  const older =
    fault === undefined ? [] : [gap("older", `older transactions: ${fault.message}`, isFinal ? { isFinal } : {})]
  const tokens = transactions.some(({ from, to }) => [...from, ...to].some(({ token }) => token !== undefined))
  return {
    transactions: transactions.sort(newestFirst),
    more,
    sources: [name],
    gaps: [
      ...older,
      ...(lost === 0 ? [] : [gap("transactions", `${lost} transactions: ${upstream.fault(notUnderstood).message}`)]),
      ...(unplaced === 0 || unplaced === transactions.length
        ? []
        : [gap("transactions", `the ledgers of ${unplaced} transactions: ${name} does not return them`)]),
      ...(unclear === 0
        ? []
        : [gap("amounts", `the delivered amounts of ${unclear} partial payments: ${name} does not return them`)]),
      ...(registered === undefined && tokens ? [gap("amounts", `decimals of tokens: ${notLoaded}`)] : [])
    ]
  }
}

const readFrom = (
  node: Endpoint,
  { nodes, transactions }: RippleProvider,
  query: HistoryQuery<LedgerIndex>,
  until: number,
  note: (reading: AccountTxReading) => void
): Effect.Effect<AccountTxReading, UpstreamError> =>
  Effect.gen(function* () {
    const { address, before: from, limit, since } = query
    const isLate = isRequested(query)
    let rows: ReadonlyArray<LedgerTransaction> = []
    let unreadable = 0
    let marker: unknown
    while (true) {
      const parameters = {
        account: address,
        last: from === undefined ? -1 : numberOf(from.height),
        limit: Math.min(Math.max(limit - rows.length, 1), transactionsPerPage),
        marker
      }
      const page = yield* by(
        nodes,
        until
      )(transactions(node, parameters)).pipe(
        Effect.tapError((fault) => Effect.sync(() => rows.length > 0 && note({ rows, unreadable, more: true, fault })))
      )
      if (Option.isNone(page)) {
        if (marker === undefined) return { rows, unreadable, more: false, fault: undefined }
        const fault = node.fault(contradiction)
        note({ rows, unreadable, more: true, fault })
        return yield* fault
      }
      if (page.value.account !== address) return yield* node.fault(otherAccount)
      const listed = Arr.filterMap(page.value.transactions, ({ raw, row }) =>
        mentions(raw, address) ? Option.filter(Option.flatMap(row, fromRow), isSearched(page.value)) : Option.none()
      )
      const all = [...rows, ...listed]
      const byHash = byKey(all.map((row) => [row.hash, row]))
      const isClear = ({ hash }: LedgerTransaction) => byHash.get(hash) !== undefined
      const understood = listed.filter(isClear)
      unreadable += page.value.transactions.length - listed.length + all.length - all.filter(isClear).length
      const isWanted = ({ at }: LedgerTransaction) => since === undefined || at >= since
      if (from !== undefined && understood.some(({ ledger }) => ledger > from.height))
        return yield* node.fault(repeatedPage)
      rows = [...byHash.values()].filter((row) => row !== undefined).filter(isWanted)
      const before = marker
      marker = page.value.marker
      if (!understood.every(isWanted)) {
        const late = understood.filter((row) => !isWanted(row) && isLate(row.hash, row.at))
        return { rows: [...rows, ...late], unreadable, more: rows.length > limit, fault: undefined }
      }
      if (rows.length >= limit)
        return { rows, unreadable, more: rows.length > limit || marker !== undefined, fault: undefined }
      if (marker === undefined) {
        const reached = yield* reachesStart(page.value, since)
        if (reached === true) return { rows, unreadable, more: false, fault: undefined }
        // Another node may have older ledgers, even from before the account's creation if it was recreated.
        const fault = node.fault(reached === undefined ? unreportedLedgers : missingLedgers)
        note({ rows, unreadable, more: reached === false, fault, ...(reached === undefined ? { isFinal: true } : {}) })
        return yield* fault
      }
      if (page.value.transactions.length === 0 || JSON.stringify(marker) === JSON.stringify(before)) {
        note({ rows, unreadable, more: true, fault: node.fault(repeatedPage) })
        return yield* node.fault(repeatedPage)
      }
    }
  })

/** False for a row that is not validated although its ledger is one of the validated ledgers that the node searched. */
const isSearched =
  ({ ledger_index_max: last = ledgerIndex(0) }: AccountTxPage) =>
  ({ ledger, validated }: LedgerTransaction): boolean =>
    validated || ledger === ledgerIndex(0) || ledger > last

/** True if a row concerns the account: its address then occurs at least in the affected nodes. */
const mentions = (row: unknown, account: string): boolean => JSON.stringify(row).includes(account)

/**
 * True if the node searched back to the first ledger or to `since`: only then does the list end with the history.
 * Undefined if the node does not report it.
 */
const reachesStart = (
  { ledger_index_max = ledgerIndex(0), ledger_index_min: first }: AccountTxPage,
  since: Seconds | undefined
) =>
  Effect.map(now, (clock) => {
    if (first === undefined) return undefined
    const searched = distance(first, ledger_index_max) * secondsPerLedger
    return first <= firstLedger || (since !== undefined && distance(since, toSeconds(clock)) <= searched)
  })

const notUnderstood: Fault = { reason: "bad_answer", detail: "returned transactions in an unexpected format" }

const repeatedPage: Fault = { reason: "bad_answer", detail: "returned pages that do not follow each other" }

const unreportedLedgers: Fault = { reason: "upstream_error", detail: "the node does not report which ledgers it has" }

const missingLedgers: Fault = { reason: "upstream_error", detail: "the node does not have the older ledgers" }
