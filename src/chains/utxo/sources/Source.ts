import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import type { HistoryPosition } from "../../../domain/Transaction.ts"
import type { Height, Seconds } from "../../../domain/units.ts"
import * as declare from "../../../settings/declare.ts"
import type * as Budget from "../../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import type * as Sources from "../../../upstream/Sources.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { byKey, contradictory, impossible, isPossible } from "../../kit/holdings/amounts.ts"
import { type HeadCheck, requireCurrent } from "../../kit/status/currentHead.ts"
import * as FeeRates from "../fees/FeeRates.ts"
import * as Relay from "../rawTransactions/Relay.ts"
import type { StatusSource } from "../status.ts"
import { isBalanced, type UtxoTransaction } from "../toTransaction.ts"
import * as Unspent from "../Unspent.ts"
import * as UtxoAddress from "../UtxoAddress.ts"

/** The state of an address at an indexer. */
export interface AddressSummary {
  /** Confirmed and unconfirmed, base units. */
  readonly balance: bigint
  /** The amount received in the mempool; absent if the indexer does not separate it from spending there. */
  readonly unconfirmed?: bigint
  /** The number of its transactions, if the indexer returns it. */
  readonly transactions: number | undefined
  /** The addresses of an extended key, in canonical form; absent if a used one may be missing. */
  readonly derived?: ReadonlySet<string> | undefined
}

/** The response of an indexer, by canonical address; addresses that it omitted are absent. */
export type AddressSummaries = ReadonlyMap<string, AddressSummary>

/** One call: the request, and the decoder of the response. Left is the fault. */
export interface IndexerRequest<A = AddressSummaries> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly decode: ResponseDecoder.Decoder<A>
}

/** The requested part of a history. */
export interface PageRequest {
  /** In canonical form. */
  readonly address: string
  /** The number of transactions wanted over all pages. */
  readonly limit: number
  /** `next` of the previous page. */
  readonly after: string | undefined
  /**
   * The start of the first page: the block of this height, or a higher one if the indexer cannot start there. Absent to
   * start at the newest transactions.
   */
  readonly before?: HistoryPosition<Height> | undefined
}

/** A page of a history, newest first. */
export interface HistoryPage {
  readonly transactions: ReadonlyArray<UtxoTransaction>
  /** The number of rows that cannot be read. */
  readonly unread: number
  /** The cursor of the next page; undefined for the last page. */
  readonly next: string | undefined
  /** Description of transactions that the indexer is known to omit. */
  readonly missing?: string
  /** The indexer's count of the address's transactions; absent if it returns none. */
  readonly stated?: { readonly count: number; readonly withPool: boolean }
}

/** How a kind of indexer returns histories. */
export interface HistoryKind {
  /** Maximum transactions per call. */
  readonly perPage: number
  /** True if public instances are not used for histories, only those of the operator. */
  readonly ownInstancesOnly?: boolean
  /** Whether the transactions of a block may be in a different order than in the chain. */
  readonly unordered?: boolean
  readonly request: (facts: UtxoFacts, pageRequest: PageRequest) => IndexerRequest<HistoryPage>
}

/** How a kind of indexer returns a transaction and the spender of an output; see {@link StatusSource}. */
export interface StatusKind {
  readonly transaction: (hash: string, facts: UtxoFacts) => IndexerRequest<UtxoTransaction | undefined>
  readonly spender?: (output: string) => IndexerRequest<string | undefined>
  readonly spenders?: (transaction: UtxoTransaction) => IndexerRequest<ReadonlyArray<string>>
}

/** A kind of indexer: the properties that all its instances share. */
export interface IndexerKind {
  /** The suffix of upstream names; in capitals, a part of the names of variables. */
  readonly id: string
  readonly title: string
  /** The rate that public instances allow a caller without a key. */
  readonly publicRate: Budget.Rate
  readonly supports: (payee: UtxoAddress.Payee) => boolean
  /** Maximum addresses per call. */
  readonly perCall: number
  /** For fewer addresses than this, it is queried after all others, because it allows too few calls. */
  readonly minAddresses?: number
  /** The addresses are in canonical form. */
  readonly request: (facts: UtxoFacts, addresses: ReadonlyArray<string>) => IndexerRequest
  /** The time of the newest block in the same response; absent if `unspent` reads it. */
  readonly newestIn?: ResponseDecoder.Decoder<Seconds | undefined>
  readonly history: HistoryKind
  /** How unspent outputs are read; absent if it does not list them, or allows too few calls. */
  readonly unspent?: Unspent.UnspentKind
  /** How raw transactions are sent and looked up; absent if it is not used for that. */
  readonly transactions?: Relay.RelayCalls
  /** How the status of a transaction is read; absent if it is not used for that. */
  readonly statuses?: StatusKind
  /** How it estimates fees; absent if it does not. */
  readonly fees?: FeeRates.FeeCalls
}

/** An indexer of a network. */
export interface IndexerSource extends Sources.Source {
  readonly name: string
  readonly supports: (address: string) => boolean
  readonly perCall: number
  readonly minAddresses: number
  /** One call, for at most `perCall` addresses. */
  readonly summaries: (addresses: ReadonlyArray<string>) => Effect.Effect<AddressSummaries, UpstreamError>
  /** Histories; absent if it has none. */
  readonly history?: Required<Pick<HistoryKind, "perPage" | "unordered">> & {
    /** Reads a page in one call. */
    readonly page: (pageRequest: PageRequest) => Effect.Effect<HistoryPage, UpstreamError>
  }
  /** Reads the unspent outputs of an address; absent if it does not list them. */
  readonly unspent?: (address: string, heads: Unspent.Heads) => Effect.Effect<Unspent.UnspentReading, UpstreamError>
  /** An error of this source, for a fault in a response that only the caller can detect. */
  readonly badResponse: (detail: string) => UpstreamError
  /** Absent if it does not accept raw transactions, or has no URL. */
  readonly relay?: Relay.Relay
  /** Its addresses as sources of statuses. */
  readonly statuses: ReadonlyArray<StatusSource>
  /** Absent if it does not estimate fees, or has no URL. */
  readonly fees?: FeeRates.FeeEstimator
}

/** The rate for instances that the operator runs or pays for, unless a setting says otherwise. */
const own: Budget.Rate = { perSecond: 50, burst: 100 }

/**
 * The indexers of a kind for one network: the public ones, unless `<NETWORK>_<KIND>_URLS` sets others. `check` is that of
 * all kinds.
 */
export const make = (kind: IndexerKind, publicUrls: ReadonlyArray<string>) => (facts: UtxoFacts, check: HeadCheck) =>
  Effect.gen(function* () {
    const words = kind.id.toUpperCase().replaceAll("-", "_")
    const urls = yield* declare.urls({
      name: `${variablePrefix(facts.id)}_${words}_URLS`,
      default: publicUrls,
      meaning: `${kind.title} of ${facts.name}`
    })
    const { newestIn = noTime } = kind
    const summaries = (address: Upstream.Endpoint, addresses: ReadonlyArray<string>) => {
      const { decode, request } = kind.request(facts, addresses)
      return Effect.flatMap(
        address.read(request, (answer) => Either.all([decode(answer), newestIn(answer)])),
        ([found, time]) => Effect.as(time === undefined ? Effect.void : requireCurrent(address, facts, time), found)
      )
    }
    const upstream = yield* Upstream.make({
      name: `${facts.id}-${kind.id}`,
      urls,
      size: ResponseSize.rows,
      rate: { source: words, keyless: urls === publicUrls ? kind.publicRate : own },
      canary: (address) =>
        Effect.flatMap(summaries(address, [facts.sampleAddress]), requireHistory(address, facts.sampleAddress))
    })
    const { perPage, unordered = false } = kind.history
    /** Fails if the newest block of an address does not fit the clock; only if it can be read. */
    const isCurrent = (address: Upstream.Endpoint) =>
      kind.unspent === undefined ? Effect.void : check(address, kind.unspent.head(address))
    const page = (pageRequest: PageRequest) => {
      const { decode, request } = kind.history.request(facts, pageRequest)
      const isNewest = pageRequest.after === undefined && pageRequest.before === undefined
      return upstream.over((address) =>
        Effect.zipRight(isNewest ? isCurrent(address) : Effect.void, address.read(request, decode))
      )
    }
    const unspentOf = (unspent: Unspent.UnspentKind) => (address: string, heads: Unspent.Heads) =>
      upstream.over((endpoint) => Unspent.read(unspent, endpoint, facts, address, heads))
    const { statuses } = kind
    const isUnreliable = kind.history.ownInstancesOnly === true && urls === publicUrls
    const source: IndexerSource = {
      name: upstream.name,
      standing: upstream.standing,
      supports: (address) =>
        urls.length > 0 && Option.exists(Either.getRight(UtxoAddress.decode(facts, address)), kind.supports),
      perCall: kind.perCall,
      minAddresses: kind.minAddresses ?? 0,
      summaries: (addresses) =>
        upstream.over((address) => Effect.zipRight(isCurrent(address), summaries(address, addresses))),
      ...(isUnreliable ? {} : { history: { perPage, unordered, page } }),
      statuses:
        statuses === undefined || kind.unspent === undefined || isUnreliable
          ? []
          : upstream.addresses.map(statusSource(facts, upstream.name, statuses, kind.unspent)),
      badResponse: (detail) => upstream.fault({ reason: "bad_answer", detail }),
      ...(kind.unspent === undefined ? {} : { unspent: unspentOf(kind.unspent) }),
      ...(kind.transactions === undefined || urls.length === 0
        ? {}
        : { relay: Relay.make(facts, upstream, kind.transactions) }),
      ...(kind.fees === undefined || urls.length === 0 ? {} : { fees: FeeRates.make(facts, upstream, kind.fees) })
    }
    return source
  })

const noTime = (): Either.Either<Seconds | undefined, Fault> => Either.right(undefined)

const called = <A>(endpoint: Upstream.Endpoint, { decode, request }: IndexerRequest<A>) =>
  endpoint.read(request, decode)

const statusSource =
  (facts: UtxoFacts, name: string, { spender, spenders, transaction }: StatusKind, { head }: Unspent.UnspentKind) =>
  (endpoint: Upstream.Upstream["addresses"][number]): StatusSource => ({
    name,
    host: endpoint.host,
    standing: endpoint.standing,
    fault: endpoint.fault,
    head: Effect.tap(head(endpoint), ({ time }) => requireCurrent(endpoint, facts, time)),
    transaction: (hash) => called(endpoint, transaction(hash, facts)),
    spender: spender && ((output) => called(endpoint, spender(output))),
    spenders: spenders && ((transaction) => called(endpoint, spenders(transaction)))
  })

/** An indexer without the history of the sample address belongs to another network, or is empty. */
const requireHistory = (address: Upstream.Endpoint, sample: string) => (answers: AddressSummaries) =>
  (answers.get(sample)?.transactions ?? 0) > 0
    ? Effect.void
    : Effect.fail(address.fault({ reason: "bad_answer", detail: "returned nothing for an address that has a history" }))

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

/** Reads rows one by one: one that does not fit says nothing about the others. */
export const rowsIn = <A, I>(
  schema: Schema.Schema<A, I>,
  rows: ReadonlyArray<unknown>,
  /** Undefined if the amount of an input is missing. */
  toTransaction: (row: A) => UtxoTransaction | undefined
): TransactionRows<A> => {
  const decode = Schema.decodeUnknownOption(schema)
  const read = Arr.filterMap(rows, (each) =>
    Option.flatMap(decode(each), (row) =>
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

export const isAddress = ({ kind }: UtxoAddress.Payee): boolean => kind !== "extended"
