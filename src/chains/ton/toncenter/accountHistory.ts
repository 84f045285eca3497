import * as Effect from "effect/Effect"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import { type Group, join, type List, type Page } from "../../mergePaged.ts"
import { asWanted, type Client, traceSeconds } from "../Client.ts"
import { toTransaction } from "../history.ts"
import { excesses, jettonNotification, jettonTransfer } from "../operations.ts"
import * as TonAddress from "../TonAddress.ts"
import { get, rowsPerPage } from "./requests.ts"
import type { ToncenterMessage, ToncenterRow } from "./ToncenterHistory.ts"
import * as ToncenterHistory from "./ToncenterHistory.ts"

// Older versions of TON Center do not return the trace of a row. It is then derived from the messages of the holder's
// own transactions: a message that comes back, and the messages that a jetton wallet sends back.

const hashOf = (row: ToncenterRow) => ("transaction" in row ? row.transaction.hash : row.transfer.transaction_hash)

const isTraced = (row: ToncenterRow) => ("transaction" in row ? row.transaction : row.transfer).trace_id != null

interface TracedMessage {
  readonly row: ToncenterRow
  readonly message: ToncenterMessage
}

/** Puts rows without a trace under the key of the transaction that they follow from. */
const linked =
  (holder: string) =>
  (rows: ReadonlyArray<ToncenterRow>): ReadonlyArray<ToncenterRow> => {
    if (rows.every(isTraced)) return rows
    const parents = parentsOf(holder, [...new Map(rows.map((row) => [hashOf(row), row])).values()])
    const keyOf = (row: ToncenterRow): string => {
      const parent = parents.get(hashOf(row))
      return parent === undefined ? row.key : keyOf(parent)
    }
    return rows.map((row) => ({ ...row, key: keyOf(row) }))
  }

/** By the hash of a row, the older row that it follows from. */
const parentsOf = (holder: string, rows: ReadonlyArray<ToncenterRow>): ReadonlyMap<string, ToncenterRow> => {
  const newestFirst = rows.toSorted((a, b) => b.order - a.order)
  const sent = newestFirst.flatMap(
    (row): ReadonlyArray<TracedMessage> =>
      "transaction" in row ? row.transaction.out_msgs.map((message) => ({ row, message })) : []
  )
  const arrivals = newestFirst.filter(
    (row) =>
      "transfer" in row &&
      row.transfer.destination === holder &&
      row.transfer.forward_ton_amount > 0n &&
      !row.transfer.transaction_aborted
  )
  const wallets = new Set(
    rows.flatMap((row) => ("transfer" in row && row.transfer.source === holder ? [row.transfer.source_wallet] : []))
  )
  const isGas = ({ destination, opcode }: ToncenterMessage) => opcode === jettonTransfer || wallets.has(destination)
  const [transferred, answered, noticed] = [claims<TracedMessage>(), claims<TracedMessage>(), claims<ToncenterRow>()]

  const parent = (child: ToncenterRow): ToncenterRow | undefined => {
    const before = (row: ToncenterRow) => row.order < child.order && child.at - row.at <= traceSeconds
    if ("transfer" in child) {
      const { source, source_wallet } = child.transfer
      if (source !== holder) return undefined
      return transferred(sent.filter(({ message, row }) => before(row) && message.destination === source_wallet))?.row
    }
    const { in_msg: message } = child.transaction
    if (message == null || message.source === null) return undefined
    const earlier = sent.filter(({ row }) => before(row))
    if (message.source === holder)
      return earlier.find((tracedMessage) => message.hash != null && tracedMessage.message.hash === message.hash)?.row
    if (message.bounced === true)
      return answered(
        earlier.filter(
          (traced) => traced.message.destination === message.source && traced.message.value >= message.value
        )
      )?.row
    if (message.opcode === jettonNotification) return noticed(arrivals.filter(before))
    if (message.opcode === excesses) return answered(earlier.filter((traced) => isGas(traced.message)))?.row
    return undefined
  }

  return new Map(
    newestFirst.flatMap((row) => {
      const found = isTraced(row) ? undefined : parent(row)
      return found === undefined ? [] : [[hashOf(row), found] as const]
    })
  )
}

/** Returns the newest candidate that was not returned before. */
const claims = <A>() => {
  const taken = new Set<A>()
  return (candidates: ReadonlyArray<A>): A | undefined => {
    const found = candidates.find((candidate) => !taken.has(candidate))
    if (found !== undefined) taken.add(found)
    return found
  }
}

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
      rows.some(
        (row) => "transaction" in row && row.transaction.hash === key && ToncenterHistory.isBeginning(row.transaction)
      )
    return Effect.map(
      join(lists, { limit, within, spread: traceSeconds, begun, linked: linked(address) }),
      ({ failures, groups, missing, more }) => {
        const isComplete = !failures.has(main)
        const transactions = groups.map(toTransaction(address, isComplete))
        const shown = asWanted(transactions, more, since)
        return { part: { ...shown, missing, unavailable: [unlisted], sources: [upstream.name] }, isComplete }
      }
    )
  }
