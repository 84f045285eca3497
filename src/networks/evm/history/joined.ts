import * as Wire from "./wire.ts"

/** All that the lists tell of one transaction. */
export interface Joined {
  readonly hash: string
  readonly own: Wire.Own | undefined
  /** Value that contracts moved. */
  readonly internals: ReadonlyArray<Wire.Internal>
  readonly tokens: ReadonlyArray<Wire.Token>
  /** Undefined while it waits for a block. */
  readonly block: number | undefined
  readonly index: number
  readonly at: number | undefined
}

export type Lists = { readonly [K in Wire.Kind]: ReadonlyArray<Wire.Rows[K]> }

/**
 * A call that moves value: not one that runs another's code as its own and repeats the value of its caller, nor the first
 * of all, which is the transaction itself.
 */
const moves = (row: Wire.Internal) =>
  row.isError !== "1" &&
  row.value !== "0" &&
  row.index !== "0" &&
  !["delegatecall", "callcode", "staticcall"].includes((row.callType || row.type || "").toLowerCase())

/** ERC-20 alone: what has an id is no amount. */
const isAmount = (row: Wire.Token) => Wire.told(row.value) !== undefined && (row.tokenID ?? "") === ""

/**
 * The transactions that the lists tell, the newest first, each once. Calls of contracts that move nothing are not
 * transactions of the holder; a contract that shows the native coin as a token tells nothing new.
 */
export const join = (lists: Lists, mirrors: ReadonlyArray<string> = []): ReadonlyArray<Joined> => {
  type Draft = { own?: Wire.Own; internals: Array<Wire.Internal>; tokens: Array<Wire.Token> }
  const drafts = new Map<string, Draft>()
  const draft = (hash: string) => {
    const known = drafts.get(hash)
    if (known !== undefined) return known
    const made: Draft = { internals: [], tokens: [] }
    drafts.set(hash, made)
    return made
  }
  for (const row of lists.txlist) {
    const one = draft(Wire.hashOf(row))
    // Listed while it waits and again when it is done: the latter is newer.
    if (one.own === undefined || Wire.blockOf(one.own) === undefined) one.own = row
  }
  for (const row of onceEach(lists.txlistinternal, ({ index, traceId }) => traceId || index))
    if (moves(row)) draft(Wire.hashOf(row)).internals.push(row)
  for (const row of onceEach(lists.tokentx, ({ logIndex }) => logIndex))
    if (isAmount(row) && !mirrors.includes(row.contractAddress.toLowerCase())) draft(Wire.hashOf(row)).tokens.push(row)
  return [...drafts]
    .map(([hash, { internals, own, tokens }]) => finished(hash, own, internals, tokens))
    .sort(newestFirst)
}

/** Rows of one place in a transaction that say the same are one; without a place they cannot be told apart, and stay. */
const onceEach = <A extends Wire.Internal | Wire.Token>(
  rows: ReadonlyArray<A>,
  place: (row: A) => string | null | undefined
): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const at = place(row)
    if (!at) return true
    const key = [Wire.hashOf(row), at, row.from, row.to, row.value, row.contractAddress].join(" ")
    return seen.size < seen.add(key).size
  })
}

const finished = (
  hash: string,
  own: Wire.Own | undefined,
  internals: ReadonlyArray<Wire.Internal>,
  tokens: ReadonlyArray<Wire.Token>
): Joined => {
  const rows = [...(own === undefined ? [] : [own]), ...tokens, ...internals]
  const time = rows.map(({ timeStamp }) => Wire.told(timeStamp)).find((one) => one !== undefined)
  const index = rows.map((row) => Wire.told(row.transactionIndex)).find((one) => one !== undefined)
  const block = rows.map(Wire.blockOf).find((one) => one !== undefined)
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
