import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { NewestBlock, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { type Gap, isOpen } from "../../domain/history/Gap.ts"
import type { Transaction } from "../../domain/Transaction.ts"
import { now, shift, toSeconds } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { CurrentTally } from "../../kernel/Tally.ts"
import { type TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { NewestBlocks } from "../blocks/NewestBlocks.ts"
import { Pricing } from "../prices/Pricing.ts"
import type { RequestedNetworks } from "../reading.ts"
import { type AnyNetwork, streamEach } from "../reading.ts"
import { coinsOf, type DisplayContext, toEntry, unconfirmedIn } from "./entries.ts"
import { type ExportPart, exportDeadline, exported } from "./export/exported.ts"
import * as HistoryPages from "./HistoryPages.ts"
import { type HistoryRequest, supported } from "./HistoryRequest.ts"
import { historyCounter } from "./historyCounter.ts"
import { multipliersOf } from "./multipliers.ts"
import { type NetworkHistory, pageOf, recipientsWith, toNetworkHistory } from "./NetworkHistory.ts"
import { type Cursors, type CursorTexts, cursorsOf, none, type RefusedCursor } from "./pages/cursorsOf.ts"
import { rangeAfter } from "./pages/selectPage.ts"
import * as Recipients from "./Recipients.ts"

/** The histories of the addresses under one key of a request. */
export interface OfNetwork {
  /** The network as the client wrote it. */
  readonly name: string
  /** Without duplicate addresses, in the order of the request. */
  readonly histories: ReadonlyArray<NetworkHistory>
}

/** The transactions of addresses. */
export class History extends Context.Tag("features/history/History")<
  History,
  {
    /** Parses the cursors of later pages; fails with the refused cursors. */
    readonly cursors: (
      wanted: RequestedNetworks,
      texts: CursorTexts
    ) => Effect.Effect<Cursors, ReadonlyArray<RefusedCursor>>
    /**
     * The newest transactions of each address, or those after its cursor, by supported network in the order of the
     * request. With `unpricedWithin` (ms) it returns within that time, without prices. Cannot fail and ends before the
     * deadline: an address that could not be read has a failure.
     */
    readonly transactions: (
      wanted: RequestedNetworks,
      limit: number,
      cursors?: Cursors,
      unpricedWithin?: number
    ) => Effect.Effect<ReadonlyArray<OfNetwork>>
    /** Same as `transactions`, as a stream of networks, fastest first. */
    readonly stream: (wanted: RequestedNetworks, limit: number, cursors?: Cursors) => Stream.Stream<OfNetwork>
    /**
     * Says that the transactions of an address do not add up to its balance: the next read does not rely on those that
     * are stored.
     */
    readonly doubt: (network: AnyNetwork, text: string) => Effect.Effect<void>
    /** The recipients of an address that are known, and its newest transactions. Cannot fail. */
    readonly sentTo: (network: AnyNetwork, text: string) => Effect.Effect<SentTo>
    /** A transaction that was looked up by its hash as an entry, and the parts that it lacks. Cannot fail. */
    readonly entry: (network: AnyNetwork, transaction: Transaction) => Effect.Effect<EntryOf>
    /** All transactions of each address, read page by page on demand. */
    readonly whole: (wanted: RequestedNetworks) => Stream.Stream<ExportPart>
  }
>() {
  static readonly layer = Layer.scoped(
    History,
    Effect.gen(function* () {
      const networks = yield* Chains
      const blocks = yield* NewestBlocks
      const pricing = yield* Pricing
      const registry = yield* TokenRegistry
      const deadline = Deadline.make(yield* requestDeadline)
      const exportTime = yield* exportDeadline
      const countHistory = historyCounter(networks.facts)
      const { doubt, lastRead, read } = yield* HistoryPages.reader(deadline.share("price"), networks.facts)

      const recipients = yield* Recipients.make

      const lastReadOf = ({ address, network }: HistoryRequest) =>
        Either.isLeft(address) ? 0 : lastRead(network, address.right)

      const readRequest = (count: number, within?: number) =>
        Effect.fnUntraced(function* (request: HistoryRequest) {
          const { address, cursor, network } = request
          if (Either.isLeft(address)) return { ...request, history: undefined, failure: malformed(address.left) }
          const range = cursor === undefined ? { limit: count } : rangeAfter(cursor, count)
          return { ...request, ...(yield* read(network, address.right, range, within)) }
        })

      const histories = Effect.fnUntraced(function* (
        requests: ReadonlyArray<HistoryRequest>,
        count: number,
        unpricedWithin?: number
      ) {
        const { remaining } = yield* deadline.start
        const reading = leastRecentFirst(requests, lastReadOf, readRequest(count, unpricedWithin))
        const known = recipients.read(requests.map(recipientsKey))
        const [reads, sentTo] = yield* Effect.zip(reading, known, { concurrent: true })
        const shown = pagesOf(reads, sentTo, yield* registry.lists, count)
        yield* recipients.write(new Map(shown.map((each) => [recipientsKey(each), each.sentTo.stored])), sentTo)
        const priced = unpricedWithin === undefined ? shown : []
        const coins = new Set(priced.flatMap(({ page, tokens }) => coinsOf(page.transactions, tokens)))
        const left = yield* remaining("write")
        const units = Effect.zip(pricing.prices([...coins], left), multipliersOf(priced, left), { concurrent: true })
        const [[prices, all], heads] = yield* withNewestBlocks(units, blocks, priced, left)
        return toHistories(shown, prices, all, new Map(heads)).map(countHistory(yield* CurrentTally))
      }, span("History.histories"))

      const entry = entryOf({ blocks, deadline, pricing, registry })

      const sentTo = sentToOf(readRequest(recipientsPage), recipients, registry.lists)

      const cursors: History["Type"]["cursors"] = (wanted, texts) =>
        Effect.flatMap(Effect.zip(networks.named(Object.keys(wanted)), now), ([find, clock]) =>
          cursorsOf(find, clock)(wanted, texts)
        )
      const transactions: History["Type"]["transactions"] = Effect.fnUntraced(function* (
        wanted,
        count,
        cursors = none,
        unpricedWithin?: number
      ) {
        const requested = supported(wanted, cursors, yield* networks.named(Object.keys(wanted)))
        const all = yield* histories(
          requested.flatMap(({ requests }) => requests),
          count,
          unpricedWithin
        )
        const byName = Map.groupBy(all, ({ name }) => name)
        return requested.map(({ name }) => ({ name, histories: byName.get(name) ?? [] }))
      }, span("History.transactions"))

      return {
        cursors,
        transactions,
        doubt,
        entry,
        sentTo,
        whole: (wanted) => exported({ cursors, transactions }, wanted, exportTime),
        stream: (wanted, count, cursors = none) =>
          streamEach(
            Effect.map(networks.named(Object.keys(wanted)), (find) => supported(wanted, cursors, find)),
            ({ name, requests }) => Effect.map(histories(requests, count), (read) => ({ name, histories: read }))
          )
      }
    })
  )
}

/** An entry, and the parts that it lacks. */
export interface EntryOf {
  readonly entry: ReturnType<typeof toEntry>
  readonly gaps: ReadonlyArray<Gap>
}

interface EntryParts {
  readonly blocks: Context.Tag.Service<NewestBlocks>
  readonly deadline: ReturnType<typeof Deadline.make>
  readonly pricing: Context.Tag.Service<Pricing>
  readonly registry: Context.Tag.Service<TokenRegistry>
}

const entryOf = ({ blocks, deadline, pricing, registry }: EntryParts) =>
  Effect.fnUntraced(function* (network: AnyNetwork, transaction: Transaction) {
    const tokens = (yield* registry.lists).get(network.facts.platform ?? "")
    const page = { transactions: [transaction], next: null, gaps: [] }
    const left = yield* (yield* deadline.start).remaining("write")
    const coins = coinsOf([transaction], tokens)
    const units = Effect.zip(pricing.prices([...coins], left), multipliersOf([{ network, page, tokens }], left), {
      concurrent: true
    })
    const [[prices, all], [head]] = yield* withNewestBlocks(units, blocks, [{ network, page }], left)
    const { facts: info } = network
    const shown = { info, tokens, prices, multipliers: all.get(info.id) ?? new Map(), newest: head?.[1] }
    return { entry: toEntry(transaction, [], shown), gaps: unconfirmedIn([transaction], tokens) }
  }, span("History.entry"))

/** The recipients of an address that are known. */
export interface SentTo {
  readonly recipients: ReadonlyArray<Recipients.Recipient>
  readonly transactions: ReadonlyArray<Transaction>
  /** Whether these are all recipients that sources list. */
  readonly isWhole: boolean
  readonly failure: ReadFailure | undefined
}

/** Transactions that are read to find recipients: a page of a history. */
const recipientsPage = 50

/** The histories of the pages, with the data that displays them. */
const toHistories = (
  shown: ReturnType<typeof pagesOf<HistoryRequest & HistoryPages.HistoryRead>>,
  prices: DisplayContext["prices"],
  multipliers: ReadonlyMap<string, DisplayContext["multipliers"]>,
  newest: ReadonlyMap<string, NewestBlock | undefined>
) =>
  shown.map(({ page, sentTo, tokens, ...request }) => {
    const { facts: info } = request.network
    const own = multipliers.get(info.id) ?? new Map()
    return toNetworkHistory(request, page, sentTo, {
      info,
      tokens,
      prices,
      multipliers: own,
      newest: newest.get(info.id)
    })
  })

const sentToOf = (
  read: (request: HistoryRequest) => Effect.Effect<HistoryRequest & HistoryPages.HistoryRead>,
  recipients: Effect.Effect.Success<typeof Recipients.make>,
  lists: Context.Tag.Service<TokenRegistry>["lists"]
) =>
  Effect.fnUntraced(function* (network: AnyNetwork, text: string) {
    const own = { name: network.facts.id, text, network, address: network.address(text) }
    const request: HistoryRequest = { ...own, cursor: undefined, cursorText: undefined }
    const key = recipientsKey(request)
    const [result, stored] = yield* Effect.zip(read(request), recipients.read([key]), { concurrent: true })
    const [shown] = pagesOf([result], stored, yield* lists, recipientsPage)
    const { all, stored: next } = shown?.sentTo ?? { all: [], stored: [] }
    yield* recipients.write(new Map([[key, next]]), stored)
    const { failure, history } = result
    return {
      recipients: all,
      transactions: history?.transactions ?? [],
      isWhole: history !== undefined && !history.more && !isOpen(history.gaps),
      failure
    }
  }, span("History.sentTo"))

/** Also reads the newest block of each network with a transaction whose block may still be reverted. */
const withNewestBlocks = Effect.fnUntraced(function* <A>(
  read: Effect.Effect<A>,
  blocks: Context.Tag.Service<NewestBlocks>,
  shown: ReadonlyArray<Pick<HistoryRequest, "network"> & { readonly page: ReturnType<typeof pageOf> }>,
  within: number
) {
  const clock = toSeconds(yield* now)
  const young = shown.flatMap(({ network, page }) => {
    const isYoung = ({ block, timestamp }: Transaction) =>
      block !== undefined && timestamp > shift(clock, -network.facts.finality)
    return page.transactions.some(isYoung) ? network : []
  })
  // Most histories have no such transaction, and need no further fiber.
  if (young.length === 0) return [yield* read, []] as const
  const newest = each([...new Set(young)], (network) =>
    Effect.map(blocks.newest(network, within), (block) => [network.facts.id, block] as const)
  )
  return yield* Effect.all([read, newest], { concurrency: 2 })
})

/** The page of each read, with its token list and the recipients of its address. */
const pagesOf = <A extends HistoryRequest & HistoryPages.HistoryRead>(
  reads: ReadonlyArray<A>,
  sentTo: Recipients.ByKey,
  lists: ReadonlyMap<string, TokenList>,
  count: number
) =>
  reads.map((each) => {
    const tokens = lists.get(each.network.facts.platform ?? "")
    const before = sentTo.get(recipientsKey(each)) ?? []
    return { ...each, tokens, page: pageOf(each, count), sentTo: recipientsWith(each, before, tokens) }
  })

/** Reads the least recently read address first; the results are in the order of the requests. */
const leastRecentFirst = <A>(
  requests: ReadonlyArray<HistoryRequest>,
  lastRead: (request: HistoryRequest) => number,
  read: (request: HistoryRequest) => Effect.Effect<A>
): Effect.Effect<ReadonlyArray<A>> => {
  const queue = requests.map((request, index) => ({ request, index, at: lastRead(request) }))
  return Effect.map(
    each(
      queue.sort((a, b) => a.at - b.at || a.index - b.index),
      ({ index, request }) => Effect.map(read(request), (result) => ({ index, result }))
    ),
    (results) => results.sort((a, b) => a.index - b.index).map(({ result }) => result)
  )
}

const recipientsKey = ({ address, network }: HistoryRequest) => HistoryPages.keyOf(network, Either.merge(address))

const malformed = (message: string): ReadFailure => ({ reason: "invalid_address", message })
