import { type Gap, gap, isOpen } from "../../../domain/history/Gap.ts"
import type { Heights } from "../../../domain/history/Heights.ts"
import type { HistoryPart, HistoryPosition, Transaction } from "../../../domain/Transaction.ts"
import { distance, type Height, least, type Position, position, shift } from "../../../domain/units.ts"
import { digest, maxDigests, type PageCursor } from "./PageCursor.ts"

/** One page of a history. */
interface Page {
  /** In the order of the chain, newest first. */
  readonly transactions: ReadonlyArray<Transaction>
  /** Start of the next page; undefined at the end of the readable history. */
  readonly next: PageCursor | undefined
  /** Why there is no next page although older transactions exist. */
  readonly gaps: ReadonlyArray<Gap>
}

/** The range to read for the page after a cursor, so that `limit` of its transactions are new. */
export const rangeAfter = (
  { above, accounts, blocks, ended, height, last, pendingDigests, returned, seenDigests }: PageCursor,
  limit: number
): { readonly limit: number; readonly before?: HistoryPosition } => ({
  limit: limit + seenDigests.size + pendingDigests.size,
  // While the last transaction is pending, all transactions may be new.
  ...(height === null
    ? {}
    : {
        before: {
          height,
          last,
          returned,
          accounts,
          ...(pendingDigests.has(digest(last)) ? { mayMove: true as const } : {}),
          ...(above === undefined ? {} : { above }),
          ...(blocks === undefined ? {} : { blocks }),
          ...(ended === undefined ? {} : { ended })
        }
      })
})

/** Whether a transaction has this height: it is infinite while the transaction has none. */
export const hasHeight = (height: Position) => height < unlimited

/** Whether a transaction gets its final height when it is in a block. */
const mayMove = (transaction: Transaction, { of }: Heights) =>
  transaction.status === "Pending" || !hasHeight(of(transaction))

/** The transactions after a cursor that were not returned before, in the order of the chain. */
export const remaining = (
  all: ReadonlyArray<Transaction>,
  cursor: PageCursor | undefined,
  { of, tolerance = 0 }: Heights
): ReadonlyArray<Transaction> => {
  const max = shift(cursor?.height ?? unlimited, tolerance)
  const isNew = ({ hash }: Transaction) => {
    const own = cursor === undefined ? "" : digest(hash)
    return cursor?.seenDigests.has(own) !== true && cursor?.pendingDigests.has(own) !== true
  }
  return all
    .filter((transaction) => of(transaction) <= max && isNew(transaction))
    .sort((a, b) => distance(of(a), of(b)) || b.order - a.order)
}

/**
 * The first `limit` transactions after a cursor. The next page has the remaining transactions at the height of the last
 * one, because its cursor has the digests returned at that height; new transactions are above that height.
 */
export const selectPage = (
  part: Pick<HistoryPart, "accounts" | "ended" | "gaps" | "more" | "transactions">,
  cursor: PageCursor | undefined,
  limit: number,
  heights: Heights
): Page => {
  const found = remaining(part.transactions, cursor, heights)
  const transactions = found.slice(0, limit)
  const hasMore = part.more || found.length > limit
  const ended = (why: string): Page => ({
    transactions,
    next: undefined,
    gaps: [gap("older", `older transactions: ${why}`, { isFinal: true })]
  })
  if (!hasMore) return { transactions, next: undefined, gaps: [] }
  if (transactions.length === 0)
    return isOpen(part.gaps) && cursor !== undefined
      ? { transactions, next: cursor, gaps: [] }
      : ended("no source returns them")
  const next = cursorAfter({ page: transactions, below: found[limit] }, cursor, part, heights)
  return next.seenDigests.size + next.pendingDigests.size > maxDigests
    ? ended("there are too many in one block")
    : { transactions, next, gaps: [] }
}

/** A page that is not empty, and the transaction below it if it was read. */
interface CutPage {
  readonly page: ReadonlyArray<Transaction>
  readonly below: Transaction | undefined
}

/**
 * The transaction to continue at, and its height: no transaction above it is missing from the pages. The height is null
 * if no transaction of the pages has one yet.
 */
const endOf = ({ below, page }: CutPage, before: PageCursor | undefined, heights: Heights) => {
  const last = page.at(-1) as Transaction
  const end = below !== undefined && mayMove(last, heights) && !mayMove(below, heights) ? below : last
  const own = heights.of(end)
  const highest = before?.height ?? null
  if (hasHeight(own)) return { last: end.hash, height: least(own, highest ?? own) }
  return { last: end.hash, height: below === undefined ? highest : null }
}

/** The cursor after a page. */
const cursorAfter = (
  { below, page }: CutPage,
  before: PageCursor | undefined,
  { accounts = [], ended = new Map() }: Pick<HistoryPart, "accounts" | "ended">,
  heights: Heights
): PageCursor => {
  const { of, blockOf, tolerance = 0 } = heights
  const { height, last } = endOf({ below, page }, before, heights)
  // The next page may come from a source whose heights differ from those of this page and from those it is queried by.
  const top = height === null ? unlimited : shift(height, 2 * tolerance)
  const isAt = (transaction: Transaction) => of(transaction) <= top
  const atHeight = page.filter(isAt)
  // The previous page also ended at or near this height.
  const adjoins = before !== undefined && (before.height ?? position(0)) <= top
  const endedAbove = [...ended].flatMap(([list, lowest]) => (height !== null && lowest > top ? [list] : []))
  const lowestAbove = page.findLast((transaction) => !isAt(transaction) && !mayMove(transaction, heights))?.hash
  const above = lowestAbove ?? (before === undefined || before.height === null || adjoins ? before?.above : before.last)
  return {
    height,
    last,
    ...(above === undefined ? {} : { above }),
    returned: (before?.returned ?? 0) + page.length,
    ...(blockOf === undefined ? {} : { blocks: lowestBlocks(page.map(blockOf), before?.blocks) }),
    seenDigests: new Set([...(adjoins ? before.seenDigests : []), ...atHeight.map(({ hash }) => digest(hash))]),
    pendingDigests: new Set([
      ...(before?.pendingDigests ?? []),
      ...page.filter((transaction) => mayMove(transaction, heights)).map(({ hash }) => digest(hash))
    ]),
    accounts: [...new Set([...accounts, ...(before?.accounts ?? [])])].slice(0, maxAccounts),
    ...(endedAbove.length === 0 ? {} : { ended: endedAbove.sort() })
  }
}

const lowestBlocks = (
  places: ReadonlyArray<ReturnType<NonNullable<Heights["blockOf"]>>>,
  before: PageCursor["blocks"] = {}
) => {
  const lowest: Record<string, Height> = { ...before }
  for (const { block, chain } of places) lowest[chain] = least(lowest[chain] ?? block, block)
  return lowest
}

/** The height of a page whose last transaction is pending. */
const unlimited = position(Number.POSITIVE_INFINITY)

/** Maximum number of accounts in a cursor; a history reads about this number of accounts at most. */
const maxAccounts = 256
