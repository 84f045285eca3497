import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Explorer } from "./Explorers.ts"
import * as ExplorerWire from "./ExplorerWire.ts"

/** Where the oldest row of a list stands. */
export interface OldestPosition {
  readonly block: number
  /** UNIX seconds. */
  readonly at: number
}

interface OldestRequest {
  /** Only older blocks than this one matter. */
  readonly before: number | undefined
  /** When the network began: explorers have no time for its first block. */
  readonly genesis: number | undefined
  /** What the explorer calls the list, if not by its kind. */
  readonly action?: string
}

/** More than one row: that the oldest comes first shows only on two, and not every row counts. */
const size = 20

/** Nobody has as many rows in a row that do not count, but a source that knows no pages says the same for ever. */
const mostPages = 25

/** No time of a block in seconds is as large: it would be milliseconds. */
const milliseconds = 100_000_000_000

/** Whether a row is about the address at all: a failed call moved nothing, and anybody can make a token send nothing. */
const counts: { readonly [K in ExplorerWire.Kind]: (row: ExplorerWire.ExplorerRows[K]) => boolean } = {
  txlist: () => true,
  txlistinternal: ({ isError }) => isError !== "1",
  tokentx: ({ tokenID, value }) => (tokenID ?? "") !== "" || ExplorerWire.told(value) !== 0n
}

/** The oldest row of an explorer's list that counts and is in a block; undefined where there is none. */
export const ask = <K extends ExplorerWire.Kind>(explorer: Explorer, kind: K, address: string, asked: OldestRequest) =>
  Effect.gen(function* () {
    const { request, upstream } = explorer
    const strange = upstream.fault({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
    const range = asked.before === undefined ? {} : { startblock: "0", endblock: String(asked.before - 1) }
    for (let page = 1; page <= mostPages; page++) {
      const query = {
        module: "account",
        action: asked.action ?? kind,
        address,
        page: String(page),
        offset: String(size),
        sort: "asc"
      }
      const { result, status } = yield* upstream.read(request({ ...query, ...range }), ExplorerWire.ExplorerResponse)
      const all = result ?? []
      const rows = Arr.filterMap(all, ExplorerWire.readers[kind])
      // A row that is not understood may be the oldest; one of another address shows that the list is not of this one.
      if (rows.length < all.length || !rows.every(ExplorerWire.concerns(address))) return yield* strange
      const mined = rows.flatMap((row) => {
        const block = ExplorerWire.blockOf(row)
        return block === undefined ? [] : [{ row, block }]
      })
      const full = all.length >= size
      if (full && mined.some(({ block }, index) => block < (mined[index - 1]?.block ?? 0))) return yield* strange
      const [oldest] = mined.filter(({ row }) => counts[kind](row)).sort((item, other) => item.block - other.block)
      const partial = status === "2"
      if (oldest === undefined && !full) return { explorer, partial, first: undefined }
      if (oldest === undefined) continue
      const { block, row } = oldest
      const time = Number(ExplorerWire.told(row.timeStamp) ?? 0n)
      const at = time === 0 && block === 0 ? (asked.genesis ?? 0) : time
      if (at <= 0 || at >= milliseconds) return yield* strange
      return { explorer, partial, first: { block, at } satisfies OldestPosition }
    }
    return yield* upstream.fault({
      reason: "bad_answer",
      detail: "returned too many rows without a transaction of the address"
    })
  })
