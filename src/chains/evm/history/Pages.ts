import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as ExplorerLists from "./ExplorerLists.ts"
import type { Explorer } from "./Explorers.ts"
import * as ExplorerWire from "./ExplorerWire.ts"
import * as InTurn from "./InTurn.ts"

/** A page, who told it, what it lacks, and what it has that no list of transactions can show. */
export interface PagedRows<K extends ExplorerWire.Kind> extends ExplorerLists.ExplorerPage<K> {
  readonly source: string
  readonly lacks: ReadonlyArray<string>
  readonly unavailable: ReadonlyArray<string>
}

const genesis = "coins of the first block, which no transaction brought"

/** Explorers tell no more of one range than this. */
const window = 10_000

const names: Readonly<Record<ExplorerWire.Kind, string>> = {
  txlist: "transactions",
  txlistinternal: "internal transfers",
  tokentx: "token transfers"
}

export const nameOf = (kind: ExplorerWire.Kind) => names[kind]

/** The price is needed for receipts of old that name none; without the gas it makes no fee. */
const withoutFee = <A extends object>(row: A): A => ({ ...row, gasUsed: null })

/** Asks the explorers of one network for pages, the next one where one fails. */
export const make = (explorers: ReadonlyArray<Explorer>) => {
  const inTurn = InTurn.make()

  const from = <K extends ExplorerWire.Kind>(
    explorer: Explorer,
    kind: K,
    address: string,
    size: number,
    next: ExplorerLists.Cursor
  ) =>
    Effect.gen(function* () {
      const { upstream } = explorer
      if (next.page * size > window)
        return yield* upstream.fault({
          reason: "bad_answer",
          detail: "has more entries in one block than can be requested"
        })
      const query = {
        module: "account",
        action: kind,
        address,
        page: String(next.page),
        offset: String(size),
        sort: "desc",
        ...(next.end === undefined ? {} : { startblock: "0", endblock: String(next.end) })
      }
      const { result, status } = yield* upstream.read(explorer.request(query), ExplorerWire.ExplorerResponse)
      const all = result ?? []
      const read = Arr.filterMap(all, ExplorerWire.readers[kind])
      const rows = read.filter((row) => ExplorerWire.isTransaction(row) && ExplorerWire.concerns(address)(row))
      const given = read.filter(ExplorerWire.isGenesis).length
      const odd = all.length - rows.length - given
      if ((odd > 0 && rows.length === 0) || !ExplorerLists.isInOrder(rows, next))
        return yield* upstream.fault({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
      const lacks = [
        ...(odd > 0 ? [`${names[kind]}: ${explorer.name}: ${odd} that could not be read`] : []),
        ...(status === "2" ? [`${names[kind]}: ${explorer.name}: not all of them are processed yet`] : [])
      ]
      return {
        rows: explorer.exactFees ? rows : rows.map(withoutFee),
        full: all.length >= size,
        source: explorer.name,
        lacks,
        unavailable: given > 0 ? [genesis] : []
      } satisfies PagedRows<K> as PagedRows<K>
    })

  return <K extends ExplorerWire.Kind>(kind: K, address: string, size: number, next: ExplorerLists.Cursor) =>
    inTurn(explorers, (explorer) => from(explorer, kind, address, size, next))
}
