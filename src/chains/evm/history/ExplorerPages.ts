import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { collectibles, type Gap, gap, notListed } from "../../../domain/history/Gap.ts"
import type { Seconds } from "../../../domain/units.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { Explorer, Kind } from "../Provider.ts"
import * as ExplorerLists from "./ExplorerLists.ts"
import * as ExplorerRow from "./ExplorerRow.ts"
import * as FirstExplorer from "./FirstExplorer.ts"

/** A page, its source, the rows missing from it, and data that transaction lists never contain. */
interface PagedRows<K extends Kind> extends ExplorerLists.ExplorerPage<K> {
  readonly source: string
  readonly gaps: ReadonlyArray<Gap>
  /** True if an explorer with exact fees failed. */
  readonly provisional: boolean
}

const genesis = "coins allocated in the first block, without a transaction"

/** Reading their two lists would be two more calls for each history. */
const nftsOf = ({ name }: Explorer) => `NFT transfers: ${name} has them on lists that are not read`

/** Maximum rows that explorers return for one range. */
const window = 10_000

export const names: Readonly<Record<Kind, string>> = {
  txlist: "transactions",
  txlistinternal: "internal transfers",
  tokentx: "token transfers"
}

export const whatOf = (kind: Kind) => (kind === "txlist" ? "transactions" : "transfers")

/** Removes the gas, so that the row has no fee. The price remains, because old receipts have none. */
const withoutFee = <A extends object>(row: A): A => ({ ...row, gasUsed: null })

/** Reads pages from the explorers of one network; if one fails, from the next. */
export const pageReader = (explorers: ReadonlyArray<Explorer>, genesisTime: Seconds) => {
  const firstExplorer = FirstExplorer.make()
  const exact = explorers.filter(({ exactFees }) => exactFees)

  const from = <K extends Kind>(
    explorer: Explorer,
    kind: K,
    address: string,
    cursor: ExplorerLists.Cursor,
    namesNfts: boolean
  ) =>
    Effect.gen(function* () {
      const { end, page, size } = cursor
      if (page * size > window)
        return yield* explorer.fault({
          reason: "bad_answer",
          detail: "has more entries in one block than can be requested"
        })
      const { result, status } = yield* explorer.lists[kind]({ address, end, page, size, sort: "desc" })
      const all = result ?? []
      const read = Arr.filterMap(all, ({ row }) => row)
      const rows = read.filter((row) => ExplorerRow.isTransaction(row) && ExplorerRow.concerns(address)(row))
      const given = read.filter(ExplorerRow.isGenesis).length
      const odd = all.length - rows.length - given
      if ((odd > 0 && rows.length === 0) || !ExplorerLists.isInOrder(rows, cursor))
        return yield* explorer.fault({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
      const partial = (text: string) => gap(whatOf(kind), `${names[kind]}: ${explorer.name}: ${text}`)
      return {
        cursor,
        rows: explorer.exactFees ? rows : rows.map(withoutFee),
        provisional: !explorer.exactFees && (yield* firstExplorer.isAnyWilling(exact)),
        full: all.length >= size,
        source: explorer.name,
        gaps: [
          ...(odd > 0 ? [partial(`${odd} could not be read`)] : []),
          ...(status === "2" ? [partial("some are not processed yet")] : []),
          ...(given > 0 ? [notListed(genesis, genesisTime)] : []),
          ...(namesNfts && explorer.nfts !== undefined ? [collectibles(nftsOf(explorer))] : [])
        ]
      } satisfies PagedRows<K> as PagedRows<K>
    })

  /** Requests a page, or a smaller page if it is too large: rows contain all the data of calls. */
  const fitting = <K extends Kind>(
    explorer: Explorer,
    kind: K,
    address: string,
    cursor: ExplorerLists.Cursor,
    namesNfts: boolean
  ): Effect.Effect<PagedRows<K>, UpstreamError> =>
    Effect.catchIf(from(explorer, kind, address, cursor, namesNfts), ResponseDecoder.isTooLarge, (error) => {
      const smaller = ExplorerLists.shrunk(cursor)
      return smaller === undefined ? Effect.fail(error) : fitting(explorer, kind, address, smaller, namesNfts)
    })

  /** With `namesNfts`, the page names the NFTs that its explorer has on other lists. */
  return <K extends Kind>(kind: K, address: string, cursor: ExplorerLists.Cursor, namesNfts: boolean) =>
    firstExplorer.query(explorers, (explorer) => fitting(explorer, kind, address, cursor, namesNfts))
}
