import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { each } from "../../../kernel/each.ts"
import type { Explorer } from "./Explorers.ts"
import * as ExplorerWire from "./ExplorerWire.ts"
import * as FirstExplorer from "./FirstExplorer.ts"

/** The position of the oldest row of a list. */
interface OldestPosition {
  readonly block: number
  /** UNIX seconds. */
  readonly at: number
}

interface OldestOptions {
  /** Only blocks before this one matter. */
  readonly before: number | undefined
  /** The time of the network's first block, for which explorers have no time. */
  readonly genesis: number | undefined
  /** The explorer's name of the list, if it differs from its kind. */
  readonly action?: string
}

/** Rows per page: two are needed to see that the oldest comes first, and not every row counts. */
const size = 20

/** Maximum pages without a row that counts; a source without paging returns the same page for ever. */
const maxPages = 25

/** Times in seconds are below this; a time above it is in milliseconds. */
const milliseconds = 100_000_000_000

/**
 * Whether a row counts as use of the address: a failed call moved nothing, and any account can make a token transfer
 * zero.
 */
const counts: { readonly [K in ExplorerWire.Kind]: (row: ExplorerWire.ExplorerRows[K]) => boolean } = {
  txlist: () => true,
  txlistinternal: ({ isError }) => isError !== "1",
  tokentx: ({ tokenID, value }) => (tokenID ?? "") !== "" || ExplorerWire.numberIn(value) !== 0n
}

/**
 * Finds the oldest row of an explorer's list that counts and is in a block; `first` is undefined without such a row.
 */
const readOldest = <K extends ExplorerWire.Kind>(
  explorer: Explorer,
  kind: K,
  address: string,
  options: OldestOptions
) =>
  Effect.gen(function* () {
    const { request, upstream } = explorer
    const strange = () =>
      upstream.fault({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
    const range = options.before === undefined ? {} : { startblock: "0", endblock: String(options.before - 1) }
    for (let page = 1; page <= maxPages; page++) {
      const query = {
        module: "account",
        action: options.action ?? kind,
        address,
        page: String(page),
        offset: String(size),
        sort: "asc"
      }
      const { result, status } = yield* upstream.read(request({ ...query, ...range }), ExplorerWire.ExplorerResponse)
      const all = result ?? []
      const rows = Arr.filterMap(all, ExplorerWire.readers[kind])
      // A row that does not fit may be the oldest; a row of another address shows that it is another list.
      if (rows.length < all.length || !rows.every(ExplorerWire.concerns(address))) return yield* strange()
      const mined = rows.flatMap((row) => {
        const block = ExplorerWire.blockOf(row)
        return block === undefined ? [] : [{ row, block }]
      })
      const full = all.length >= size
      if (full && mined.some(({ block }, index) => block < (mined[index - 1]?.block ?? 0))) return yield* strange()
      const [oldest] = mined.filter(({ row }) => counts[kind](row)).sort((a, b) => a.block - b.block)
      const partial = status === "2"
      if (oldest === undefined && !full) return { explorer, partial, first: undefined }
      if (oldest === undefined) continue
      const { block, row } = oldest
      const time = Number(ExplorerWire.numberIn(row.timeStamp) ?? 0n)
      const at = time === 0 && block === 0 ? (options.genesis ?? 0) : time
      if (at <= 0 || at >= milliseconds) return yield* strange()
      return { explorer, partial, first: { block, at } satisfies OldestPosition }
    }
    return yield* upstream.fault({
      reason: "bad_answer",
      detail: "returned too many rows without a transaction of the address"
    })
  })

/**
 * Finds the oldest row on all lists of explorers that name an address. All lists are needed: an address that was only
 * paid by contracts, or in tokens, is not on the list of transactions.
 */
export const make = (genesis: number | undefined) => {
  const firstExplorer = FirstExplorer.make()

  const listed = <K extends ExplorerWire.Kind>(
    among: ReadonlyArray<Explorer>,
    kind: K,
    address: string,
    before: number | undefined
  ) => firstExplorer(among, (explorer) => readOldest(explorer, kind, address, { before, genesis }))

  /** The lists of all kinds of tokens. */
  const tokens = (among: ReadonlyArray<Explorer>, address: string, before: number | undefined) =>
    firstExplorer(among, (explorer) =>
      each(["tokentx", ...(explorer.nfts ?? [])], (action) =>
        readOldest(explorer, "tokentx", address, { before, genesis, action })
      )
    )

  return (among: ReadonlyArray<Explorer>, address: string) =>
    Effect.gen(function* () {
      const own = yield* listed(among, "txlist", address, undefined)
      const before = own.first?.block
      if (before === 0) return { first: own.first, returnsGenesis: true, partial: false }
      const [internal, received] = yield* Effect.all(
        [listed(among, "txlistinternal", address, before), tokens(among, address, before)],
        { concurrency: "unbounded" }
      )
      const all = [own, internal, ...received]
      const [first] = all.flatMap(({ first }) => first ?? []).sort((a, b) => a.block - b.block)
      return { first, returnsGenesis: own.explorer.listsGenesis === true, partial: all.some(({ partial }) => partial) }
    })
}
