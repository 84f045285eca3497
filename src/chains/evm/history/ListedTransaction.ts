import * as ExplorerWire from "./ExplorerWire.ts"

/** All rows of one transaction. */
export interface ListedTransaction {
  readonly hash: string
  readonly own: ExplorerWire.Own | undefined
  /** Value that contracts moved. */
  readonly internals: ReadonlyArray<ExplorerWire.Internal>
  readonly tokens: ReadonlyArray<ExplorerWire.Token>
  /** Undefined while it is pending. */
  readonly block: number | undefined
  readonly index: number
  readonly at: number | undefined
}

export type Lists = { readonly [K in ExplorerWire.Kind]: ReadonlyArray<ExplorerWire.ExplorerRows[K]> }

/**
 * Whether a call moves value: a call that runs another contract's code as its own only repeats the value of its caller,
 * and the first of all calls is the transaction itself.
 */
const movesValue = (row: ExplorerWire.Internal) =>
  row.isError !== "1" &&
  row.value !== "0" &&
  row.index !== "0" &&
  !["delegatecall", "callcode", "staticcall"].includes((row.callType || row.type || "").toLowerCase())

/** ERC-20 alone: a token with an id has no amount. */
const isAmount = (row: ExplorerWire.Token) =>
  ExplorerWire.numberIn(row.value) !== undefined && (row.tokenID ?? "") === ""

/**
 * The transactions on the lists, the newest first, each once. Calls of contracts that move nothing are not transactions
 * of the holder; transfers of a contract that represents the native coin repeat native transfers.
 */
export const mergeLists = (lists: Lists, mirrors: ReadonlyArray<string> = []): ReadonlyArray<ListedTransaction> => {
  type Draft = { own?: ExplorerWire.Own; internals: Array<ExplorerWire.Internal>; tokens: Array<ExplorerWire.Token> }
  const drafts = new Map<string, Draft>()
  const draft = (hash: string) => {
    const existing = drafts.get(hash)
    if (existing !== undefined) return existing
    const made: Draft = { internals: [], tokens: [] }
    drafts.set(hash, made)
    return made
  }
  for (const row of lists.txlist) {
    const listed = draft(ExplorerWire.hashOf(row))
    // Listed while pending and again when it is mined: the latter is newer.
    if (listed.own === undefined || ExplorerWire.blockOf(listed.own) === undefined) listed.own = row
  }
  for (const row of onceEach(lists.txlistinternal, ({ index, traceId }) => traceId || index))
    if (movesValue(row)) draft(ExplorerWire.hashOf(row)).internals.push(row)
  for (const row of onceEach(lists.tokentx, ({ logIndex }) => logIndex))
    if (isAmount(row) && !mirrors.includes(row.contractAddress.toLowerCase()))
      draft(ExplorerWire.hashOf(row)).tokens.push(row)
  return [...drafts]
    .map(([hash, { internals, own, tokens }]) => finished(hash, own, internals, tokens))
    .sort(newestFirst)
}

/** Equal rows with the same position in a transaction are duplicates; without a position they may differ, and stay. */
const onceEach = <A extends ExplorerWire.Internal | ExplorerWire.Token>(
  rows: ReadonlyArray<A>,
  place: (row: A) => string | null | undefined
): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const at = place(row)
    if (!at) return true
    const key = [ExplorerWire.hashOf(row), at, row.from, row.to, row.value, row.contractAddress].join(" ")
    return seen.size < seen.add(key).size
  })
}

const finished = (
  hash: string,
  own: ExplorerWire.Own | undefined,
  internals: ReadonlyArray<ExplorerWire.Internal>,
  tokens: ReadonlyArray<ExplorerWire.Token>
): ListedTransaction => {
  const rows = [...(own === undefined ? [] : [own]), ...tokens, ...internals]
  const time = rows.map(({ timeStamp }) => ExplorerWire.numberIn(timeStamp)).find((seconds) => seconds !== undefined)
  const index = rows.map((row) => ExplorerWire.numberIn(row.transactionIndex)).find((number) => number !== undefined)
  const block = rows.map(ExplorerWire.blockOf).find((current) => current !== undefined)
  return {
    hash,
    own,
    internals,
    tokens,
    block,
    index: Number(index ?? 0n),
    at: time === undefined ? undefined : Number(time)
  }
}

/** Pending transactions are newer than all that have a block. */
const newestFirst = (a: ListedTransaction, b: ListedTransaction) =>
  a.block === b.block
    ? b.index - a.index
    : (b.block ?? Number.POSITIVE_INFINITY) - (a.block ?? Number.POSITIVE_INFINITY)
