import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Chain, Unread } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { type Movement, newestFirst, type Transaction } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import { Pricing } from "../prices/Pricing.ts"
import { pricesWithin } from "../prices/pricesWithin.ts"
import { coinsOf, type Surroundings } from "./entries.ts"
import { type ExportPart, exportDeadline, exported } from "./export/exported.ts"
import * as HistoryReader from "./HistoryReader.ts"
import { type Label, labelling } from "./labels.ts"
import { type Cursors, cursorsOf, none } from "./pages/cursorsOf.ts"
import * as PageCursor from "./pages/PageCursor.ts"
import { rangeAfter, selectPage } from "./pages/selectPage.ts"

/** Addresses by network id or alias, as a request has them. */
export type NetworkRequests = Readonly<Record<string, ReadonlyArray<string>>>

/** The history of one address of a request. */
export interface NetworkHistory {
  /** Network and address as the client wrote them. */
  readonly name: string
  readonly text: string
  /** Newest first, each with its labels. */
  readonly transactions: ReadonlyArray<readonly [Transaction, ReadonlyArray<Label>]>
  /**
   * The cursor of the page with what is older; null at the end of what can be read. Where the page could not be read it is
   * that of the page itself, to try again.
   */
  readonly next: string | null
  readonly surroundings: Surroundings
  readonly sources: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  /** Why nothing, or nothing new, could be read. */
  readonly failure: Unread | undefined
}

/** The histories of the addresses under one key of a request. */
export interface OfNetwork {
  /** The network as the client wrote it. */
  readonly name: string
  /** Each address once, in the order of the request; none where the request names none. */
  readonly histories: ReadonlyArray<NetworkHistory>
}

/** The transactions of addresses. */
export class History extends Context.Tag("features/history/History")<
  History,
  {
    /** The cursors of later pages; left are those that are refused. */
    readonly cursors: ReturnType<typeof cursorsOf>
    /**
     * The newest transactions of each address, or those after its cursor, by the supported networks of the request and in its order. Cannot fail and
     * ends before the deadline: an address that could not be read has a failure.
     */
    readonly transactions: (
      wanted: NetworkRequests,
      limit: number,
      cursors?: Cursors
    ) => Effect.Effect<ReadonlyArray<OfNetwork>>
    /** The same, network by network, the fastest first. */
    readonly stream: (wanted: NetworkRequests, limit: number, cursors?: Cursors) => Stream.Stream<OfNetwork>
    /** All transactions of each address, page by page as they are consumed. */
    readonly whole: (wanted: NetworkRequests) => Stream.Stream<ExportPart>
  }
>() {
  static readonly layer = Layer.scoped(
    History,
    Effect.gen(function* () {
      const networks = yield* Chains
      const pricing = yield* Pricing
      const registry = yield* TokenRegistry
      const deadline = Deadline.make(yield* requestDeadline)
      const exportTime = yield* exportDeadline
      const { lastRead, read } = yield* HistoryReader.make(deadline.share("price"))

      const lastReadOf = ({ address, network }: HistoryRequest) =>
        Either.isLeft(address) ? 0 : lastRead(network, address.right)

      const readRequest = Effect.fnUntraced(function* (request: HistoryRequest, count: number) {
        const { address, cursor, network } = request
        if (Either.isLeft(address)) return { ...request, history: undefined, failure: malformed(address.left) }
        const range = cursor === undefined ? { limit: count } : rangeAfter(cursor, count)
        return { ...request, ...(yield* read(network, address.right, range)) }
      })

      const histories = Effect.fnUntraced(function* (requests: ReadonlyArray<HistoryRequest>, count: number) {
        const { remaining } = yield* deadline.start
        const queue = requests
          .map((each, index) => ({ each, index, at: lastReadOf(each) }))
          .sort((a, b) => a.at - b.at || a.index - b.index)
        const results = yield* each(queue, ({ each, index }) =>
          Effect.map(readRequest(each, count), (result) => ({ ...result, index }))
        )
        const reads = results.sort((a, b) => a.index - b.index)
        const lists = yield* registry.lists
        const shown = reads.map((each) => ({
          ...each,
          tokens: lists.get(each.network.facts.platform ?? ""),
          all: each.history?.transactions ?? [],
          page: pageOf(each, count)
        }))
        const coins = new Set(shown.flatMap(({ page, tokens }) => coinsOf(page.transactions, tokens)))
        const found = yield* pricesWithin(pricing, [...coins], yield* remaining("write"))
        return shown.map(({ address, all, failure, history, name, network, page, text, tokens }): NetworkHistory => {
          const isHolder = recognising(network, address, text)
          const label = labelling(
            all,
            isHolder,
            tokens === undefined ? undefined : (token) => tokens.byAddress.has(token)
          )
          return {
            name,
            text,
            transactions: page.transactions.map((transaction) => [
              spelled(transaction, isHolder, text),
              label(transaction)
            ]),
            next: page.next,
            surroundings: { info: network.facts, tokens, prices: found },
            sources: history?.sources ?? [],
            missing: [...(history?.missing ?? [failure?.message ?? ""]), ...page.missing],
            failure
          }
        })
      }, span("History.histories"))

      const cursors = cursorsOf(networks.find)
      const transactions: History["Type"]["transactions"] = Effect.fnUntraced(function* (
        wanted,
        count,
        cursors = none
      ) {
        const requested = supported(wanted, cursors, networks.find)
        const all = yield* histories(
          requested.flatMap(({ requests }) => requests),
          count
        )
        const byName = Map.groupBy(all, ({ name }) => name)
        return requested.map(({ name }) => ({ name, histories: byName.get(name) ?? [] }))
      }, span("History.transactions"))

      return {
        cursors,
        transactions,
        whole: (wanted) => exported({ cursors, transactions }, wanted, exportTime),
        stream: (wanted, count, cursors = none) =>
          Stream.fromIterable(supported(wanted, cursors, networks.find)).pipe(
            Stream.mapEffect(
              ({ name, requests }) => Effect.map(histories(requests, count), (read) => ({ name, histories: read })),
              { concurrency: "unbounded", unordered: true }
            )
          )
      }
    })
  )
}

interface HistoryRequest {
  readonly name: string
  readonly text: string
  readonly network: Context.Tag.Service<Chain>
  readonly address: Either.Either<string, string>
  /** Undefined for the first page. */
  readonly cursor: PageCursor.PageCursor | undefined
  readonly cursorText: string | undefined
}

/** What is shown of a history that was read, the newest first, and how to go on. */
const pageOf = (
  { address, cursor, cursorText, failure, history, network }: HistoryRequest & HistoryReader.HistoryRead,
  count: number
) => {
  if (history === undefined || Either.isLeft(address))
    return { transactions: [], next: failure === undefined ? null : (cursorText ?? null), missing: [] }
  const { missing, next, transactions } = selectPage(history, cursor, count, network.heights)
  const owner = { network: network.facts.id, address: address.right }
  return {
    transactions: [...transactions].sort(newestFirst),
    next: next === undefined ? null : PageCursor.toText(owner, next),
    missing
  }
}

/** Each spelling once. Networks that are not supported are skipped, those without addresses are not. */
const supported = (wanted: NetworkRequests, cursors: Cursors, find: (typeof Chains.Service)["find"]) =>
  Object.entries(wanted).flatMap(([name, texts]) =>
    Option.match(find(name), {
      onNone: () => [],
      onSome: (network) => {
        const requests = [...new Set(texts)].map(
          (text): HistoryRequest => ({
            name,
            text,
            network,
            address: network.address(text),
            cursor: cursors.of(name, text),
            cursorText: cursors.textOf(name, text)
          })
        )
        return [{ name, requests }]
      }
    })
  )

/** The holder is written among the parties as the client wrote it, the others as the network returns them. */
const spelled = (transaction: Transaction, isHolder: (party: string) => boolean, text: string): Transaction => {
  const own = (item: Movement): Movement => (isHolder(item.address) ? { ...item, address: text } : item)
  return { ...transaction, from: transaction.from.map(own), to: transaction.to.map(own) }
}

/** Whether a party is the holder, in any spelling that the network returns; each party is parsed once. */
const recognising = ({ address }: HistoryRequest["network"], holder: HistoryRequest["address"], text: string) => {
  const results = new Map<string, boolean>()
  return (party: string): boolean => {
    const existing = results.get(party)
    if (existing !== undefined) return existing
    const is =
      party === text || Option.exists(Either.getRight(holder), (own) => Either.getOrNull(address(party)) === own)
    results.set(party, is)
    return is
  }
}

const malformed = (message: string): Unread => ({ reason: "invalid_address", message })
