import * as Effect from "effect/Effect"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import { type Group, join, type List, type Page } from "../../mergePaged.ts"
import { asWanted, type Client, traceSeconds } from "../Client.ts"
import { toTransaction } from "../history.ts"
import * as TonAddress from "../TonAddress.ts"
import { get, rowsPerPage } from "./requests.ts"
import * as ToncenterHistory from "./ToncenterHistory.ts"

const main = "transactions"
const unlisted = "minted jettons and NFT transfers: toncenter does not list them"

/** A list about an address. Most traces have no more than two rows in either list. */
const listed = (
  upstream: Upstream,
  name: string,
  limit: number,
  path: string,
  parameters: ReadonlyArray<readonly [string, string]>,
  interpret: (range: ToncenterHistory.Range) => ResponseDecoder.Decoder<Page<ToncenterHistory.ToncenterRow>>
): List<ToncenterHistory.ToncenterRow> => ({
  name,
  page: (next) => {
    const range = { offset: Number(next ?? 0), limit: Math.min(rowsPerPage, 2 * limit + 10) }
    const paged = [...parameters, ["limit", String(range.limit)], ["offset", String(range.offset)]] as const
    const request = get(path, [...paged, ["sort", "desc"]])
    return upstream.over((address) => address.read(request, interpret(range)))
  }
})

/** The transactions of an account, of its three lists: a transaction is a trace, whose rows may be in each. */
export const accountHistory =
  (upstream: Upstream): Client["history"] =>
  ({ address, before, limit, since }, within) => {
    // A trace that began earlier is recognised by its first transaction.
    const start = since === undefined ? [] : [["start_utime", String(since - traceSeconds)] as const]
    const end = before === undefined ? [] : [["end_utime", String(before.height + traceSeconds)] as const]
    const range = [...start, ...end]
    const account = TonAddress.friendly(address)
    const lists = [
      listed(upstream, main, limit, "transactions", [["account", account], ...range], (page) =>
        ToncenterHistory.transactions(address, page)
      ),
      listed(upstream, "jetton transfers", limit, "jetton/transfers", [["owner_address", account], ...range], (page) =>
        ToncenterHistory.jettonTransfers(address, page)
      ),
      listed(upstream, "jetton burns", limit, "jetton/burns", [["owner_address", account], ...range], (page) =>
        ToncenterHistory.jettonBurns(address, page)
      )
    ]
    const begun = ({ key, rows }: Group<ToncenterHistory.ToncenterRow>) =>
      rows.some((row) => "transaction" in row && row.transaction.hash === key)
    return Effect.map(
      join(lists, { limit, within, spread: traceSeconds, begun }),
      ({ failures, groups, missing, more }) => {
        const isComplete = !failures.has(main)
        const transactions = groups.map(toTransaction(address, isComplete))
        const shown = asWanted(transactions, more, since)
        return { part: { ...shown, missing, unavailable: [unlisted], sources: [upstream.name] }, isComplete }
      }
    )
  }
