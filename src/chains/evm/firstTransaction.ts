import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { distance, type Height, height, type Seconds, seconds, shift } from "../../domain/units.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import * as Call from "../../upstream/Call.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { AbilitySources, Chain, FirstTransaction } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import * as ExplorerRow from "./history/ExplorerRow.ts"
import * as FirstExplorer from "./history/FirstExplorer.ts"
import { type Explorer, type Kind, type ListRows, unserved } from "./Provider.ts"
import type { Token } from "./providers/etherscan/calls.ts"
import * as calls from "./providers/node/calls.ts"

/** Maximum time that a request waits for the number, which is only a hint. */
const maxWait = "2 seconds"

/** Reads a number of an address at a block from nodes. Cannot fail: undefined if no node returns it in time. */
const quantities =
  (nodes: Upstream) =>
  (
    call: typeof calls.balance | typeof calls.transactionCount,
    address: string,
    block?: string
  ): Effect.Effect<bigint | undefined> =>
    nodes
      .over((node) =>
        Effect.flatMap(
          node.send(
            HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), {
              jsonrpc: "2.0",
              id: Client.onlyId,
              ...Call.methodOf(call, { address, block })
            }),
            quantity
          ),
          (value) =>
            value === undefined
              ? node.fault({ reason: "upstream_error", detail: "returned an error" })
              : Effect.succeed<bigint | undefined>(value)
        )
      )
      .pipe(
        timeoutTo({ duration: maxWait, onTimeout: () => Effect.succeed(undefined) }),
        Effect.catchAll(() => Effect.succeed(undefined))
      )

/**
 * A node without the state of a block returns an error with any HTTP status. It still works, so its circuit must not
 * open because of it.
 */
const quantity: ResponseDecoder.Decoder<bigint | undefined> = (answer) =>
  Either.flatMap(
    Either.mapLeft(ResponseDecoder.json(answer), (fault) => ResponseDecoder.statusFault(answer) ?? fault),
    (body) => {
      const { error, result } = Predicate.isRecord(body) && Client.isResponseTo(Client.onlyId, body) ? body : {}
      if (typeof result === "string" && /^0x[0-9a-f]+$/i.test(result)) return Either.right(BigInt(result))
      if (error !== undefined && error !== null && answer.status !== 429) return Either.right(undefined)
      return Either.left(
        ResponseDecoder.statusFault(answer) ?? { reason: "bad_answer" as const, detail: "returned no number" }
      )
    }
  )

/** The position of the oldest row of a list. */
interface OldestPosition {
  readonly block: Height
  readonly at: Seconds
}

interface OldestOptions {
  /** Only blocks before this one matter. */
  readonly before: Height | undefined
  /** The time of the network's first block, for which explorers have no time. */
  readonly genesis: Seconds | undefined
}

/** Rows per page: two are needed to see that the oldest comes first, and not every row counts. */
const size = 20

/** Maximum pages without a row that counts; a source without paging returns the same page for ever. */
const maxPages = 25

/** Times in seconds are below this; a time above it is in milliseconds. */
const milliseconds = seconds(100_000_000_000)

const firstBlock = height(0)

const isMoved = ({ tokenID, value }: Token) => (tokenID ?? "") !== "" || ExplorerRow.numberIn(value) !== 0n

/**
 * Whether a row counts as use of the address: a failed call moved nothing, and any account can make a token transfer
 * zero.
 */
const counts: { readonly [K in keyof ListRows]: (row: ListRows[K]) => boolean } = {
  txlist: () => true,
  txlistinternal: ({ isError }) => isError !== "1",
  tokentx: isMoved,
  tokennfttx: isMoved,
  token1155tx: isMoved
}

/**
 * Finds the oldest row of an explorer's list that counts and is in a block; `first` is undefined without such a row.
 */
const readOldest = <K extends keyof ListRows>(
  explorer: Explorer,
  kind: K,
  address: string,
  { before, genesis }: OldestOptions
) =>
  Effect.gen(function* () {
    const strange = () =>
      explorer.fault({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
    const end = before === undefined ? undefined : shift(before, -1)
    for (let page = 1; page <= maxPages; page++) {
      const { result, status } = yield* explorer.lists[kind]({ address, end, page, size, sort: "asc" })
      const all = result ?? []
      const rows = Arr.filterMap(all, ({ row }) => row)
      // A row that does not fit may be the oldest; a row of another address shows that it is another list.
      if (rows.length < all.length || !rows.every(ExplorerRow.concerns(address))) return yield* strange()
      if (rows.some((row) => ExplorerRow.blockOf(row) === undefined && ExplorerRow.timeOf(row) !== undefined))
        return yield* strange()
      const mined = rows.flatMap((row) => {
        const block = ExplorerRow.blockOf(row)
        return block === undefined ? [] : [{ row, block }]
      })
      const full = all.length >= size
      if (full && mined.some(({ block }, index) => block < (mined[index - 1]?.block ?? firstBlock)))
        return yield* strange()
      const [oldest] = mined.filter(({ row }) => counts[kind](row)).sort((a, b) => distance(b.block, a.block))
      const partial = status === "2"
      if (oldest === undefined && !full) return { explorer, partial, first: undefined }
      if (oldest === undefined) continue
      const { block, row } = oldest
      const time = Number(ExplorerRow.numberIn(row.timeStamp) ?? 0n)
      const at = time === 0 && block === firstBlock ? (genesis ?? seconds(0)) : seconds(time)
      if (at <= seconds(0) || at >= milliseconds) return yield* strange()
      return { explorer, partial, first: { block, at } satisfies OldestPosition }
    }
    return yield* explorer.fault({
      reason: "bad_answer",
      detail: "returned too many rows without a transaction of the address"
    })
  })

/**
 * Finds the oldest row on all lists of explorers that name an address. All lists are needed: an address that was only
 * paid by contracts, or in tokens, is not on the list of transactions.
 */
const oldestListedIn = (genesis: Seconds | undefined) => {
  const firstExplorer = FirstExplorer.make()

  const listed = <K extends Kind>(
    among: ReadonlyArray<Explorer>,
    kind: K,
    address: string,
    before: Height | undefined
  ) => firstExplorer.query(among, (explorer) => readOldest(explorer, kind, address, { before, genesis }))

  /** The lists of all kinds of tokens. */
  const tokens = (among: ReadonlyArray<Explorer>, address: string, before: Height | undefined) =>
    firstExplorer.query(among, (explorer) =>
      each(["tokentx", ...(explorer.nfts ?? [])] as const, (kind) =>
        readOldest(explorer, kind, address, { before, genesis })
      )
    )

  return (among: ReadonlyArray<Explorer>, address: string) =>
    Effect.gen(function* () {
      const own = yield* listed(among, "txlist", address, undefined)
      const before = own.first?.block
      if (before === firstBlock) return { first: own.first, returnsGenesis: true, partial: false }
      const [internal, received] = yield* Effect.all(
        [listed(among, "txlistinternal", address, before), tokens(among, address, before)],
        { concurrency: "unbounded" }
      )
      const all = [own, internal, ...received]
      const [first] = all.flatMap(({ first }) => first ?? []).sort((a, b) => distance(b.block, a.block))
      return { first, returnsGenesis: own.explorer.listsGenesis === true, partial: all.some(({ partial }) => partial) }
    })
}

/**
 * Finds the oldest transaction that names an address in the lists of explorers. Only Etherscan lists coins of the first
 * block; without it, a node with the state of that block is called.
 */
export const firstTransaction = (facts: EvmFacts, nodes: Upstream, explorers: ReadonlyArray<Explorer>) => {
  const oldestListed = oldestListedIn(facts.genesis)
  const numberAt = quantities(nodes)

  /** Whether an address had coins in the first block; undefined if no node has the state of that block. */
  const givenAtFirst = (address: string) =>
    Effect.map(numberAt(calls.balance, address, "0x0"), (balance) => (balance === undefined ? undefined : balance > 0n))

  /** Why an explorer's empty response cannot be right; undefined if it may be. */
  const contradiction = (address: string) =>
    Effect.map(
      Effect.all([numberAt(calls.transactionCount, address), numberAt(calls.balance, address)], {
        concurrency: "unbounded"
      }),
      ([sent = 0n, balance = 0n]) =>
        sent > 0n
          ? "returned no transactions of an address that has sent some"
          : balance > 0n
            ? "returned no transactions of an address that has coins"
            : undefined
    )

  const seek = (
    among: ReadonlyArray<Explorer>,
    address: string
  ): Effect.Effect<Option.Option<FirstTransaction>, UpstreamError> =>
    Effect.gen(function* () {
      const { first, partial, returnsGenesis } = yield* oldestListed(among, address)
      const { genesis } = facts
      const given = genesis === undefined || returnsGenesis ? false : yield* givenAtFirst(address)
      if (genesis !== undefined && given === true) return Option.some({ at: genesis })
      const [preferred, ...others] = among
      if (first !== undefined) {
        if (partial && others.length > 0) {
          const second = yield* Effect.orElseSucceed(seek(others, address), () => Option.none())
          if (Option.exists(second, ({ at }) => at <= first.at)) return second
        }
        const uncertainty = partial ? unprocessed : given === undefined ? unremembered : undefined
        return Option.some({ at: first.at, ...(uncertainty === undefined ? {} : { uncertainty }) })
      }
      const wrong = partial ? unprocessed : yield* contradiction(address)
      if (wrong === undefined || preferred === undefined) return Option.none()
      return yield* others.length > 0 ? seek(others, address) : preferred.fault({ reason: "bad_answer", detail: wrong })
    })

  const off = unserved(facts, explorers)
  const find: Chain["Type"]["firstTransaction"] = (address) =>
    off === undefined
      ? seek(explorers, address).pipe(
          Effect.mapError(unread),
          span("Evm.firstTransaction", { attributes: { network: facts.id } })
        )
      : Effect.fail(off)
  const served: AbilitySources =
    facts.firstTransactions === false
      ? Either.left("first transactions are looked up on other networks only")
      : off === undefined
        ? Either.right(explorers.map(({ name }) => name))
        : Either.left(off.message)
  return { served, ...(facts.firstTransactions === false ? {} : { firstTransaction: find }) }
}

const unprocessed = "not all internal transfers are processed yet: there may be an older one"
const unremembered = "it may have had coins in the first block: no node has the state of that block"
