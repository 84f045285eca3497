import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { notListed } from "../../../../domain/history/Gap.ts"
import { numberOf } from "../../../../domain/units.ts"
import type * as Call from "../../../../upstream/Call.ts"
import type { ListedRow } from "../../../../upstream/response/rows.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { type Group, join, type List, type Page, type Row } from "../../../kit/history/mergePaged.ts"
import { inRange, requestedTimes } from "../../history.ts"
import type { TonProvider } from "../../Provider.ts"
import { toTransaction } from "../../toTransaction.ts"
import * as calls from "./calls.ts"
import { Hash, type JettonTransfer, type ToncenterTransaction } from "./listRows.ts"
import { declaredIn } from "./metadata.ts"

/** The key is the trace (all messages that follow from an external message); its id is its first transaction's hash. */
export type ToncenterRow = Required<Row> &
  (
    | { readonly transaction: ToncenterTransaction }
    /** With the decimals that the jetton declares, if they came with the transfer. */
    | { readonly transfer: JettonTransfer; readonly decimals: number | undefined }
  )

/** The trace of a row that cannot be read otherwise. */
const traced = Schema.decodeUnknownOption(Schema.Struct({ trace_id: Hash }))

interface Range {
  readonly offset: number
  readonly limit: number
}

/** Counts and skips unreadable rows; a page with only unreadable rows is an error. */
const page = <A>(
  data: ReadonlyArray<ListedRow<A>>,
  { limit, offset }: Range,
  rowOf: (row: A) => ToncenterRow | undefined
): Either.Either<Page<ToncenterRow>, Fault> => {
  const read = data.map(({ row }) => Option.flatMapNullable(row, rowOf))
  const rows = Arr.getSomes(read)
  return rows.length === 0 && data.length > 0
    ? Either.left({ reason: "bad_answer", detail: "returned transactions in an unexpected format" })
    : Either.right({
        rows,
        oldest: rows.at(-1)?.at,
        // A page with a repeated row is longer.
        next: data.length < limit ? undefined : String(offset + limit),
        unreadable: data.length - rows.length,
        incomplete: data.flatMap(({ raw }, index) =>
          read[index] !== undefined && Option.isSome(read[index])
            ? []
            : Option.toArray(Option.map(traced(raw), ({ trace_id }) => trace_id))
        )
      })
}

/** Transactions of an account; transactions of other accounts count as unreadable. */
const transactionsOf =
  (account: string) =>
  ({ transactions }: typeof calls.transactions.response.Type, range: Range) =>
    page(transactions, range, (transaction): ToncenterRow | undefined =>
      transaction.account === account
        ? {
            key: transaction.trace_id,
            id: transaction.hash,
            at: transaction.now,
            order: numberOf(transaction.lt),
            transaction
          }
        : undefined
    )

/** Transfers from or to an owner; transfers between other owners count as unreadable. */
const transfersOf =
  (owner: string) =>
  ({ jetton_transfers, metadata }: typeof calls.jettonTransfers.response.Type, range: Range) => {
    const ofTransfer = withDecimals(metadata)
    return page(jetton_transfers, range, (transfer) =>
      transfer.source === owner || transfer.destination === owner ? ofTransfer(transfer) : undefined
    )
  }

/** Burns by an owner, as transfers without a recipient; burns by other owners count as unreadable. */
const burnsOf =
  (account: string) =>
  ({ jetton_burns, metadata }: typeof calls.jettonBurns.response.Type, range: Range) => {
    const ofTransfer = withDecimals(metadata)
    return page(jetton_burns, range, ({ jetton_wallet, owner, ...burn }) =>
      owner === account
        ? ofTransfer({
            ...burn,
            source: owner,
            source_wallet: jetton_wallet,
            destination: null,
            forward_ton_amount: 0n
          })
        : undefined
    )
  }

const withDecimals = (metadata: unknown) => {
  const declared = declaredIn(metadata)
  return (transfer: JettonTransfer): ToncenterRow => ({
    key: transfer.trace_id,
    id: transfer.transaction_hash,
    at: transfer.transaction_now,
    order: numberOf(transfer.transaction_lt),
    transfer,
    decimals: declared.get(transfer.jetton_master ?? "")
  })
}

/** The decimals that came with the transfers of these rows, by master. */
const decimalsIn = (rows: ReadonlyArray<ToncenterRow>): ReadonlyMap<string, number> =>
  new Map(
    rows.flatMap((row) =>
      "transfer" in row && row.decimals !== undefined && row.transfer.jetton_master !== null
        ? [[row.transfer.jetton_master, row.decimals] as const]
        : []
    )
  )

const main = "transactions"
const unlisted = notListed("minted jettons and NFT transfers: toncenter does not list them")

/** Reads the transactions of an account from its three lists: a transaction is a trace, with rows in any of them. */
export const accountHistory =
  (name: string, read: Call.ConvertingReader): TonProvider["history"] =>
  (query, within) => {
    const { address, limit } = query
    const { end, merge, start } = requestedTimes(query)
    /** A paged list. Pages have two rows per requested transaction: most traces have no more in any list. */
    const listed = <A, I>(
      name: string,
      call: Call.Call<string, calls.AccountPage, undefined, A, I>,
      rowsIn: (found: A, range: Range) => Either.Either<Page<ToncenterRow>, Fault>
    ): List<ToncenterRow> => ({
      name,
      page: (next) => {
        const range = { offset: Number(next ?? 0), limit: Math.min(calls.rowsPerPage, 2 * limit + 10) }
        return read(call, { account: address, start, end, ...range }, (found) => rowsIn(found, range))
      }
    })
    const lists = [
      listed(main, calls.transactions, transactionsOf(address)),
      listed("jetton transfers", calls.jettonTransfers, transfersOf(address)),
      listed("jetton burns", calls.jettonBurns, burnsOf(address))
    ]
    const hasFirstRow = ({ key, rows }: Group<ToncenterRow>) =>
      rows.some((row) => "transaction" in row && row.transaction.hash === key)
    return Effect.map(join(lists, { ...merge, limit, within, hasFirstRow }), ({ failures, gaps, groups, more }) => {
      const isComplete = !failures.has(main)
      const transactions = groups.map(toTransaction(address, isComplete))
      const shown = inRange(transactions, more, query)
      // A block is known once the masterchain has it.
      const provisional = groups.some(({ rows }) =>
        rows.some((row) => "transaction" in row && !row.transaction.mc_block_seqno)
      )
      return {
        part: { ...shown, gaps: [...gaps, unlisted], provisional, sources: [name] },
        isComplete,
        decimals: decimalsIn(groups.flatMap(({ rows }) => rows))
      }
    })
  }
