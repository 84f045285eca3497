import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Holding } from "../../../src/chains/Chain.ts"
import { parse } from "../../../src/chains/ton/TonAddress.ts"
import { format } from "../../../src/domain/Amount.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { isOfHead, network, own, states, toncenter } from "../../chains/ton/ton.ts"
import { type Exchange, replay } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { short } from "../../support/histories.ts"
import { json, type Reply, refused, repliesInOrder, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert } from "../../support/vitest.ts"
import type { Read } from "../table.ts"

type Host = (request: SentRequest) => Reply
type Replies = Readonly<Record<string, Reply>>

const shown = (holdings: ReadonlyArray<Holding>) =>
  holdings.map(({ amount, asset }) => {
    const [name, decimals] = asset === "native" ? ["ton", 9] : [asset.coinId, asset.decimals]
    return `${format(Either.getOrThrow(amount), decimals)} ${name}`
  })

interface Wallets {
  readonly addresses: ReadonlyArray<string>
  readonly tokens?: ReadonlyArray<RegisteredToken>
}

const holdingsOver = (hosts: Readonly<Record<string, Host>>, { addresses, tokens }: Wallets) =>
  Effect.gen(function* () {
    const { network: ton } = yield* network(hosts, { tokens })
    const read = yield* settled(ton.holdings(addresses.map((address) => Either.getOrThrow(ton.address(address)))))
    return (yield* Effect.all(read)).map(shown)
  })

/** What addresses hold if TON Center returns recordings by route, and these states. */
export const heldAtToncenter =
  (routes: ReadonlyArray<string>, wallets: Wallets, balances?: Readonly<Record<string, string>>): Read =>
  (...recordings) => {
    const accounts = balances === undefined ? {} : { accountStates: json(states(balances)) }
    const replies = routes.map((route, index) => [route, replay(recordings[index] ?? assert.fail(route))] as const)
    return holdingsOver({ "toncenter.test": toncenter({ ...accounts, ...Object.fromEntries(replies) }) }, wallets)
  }

/** What addresses hold if TonAPI returns recordings of accounts, of their jettons, and of a jetton. */
export const heldAtTonApi =
  (wallets: Wallets): Read =>
  (accounts, jettons = accounts, jetton = accounts) => {
    const { body } = accounts.response as { readonly body: object }
    const bulk = "accounts" in body ? replay(accounts) : json({ accounts: [body] })
    const host: Host = ({ url }) =>
      url.pathname.endsWith("/_bulk") ? bulk : replay(url.pathname.endsWith("/jettons") ? jettons : jetton)
    return holdingsOver({ "tonapi.test": host }, wallets)
  }

/** What an address holds if both indexers return this to all calls. */
export const heldAtBoth: Read = (recording) => {
  const reply = () => replay(recording)
  return holdingsOver({ "toncenter.test": reply, "tonapi.test": reply }, { addresses: [own] })
}

/** The amount, the address and the decimals of a jetton over these hosts. */
export const jettonOver =
  (hostsOf: (recording: Exchange) => Readonly<Record<string, Host>>, address: string, jetton: string): Read =>
  (recording) =>
    Effect.gen(function* () {
      const { network: ton } = yield* network(hostsOf(recording))
      const { amount, asset } = yield* settled(ton.holding(address, Option.some(jetton)))
      return asset === "native" ? asset : [Either.getOrThrow(amount), asset.address, asset.decimals]
    })

/** Whether each user-friendly address of the address book is that of its raw address, or its refusal. */
export const book: Read = ({ response }) => {
  const { address_book } = response.body as {
    readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
  }
  const found = Object.entries(address_book).map(([raw, { user_friendly }]) =>
    Either.match(parse(user_friendly), {
      onLeft: (refusal) => (refusal.includes("test network") ? "of the test network" : refusal),
      onRight: (address) => address === raw.toLowerCase()
    })
  )
  return [...new Set(found)]
}

const historyOver = Effect.fnUntraced(function* (address: string, replies: Replies, tonapi: Host) {
  const { requests, network: ton } = yield* network({
    "toncenter.test": toncenter({ "jetton/burns": json({ jetton_burns: [] }), ...replies }),
    "tonapi.test": tonapi
  })
  const part = yield* settled(ton.history?.({ address, limit: 50 }) ?? Effect.die("no history"))
  return { ...withTexts(part), requests, rows: part.transactions.map(short) }
})

interface Transactions {
  readonly transactions: ReadonlyArray<
    Readonly<Record<string, unknown>> & { readonly account: string; readonly out_msgs: ReadonlyArray<unknown> }
  >
}

/** The rows of an address in recorded transactions, after `more` of them and with these transfers of jettons. */
export const traces =
  (
    address: string,
    more: (recorded: Transactions["transactions"]) => ReadonlyArray<unknown> = () => [],
    transfers: (recorded: Transactions["transactions"]) => ReadonlyArray<unknown> = () => []
  ): Read =>
  (recording) =>
    Effect.gen(function* () {
      const { transactions } = recording.response.body as Transactions
      const rows = transactions
        .filter(({ account }) => account.toLowerCase() === address)
        // One recording is from before TON Center returned trace ids.
        .map((row) => ("hash" in row ? { trace_id: row.hash, ...row } : row))
      const replies = {
        transactions: json({ transactions: [...more(transactions), ...rows], address_book: {} }),
        "jetton/transfers": json({ jetton_transfers: transfers(transactions) })
      }
      const found = yield* historyOver(address, replies, () => refused)
      return [...found.rows, ...found.missing]
    })

/** The history of an address with a recorded list of transactions, and one of transfers of jettons. */
export const historyAtToncenter =
  (address: string): Read =>
  (transactions, transfers) => {
    const ofJettons = transfers === undefined ? json({ jetton_transfers: [] }) : replay(transfers)
    const replies = { transactions: replay(transactions), "jetton/transfers": ofJettons }
    return Effect.map(
      historyOver(address, replies, () => refused),
      ({ missing, more, rows }) => [...rows, more, ...missing]
    )
  }

/** The history of an address if all lists of TON Center are this recording, and TonAPI returns another one. */
export const historyFromOther =
  (address: string, tonapi: () => Exchange): Read =>
  (recording) => {
    const lists = ["transactions", "jetton/transfers", "jetton/burns"].map((route) => [route, replay(recording)])
    return historyOver(address, Object.fromEntries(lists), () => replay(tonapi()))
  }

/** The history of an address with recorded events as its first page, and the cursor of the last requested page. */
export const events =
  (address: string): Read =>
  (recording) => {
    const pages = repliesInOrder(replay(recording), json({ events: [], next_from: 0 }))
    const tonapi: Host = (request) => (isOfHead(request) ? json({}, { status: 404 }) : pages())
    return Effect.map(historyOver(address, { transactions: refused, "jetton/transfers": refused }, tonapi), (found) => {
      const last = found.requests.filter(({ url }) => url.host === "tonapi.test").at(-1)
      return [...found.rows, ...found.missing, last?.url.searchParams.get("before_lt")]
    })
  }

/** The verdict on a look-up of a transaction at one indexer, by default by its hash; and whether its response is unchanged. */
export const lookup =
  (host: "tonapi" | "toncenter", hash?: string): Read =>
  (recording) =>
    Effect.gen(function* () {
      const { body } = recording.response
      const { hash: single, transactions: [first] = [] } = body as {
        readonly hash?: string
        readonly transactions?: ReadonlyArray<{ readonly hash: string }>
      }
      const hosts = { "toncenter.test": () => refused, "tonapi.test": () => refused }
      const { network: ton } = yield* network({ ...hosts, [`${host}.test`]: () => replay(recording) })
      const requested = hash ?? single ?? Buffer.from(first?.hash ?? "", "base64").toString("hex")
      const prepared = yield* ton.rawTransactions?.prepareLookup(requested) ?? Effect.dieMessage("no look-ups")
      const found = yield* settled(prepared)
      return [found.verdict, found.body === JSON.stringify(body)]
    })
