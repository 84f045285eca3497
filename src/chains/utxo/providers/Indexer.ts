import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import type { Seconds } from "../../../domain/units.ts"
import * as declare from "../../../settings/declare.ts"
import type * as Budget from "../../../upstream/budget/Budget.ts"
import type { ProviderCalls } from "../../../upstream/ProviderCalls.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { type HeadCheck, requireCurrent } from "../../kit/status/currentHead.ts"
import * as FeeRates from "../fees/FeeRates.ts"
import type { AddressSummaries, Heads, HistoryPage, PageRequest, StatusSource, UtxoProvider } from "../Provider.ts"
import * as Relay from "../rawTransactions/Relay.ts"
import type { UtxoTransaction } from "../toTransaction.ts"
import * as Unspent from "../Unspent.ts"
import * as UtxoAddress from "../UtxoAddress.ts"
import type { IndexerRequest } from "./reading.ts"

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
  readonly calls: ProviderCalls
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
      calls: kind.calls,
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
    const unspentOf = (unspent: Unspent.UnspentKind) => (address: string, heads: Heads) =>
      upstream.over((endpoint) => Unspent.read(unspent, endpoint, facts, address, heads))
    const { statuses } = kind
    const isUnreliable = kind.history.ownInstancesOnly === true && urls === publicUrls
    const source: UtxoProvider = {
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

export const isAddress = ({ kind }: UtxoAddress.Payee): boolean => kind !== "extended"
