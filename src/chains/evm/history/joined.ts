import * as ExplorerWire from "./ExplorerWire.ts"

/** All that the lists tell of one transaction. */
export interface Joined {
  readonly hash: string
  readonly own: ExplorerWire.Own | undefined
  /** Value that contracts moved. */
  readonly internals: ReadonlyArray<ExplorerWire.Internal>
  readonly tokens: ReadonlyArray<ExplorerWire.Token>
  /** Undefined while it waits for a block. */
  readonly block: number | undefined
  readonly index: number
  readonly at: number | undefined
}

export type Lists = { readonly [K in ExplorerWire.Kind]: ReadonlyArray<ExplorerWire.ExplorerRows[K]> }

/**
 * A call that moves value: not one that runs another's code as its own and repeats the value of its caller, nor the first
 * of all, which is the transaction itself.
 */
const moves = (row: ExplorerWire.Internal) =>
  row.isError !== "1" &&
  row.value !== "0" &&
  row.index !== "0" &&
  !["delegatecall", "callcode", "staticcall"].includes((row.callType || row.type || "").toLowerCase())

/** ERC-20 alone: what has an id is no amount. */
const isAmount = (row: ExplorerWire.Token) => ExplorerWire.told(row.value) !== undefined && (row.tokenID ?? "") === ""

/**
 * The transactions that the lists tell, the newest first, each once. Calls of contracts that move nothing are not
 * transactions of the holder; a contract that shows the native coin as a token tells nothing new.
 */
export const join = (lists: Lists, mirrors: ReadonlyArray<string> = []): ReadonlyArray<Joined> => {
  type Draft = { own?: ExplorerWire.Own; internals: Array<ExplorerWire.Internal>; tokens: Array<ExplorerWire.Token> }
  const drafts = new Map<string, Draft>()
  const draft = (hash: string) => {
    const known = drafts.get(hash)
    if (known !== undefined) return known
    const made: Draft = { internals: [], tokens: [] }
    drafts.set(hash, made)
    return made
  }
  for (const row of lists.txlist) {
    const item = draft(ExplorerWire.hashOf(row))
    // Listed while it waits and again when it is done: the latter is newer.
    if (item.own === undefined || ExplorerWire.blockOf(item.own) === undefined) item.own = row
  }
  for (const row of onceEach(lists.txlistinternal, ({ index, traceId }) => traceId || index))
    if (moves(row)) draft(ExplorerWire.hashOf(row)).internals.push(row)
  for (const row of onceEach(lists.tokentx, ({ logIndex }) => logIndex))
    if (isAmount(row) && !mirrors.includes(row.contractAddress.toLowerCase()))
      draft(ExplorerWire.hashOf(row)).tokens.push(row)
  return [...drafts]
    .map(([hash, { internals, own, tokens }]) => finished(hash, own, internals, tokens))
    .sort(newestFirst)
}

/** Rows of one place in a transaction that say the same are one; without a place they cannot be told apart, and stay. */
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
): Joined => {
  const rows = [...(own === undefined ? [] : [own]), ...tokens, ...internals]
  const time = rows.map(({ timeStamp }) => ExplorerWire.told(timeStamp)).find((item) => item !== undefined)
  const index = rows.map((row) => ExplorerWire.told(row.transactionIndex)).find((element) => element !== undefined)
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

/** What waits for a block is newer than all that has one. */
const newestFirst = (a: Joined, b: Joined) =>
  a.block === b.block
    ? b.index - a.index
    : (b.block ?? Number.POSITIVE_INFINITY) - (a.block ?? Number.POSITIVE_INFINITY)
