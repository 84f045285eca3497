import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import type { HistoryPosition } from "../../../domain/Transaction.ts"
import * as declare from "../../../settings/declare.ts"
import type * as Budget from "../../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import type * as Sources from "../../../upstream/Sources.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { agreed, impossible, isPossible } from "../../amounts.ts"
import * as FeeRates from "../fees/FeeRates.ts"
import { feeOf, type UtxoTransaction } from "../history.ts"
import * as Relay from "../rawTransactions/Relay.ts"
import * as Unspent from "../Unspent.ts"
import * as UtxoAddress from "../UtxoAddress.ts"

/** The state of an address at an indexer. */
export interface AddressSummary {
  /** Confirmed and unconfirmed, base units. */
  readonly balance: bigint
  /** What waits in the pool to be received; absent where the indexer does not tell it apart from what the pool spends. */
  readonly unconfirmed?: bigint
  /** The number of its transactions, where the indexer returns it. */
  readonly transactions: number | undefined
}

/** The response of an indexer by the address in canonical form; addresses that it left out are not in it. */
export type AddressSummaries = ReadonlyMap<string, AddressSummary>

/** One call: what goes out and how what comes back is read. Left is what is wrong with it. */
export interface IndexerRequest<A = AddressSummaries> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly interpret: ResponseDecoder.Decoder<A>
}

/** The requested part of a history. */
export interface PageRequest {
  /** In canonical form. */
  readonly address: string
  /** So many transactions are wanted, over all pages. */
  readonly limit: number
  /** `next` of the page before this one. */
  readonly after: string | undefined
  /**
   * Where the first page begins: with the block of this height, or above it where the indexer cannot do that. Absent where
   * it begins with the newest transactions.
   */
  readonly before?: HistoryPosition | undefined
}

/** A part of a history, the newest first. */
export interface HistoryPage {
  readonly transactions: ReadonlyArray<UtxoTransaction>
  /** The cursor of the page after this one; undefined where there is none. */
  readonly next: string | undefined
  /** What the indexer is known to leave out, in words for people. */
  readonly missing?: string
  /** The indexer's count of the address's transactions; absent where it returns none. */
  readonly stated?: { readonly count: number; readonly withPool: boolean }
}

/** Histories of a kind of indexer. */
export interface HistoryKind {
  /** Transactions in the response to one call at most. */
  readonly perPage: number
  /** Whether only the operator's own indexers are fit for it. */
  readonly ownRate?: boolean
  /** Whether the transactions of a block may be in another order than in the chain. */
  readonly unordered?: boolean
  readonly request: (facts: UtxoFacts, pageRequest: PageRequest) => IndexerRequest<HistoryPage>
}

/** A kind of indexer: what all indexers of it have in common. */
export interface IndexerKind {
  /** Ends the names of upstreams, and in capitals those of variables. */
  readonly id: string
  readonly title: string
  /** The rate that public instances allow a caller without a key. */
  readonly granted: Budget.Rate
  readonly takes: (payee: UtxoAddress.Payee) => boolean
  /** Addresses in one call at most. */
  readonly perCall: number
  /** For fewer addresses than these it is queried only after the others: its calls are too scarce. */
  readonly from?: number
  /** The addresses are in canonical form. */
  readonly request: (facts: UtxoFacts, addresses: ReadonlyArray<string>) => IndexerRequest
  readonly history: HistoryKind
  /** How its outputs are read; absent where it does not list them, or too rarely. */
  readonly unspent?: Unspent.UnspentKind
  /** How raw transactions are sent through it and looked up; absent where they are not. */
  readonly transactions?: Relay.Calls
  /** How it estimates fees; absent where it does not. */
  readonly fees?: FeeRates.FeeCalls
}

/** An indexer of a network. */
export interface IndexerSource extends Sources.Source {
  readonly name: string
  readonly takes: (address: string) => boolean
  readonly perCall: number
  readonly from: number
  /** One call, for at most `perCall` addresses. */
  readonly ask: (addresses: ReadonlyArray<string>) => Effect.Effect<AddressSummaries, UpstreamError>
  /** Its histories; absent where it has none. */
  readonly history?: Required<Pick<HistoryKind, "perPage" | "unordered">> & {
    /** One call. */
    readonly page: (pageRequest: PageRequest) => Effect.Effect<HistoryPage, UpstreamError>
  }
  /** The outputs of an address that are not spent; absent where it does not list them. */
  readonly unspent?: (
    address: string,
    options: Unspent.ReadOptions
  ) => Effect.Effect<Unspent.UnspentReading, UpstreamError>
  /** An error of it, for a response whose fault only the caller can see. */
  readonly wrong: (detail: string) => UpstreamError
  /** Absent where it takes no raw transactions, or has no address. */
  readonly relay?: Relay.Relay
  /** Absent where it estimates no fees, or has no address. */
  readonly fees?: FeeRates.FeeEstimator
}

/** The rate for instances that the operator runs or pays for, unless a setting says otherwise. */
const own: Budget.Rate = { perSecond: 50, burst: 100 }

/** The indexers of a kind for one network: the public ones, unless `<NETWORK>_<KIND>_URLS` names others. */
export const make = (kind: IndexerKind, publicUrls: ReadonlyArray<string>) => (facts: UtxoFacts) =>
  Effect.gen(function* () {
    const words = kind.id.toUpperCase().replaceAll("-", "_")
    const urls = yield* declare.urls({
      name: `${variablePrefix(facts.id)}_${words}_URLS`,
      default: publicUrls,
      meaning: `${kind.title} of ${facts.name}`
    })
    const ask = (address: Upstream.Endpoint, addresses: ReadonlyArray<string>) => {
      const { interpret, request } = kind.request(facts, addresses)
      return address.read(request, interpret)
    }
    const upstream = yield* Upstream.make({
      name: `${facts.id}-${kind.id}`,
      urls,
      size: ResponseSize.rows,
      rate: { source: words, keyless: urls === publicUrls ? kind.granted : own },
      canary: (address) => Effect.flatMap(ask(address, [facts.sample]), requireHistory(address, facts.sample))
    })
    const { perPage, unordered = false } = kind.history
    const page = (pageRequest: PageRequest) => {
      const { interpret, request } = kind.history.request(facts, pageRequest)
      return upstream.over((address) => address.read(request, interpret))
    }
    const unspentOf = (unspent: Unspent.UnspentKind) => (address: string, options: Unspent.ReadOptions) =>
      upstream.over((endpoint) => Unspent.read(unspent, endpoint, facts, address, options))
    const source: IndexerSource = {
      name: upstream.name,
      standing: upstream.standing,
      takes: (address) =>
        urls.length > 0 && Option.exists(Either.getRight(UtxoAddress.decode(facts, address)), kind.takes),
      perCall: kind.perCall,
      from: kind.from ?? 0,
      ask: (addresses) => upstream.over((address) => ask(address, addresses)),
      ...(kind.history.ownRate === true && urls === publicUrls ? {} : { history: { perPage, unordered, page } }),
      wrong: (detail) => upstream.fault({ reason: "bad_answer", detail }),
      ...(kind.unspent === undefined ? {} : { unspent: unspentOf(kind.unspent) }),
      ...(kind.transactions === undefined || urls.length === 0
        ? {}
        : { relay: Relay.make(facts, upstream, kind.transactions) }),
      ...(kind.fees === undefined || urls.length === 0 ? {} : { fees: FeeRates.make(facts, upstream, kind.fees) })
    }
    return source
  })

/** An indexer without the history of the sample address belongs to another network, or is empty. */
const requireHistory = (address: Upstream.Endpoint, sample: string) => (answers: AddressSummaries) =>
  (answers.get(sample)?.transactions ?? 0) > 0
    ? Effect.void
    : Effect.fail(address.fault({ reason: "bad_answer", detail: "returned nothing for an address that has a history" }))

/** Decodes a response: the JSON of a schema with all digits, then the state of each address, in any spelling. */
export const reading =
  <A, I>(
    facts: UtxoFacts,
    addresses: ReadonlyArray<string>,
    schema: Schema.Schema<A, I>,
    rows: (answer: A) => ReadonlyArray<readonly [address: string, summary: AddressSummary]>
  ): ResponseDecoder.Decoder<AddressSummaries> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(schema, { exact: true })(answer), (body) => {
      const parse = UtxoAddress.parse(facts)
      const found: Array<readonly [string, AddressSummary]> = []
      for (const [spelling, summary] of rows(body)) {
        const address = Either.getOrUndefined(parse(spelling))
        if (address === undefined || !addresses.includes(address))
          return badAnswer("returned an address that was not requested")
        if (summary.balance < 0n) return badAnswer("returned a negative amount")
        if (!isPossible(facts)(summary.balance)) return Either.left(impossible)
        found.push([address, summary])
      }
      return agreed(found)
    })

interface Paging<A> {
  readonly page: (answer: A) => HistoryPage | undefined
  /** The address of the history in the response, in any spelling; absent where it has none. */
  readonly owner?: (answer: A) => string
  /** False where amounts come as texts. */
  readonly exact?: boolean
}

/**
 * Decodes a page of a history: a row that cannot be read fails the page, since without it the history would be silently
 * incomplete.
 */
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
        return badAnswer("returned an address that was not requested")
      const read = page(body)
      if (read === undefined) return badAnswer("returned an input without its amount")
      if (!read.transactions.every(isPlausible(facts))) return Either.left(impossible)
      return read.transactions.some((utxoTransaction) => feeOf(utxoTransaction) < 0n)
        ? badAnswer("returned outputs that exceed the inputs")
        : Either.right(read)
    })

const isPlausible =
  (facts: UtxoFacts) =>
  ({ inputs, outputs, partial }: UtxoTransaction): boolean =>
    [...inputs, ...outputs].every(({ amount }) => isPossible(facts)(amount)) && isPossible(facts)(partial?.fee ?? 0n)

/** What is missing where an indexer does not list all inputs and outputs of a large transaction. */
export const notAllParties = "some parties of transactions with very many inputs or outputs"

const badAnswer = (detail: string): Either.Either<never, Fault> => Either.left({ reason: "bad_answer", detail })

export const isAddress = ({ kind }: UtxoAddress.Payee): boolean => kind !== "extended"
