import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import * as Call from "../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { ListedRow } from "../../../upstream/response/rows.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { byKey, contradictory, impossible, isPossible } from "../../kit/holdings/amounts.ts"
import type { AddressSummaries, AddressSummary, HistoryPage } from "../Provider.ts"
import { isBalanced, type UtxoTransaction } from "../toTransaction.ts"
import * as UtxoAddress from "../UtxoAddress.ts"

/** One call: the request, and the decoder of the response. Left is the fault. */
export interface IndexerRequest<A = AddressSummaries> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly decode: ResponseDecoder.Decoder<A>
}

/** A call whose response is decoded in this way. */
export const requesting = <P, A, I, B>(
  call: Call.Call<string, P, unknown, A, I>,
  parameters: P,
  decode: ResponseDecoder.Decoder<B>
): IndexerRequest<B> => ({ request: Call.requestOf(call, parameters), decode })

/**
 * Decodes a response, with all digits of its numbers, to the summary of each address, which may have any spelling. A
 * fault of one row says nothing about the others: it is left out, and fails the response if no row is left.
 */
export const reading =
  <A, I>(
    facts: UtxoFacts,
    addresses: ReadonlyArray<string>,
    schema: Schema.Schema<A, I>,
    /** None for a row that cannot be read. */
    rows: (answer: A) => ReadonlyArray<Option.Option<readonly [address: string, summary: AddressSummary]>>
  ): ResponseDecoder.Decoder<AddressSummaries> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(schema, { exact: true })(answer), (body) => {
      const parse = UtxoAddress.parse(facts)
      const [faults, read] = Arr.separate(
        rows(body).map(
          Option.match({
            onNone: () => Either.left(ResponseDecoder.unreadable),
            onSome: ([spelling, summary]) => {
              const address = Either.getOrUndefined(parse(spelling))
              if (address === undefined || !addresses.includes(address)) return Either.left(foreignAddress)
              if (summary.balance < 0n) return Either.left(negative)
              return isPossible(facts)(summary.balance)
                ? Either.right([address, summary] as const)
                : Either.left(impossible)
            }
          })
        )
      )
      const found = byKey(read)
      const clear = new Map(
        [...found].flatMap(([address, row]) => (row === undefined ? [] : [[address, row] as const]))
      )
      const [fault = found.size > 0 ? contradictory : undefined] = faults
      return clear.size === 0 && fault !== undefined ? Either.left(fault) : Either.right(clear)
    })

interface Lookup<A> {
  /** Whether the indexer reports that it does not have the transaction. */
  readonly isAbsent: (answer: ResponseDecoder.UpstreamResponse) => boolean
  /** Whether the indexer returns a transaction that it has dropped. Absent if it returns none. */
  readonly isDropped?: (answer: A) => boolean
  /** Undefined if the amount of an input is missing. */
  readonly transaction: (answer: A) => UtxoTransaction | undefined
}

/** Decodes a transaction that is looked up by its hash. */
export const lookedUp =
  <A, I>(
    schema: Schema.Schema<A, I>,
    { isAbsent, isDropped = () => false, transaction }: Lookup<A>
  ): ResponseDecoder.Decoder<UtxoTransaction | undefined> =>
  (answer) =>
    isAbsent(answer)
      ? Either.right(undefined)
      : Either.flatMap(ResponseDecoder.fitting(schema, { exact: true })(answer), (body) => {
          if (isDropped(body)) return Either.right(undefined)
          const found = transaction(body)
          if (found === undefined) return badAnswer("returned an input without its amount")
          return isBalanced(found) ? Either.right(found) : badAnswer(notBalanced)
        })

interface TransactionRows<A> {
  /** The rows that fit, as transactions. */
  readonly read: ReadonlyArray<{ readonly row: A; readonly transaction: UtxoTransaction }>
  readonly unread: number
}

/** The transactions in rows: one that cannot be read says nothing about the others. */
export const rowsIn = <A>(
  rows: ReadonlyArray<ListedRow<A>>,
  /** Undefined if the amount of an input is missing. */
  toTransaction: (row: A) => UtxoTransaction | undefined
): TransactionRows<A> => {
  const read = Arr.filterMap(rows, ({ row: found }) =>
    Option.flatMap(found, (row) =>
      Option.map(Option.fromNullable(toTransaction(row)), (transaction) => ({ row, transaction }))
    )
  )
  return { read, unread: rows.length - read.length }
}

interface Paging<A> {
  readonly page: (answer: A) => HistoryPage
  /** The address that the response contains, in any spelling; absent if it contains none. */
  readonly owner?: (answer: A) => string
  /** False if amounts are strings. */
  readonly exact?: boolean
}

/** Decodes a page of a history, without the rows whose amounts cannot be right; fails if it has no others. */
export const paging =
  <A, I>(
    facts: UtxoFacts,
    address: string,
    schema: Schema.Schema<A, I>,
    { exact = true, owner, page }: Paging<A>
  ): ResponseDecoder.Decoder<HistoryPage> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(schema, { exact })(answer), (body) => {
      if (owner !== undefined && Either.getOrUndefined(UtxoAddress.parse(facts)(owner(body))) !== address)
        return Either.left(foreignAddress)
      const read = page(body)
      const transactions = read.transactions.filter(isPlausible(facts))
      const impossible = read.transactions.length - transactions.length
      const unread = read.unread + impossible
      if (unread > 0 && transactions.length === 0) return impossible > 0 ? badAnswer(notBalanced) : unreadableRows
      return Either.right({ ...read, transactions, unread })
    })

const isPlausible =
  (facts: UtxoFacts) =>
  (transaction: UtxoTransaction): boolean => {
    const { inputs, outputs, partial } = transaction
    const amounts = [...inputs, ...outputs].map(({ amount }) => amount)
    return [...amounts, partial?.fee ?? 0n].every(isPossible(facts)) && isBalanced(transaction)
  }

/** Missing part if an indexer does not list all inputs and outputs of a large transaction. */
export const notAllParties = "some parties of transactions with very many inputs or outputs"

const foreignAddress: Fault = { reason: "bad_answer", detail: "returned an address that was not requested" }
const negative: Fault = { reason: "bad_answer", detail: "returned a negative amount" }

const notBalanced = "returned amounts that cannot exist, or do not add up to the fee"

const badAnswer = (detail: string): Either.Either<never, Fault> => Either.left({ reason: "bad_answer", detail })

const unreadableRows = badAnswer("returned transactions in an unexpected format")
