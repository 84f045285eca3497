import { isDeepStrictEqual } from "node:util"
import { distance, type Height, type Seconds } from "../../../domain/units.ts"
import type { ExplorerRows, Kind } from "../Provider.ts"
import type { Internal, Own, Token } from "../providers/etherscan/calls.ts"
import { unlimited } from "./ExplorerLists.ts"
import * as ExplorerRow from "./ExplorerRow.ts"

/** All rows of one transaction. */
export interface ListedTransaction {
  readonly hash: string
  readonly own: Own | undefined
  /** Value that contracts moved. */
  readonly internals: ReadonlyArray<Internal>
  readonly tokens: ReadonlyArray<Token>
  /** Undefined while it is pending. */
  readonly block: Height | undefined
  readonly index: number
  readonly at: Seconds | undefined
  /**
   * True if its rows are in different blocks or differ at the same position: some are of another transaction, or of a
   * block that was replaced.
   */
  readonly isContradictory: boolean
}

export type Lists = { readonly [K in Kind]: ReadonlyArray<ExplorerRows[K]> }

/**
 * Whether a call moves value: a delegated call only repeats the value of its caller, and the first call of a
 * transaction is the transaction itself.
 */
const movesValue = (row: Internal) =>
  row.isError !== "1" &&
  row.value !== "0" &&
  row.index !== "0" &&
  !["delegatecall", "callcode", "staticcall"].includes((row.callType || row.type || "").toLowerCase())

/** Whether it is a token with an id, an NFT: explorers list these with or without an amount. */
const hasId = ({ tokenID }: Token) => (tokenID ?? "") !== ""

/** NFTs count as pieces of their contract. If that also moved an amount in the transaction, they are a part of it. */
const withNfts = (rows: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const contracts = new Set(rows.flatMap((row) => (hasId(row) ? [] : row.contractAddress.toLowerCase())))
  return rows.flatMap((row) => {
    if (!hasId(row)) return [row]
    if (contracts.has(row.contractAddress.toLowerCase())) return []
    return [ExplorerRow.numberIn(row.value) ? row : { ...row, value: "1" }]
  })
}

/** The bootloader of ZKsync's networks: fees are transfers to it, and it returns the rest. */
const bootloader = "0x0000000000000000000000000000000000008001"

/** Contracts that represent the native coin as a token, by their address in lower case. */
export interface NativeTokens {
  /** Each of its transfers repeats native transfers. */
  readonly repeats: (contract: string) => boolean
  /** A transfer moves the native coin, and repeats a native transfer of equal parties and value, if one is listed. */
  readonly moves: (contract: string) => boolean
}

const movement = ({ from, to, value }: Pick<Own | Token, "from" | "to" | "value">) =>
  `${from.toLowerCase()} ${to?.toLowerCase()} ${value}`

/** The value that transfers of native tokens moved beside these rows, as rows of value that contracts moved. */
const movedAlone = (
  moved: ReadonlyArray<Token>,
  own: Own | undefined,
  internals: ReadonlyArray<Internal>
): ReadonlyArray<Internal> => {
  const listed = [...(own === undefined || own.isError === "1" ? [] : [own]), ...internals].map(movement)
  return moved.flatMap((row) => {
    const { contractAddress: _, value, ...rest } = row
    const isFee = own !== undefined && [row.from, row.to].some((party) => party.toLowerCase() === bootloader)
    if (isFee || !value) return []
    const repeated = listed.indexOf(movement(row))
    if (repeated < 0) return [{ ...rest, value }]
    listed.splice(repeated, 1)
    return []
  })
}

/**
 * Merges the lists into transactions, newest first, each once. Drops contract calls that move nothing, and transfers of
 * tokens that repeat native transfers.
 */
export const mergeLists = (lists: Lists, native?: NativeTokens): ReadonlyArray<ListedTransaction> => {
  type Draft = {
    blocks: Set<Height>
    own?: Own
    internals: Array<Internal>
    tokens: Array<Token>
    moved: Array<Token>
  }
  const drafts = new Map<string, Draft>()
  const draft = (row: Own | Internal | Token) => {
    const hash = ExplorerRow.hashOf(row)
    const made: Draft = drafts.get(hash) ?? { blocks: new Set(), internals: [], tokens: [], moved: [] }
    drafts.set(hash, made)
    const block = ExplorerRow.blockOf(row)
    if (block !== undefined) made.blocks.add(block)
    return made
  }
  const differing = new Set<string>()
  const onceEach = withoutRepeats((row) => differing.add(ExplorerRow.hashOf(row)))
  for (const row of onceEach(lists.txlist, ({ blockNumber }) => blockNumber)) {
    const listed = draft(row)
    // A transaction is listed while pending and again when mined; the mined row is newer.
    if (listed.own === undefined || ExplorerRow.blockOf(listed.own) === undefined) listed.own = row
  }
  for (const row of onceEach(lists.txlistinternal.filter(movesValue), ({ index, traceId }) => traceId || index))
    draft(row).internals.push(row)
  for (const row of onceEach(lists.tokentx, ({ logIndex, tokenID }) => logIndex && [logIndex, tokenID].join(" "))) {
    const contract = row.contractAddress.toLowerCase()
    if (native?.repeats(contract)) continue
    const { moved, tokens } = draft(row)
    if (native?.moves(contract)) moved.push(row)
    else tokens.push(row)
  }
  return [...drafts]
    .map(([hash, { blocks, internals, moved, own, tokens }]) => ({
      ...finished(hash, own, [...internals, ...movedAlone(moved, own, internals)], withNfts(tokens)),
      isContradictory: blocks.size > 1 || differing.has(hash)
    }))
    .sort(newestFirst)
}

type AnyRow = ExplorerRows[Kind]

/**
 * Removes equal rows with the same position in a transaction, and reports those that differ. Rows without a position
 * may be distinct, and stay.
 */
const withoutRepeats =
  (report: (row: AnyRow) => void) =>
  <A extends AnyRow>(rows: ReadonlyArray<A>, place: (row: A) => string | null | undefined): ReadonlyArray<A> => {
    const found = new Map<string, A>()
    return rows.filter((row) => {
      const at = place(row)
      if (!at) return true
      const key = `${ExplorerRow.hashOf(row)} ${at}`
      const before = found.get(key)
      if (before !== undefined && !isDeepStrictEqual(before, row)) report(row)
      found.set(key, row)
      return before === undefined
    })
  }

const finished = (
  hash: string,
  own: Own | undefined,
  internals: ReadonlyArray<Internal>,
  tokens: ReadonlyArray<Token>
): Omit<ListedTransaction, "isContradictory"> => {
  const rows = [...(own === undefined ? [] : [own]), ...tokens, ...internals]
  const at = rows.map(ExplorerRow.timeOf).find((time) => time !== undefined)
  const index = rows.map((row) => ExplorerRow.numberIn(row.transactionIndex)).find((number) => number !== undefined)
  const block = rows.map(ExplorerRow.blockOf).find((height) => height !== undefined)
  return {
    hash,
    own,
    internals,
    tokens,
    block,
    index: Number(index ?? 0n),
    at
  }
}

/** Pending transactions are newer than any transaction with a block. */
const newestFirst = (a: ListedTransaction, b: ListedTransaction) =>
  a.block === b.block ? b.index - a.index : distance(a.block ?? unlimited, b.block ?? unlimited)
