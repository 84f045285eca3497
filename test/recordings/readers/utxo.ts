import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { HistoryPage } from "../../../src/chains/utxo/Provider.ts"
import type { HistoryKind } from "../../../src/chains/utxo/providers/Indexer.ts"
import * as UtxoTransaction from "../../../src/chains/utxo/rawTransactions/UtxoTransaction.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { names } from "../../chains/utxo/historySamples.ts"
import { type Module, networkWithHeads as network } from "../../chains/utxo/made.ts"
import { built, hash, hex, only, runOver } from "../../chains/utxo/sends.ts"
import { type Exchange, replay } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { rowOf } from "../../support/histories.ts"
import { refused } from "../../support/http.ts"
import { Bitcoin, Dogecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert } from "../../support/vitest.ts"
import { type fails, type Read, type Row, row } from "../table.ts"

type Query = Readonly<Record<string, string>>
export type Body = Readonly<Record<string, unknown>>

/** The only host that responds, the variables that make it the first one, and the queries of its first calls. */
export interface At {
  readonly provider: string
  readonly module: Module
  readonly host: string
  readonly environment?: Query
  readonly balance?: Query
  readonly query?: Query
}

interface Seen {
  readonly shows?: string
  /** The time, ms. */
  readonly at?: number
  /** Base units. */
  readonly amount?: bigint
  /** The addresses of an extended key. */
  readonly derived?: ReadonlyArray<string>
  /** The address of the balance, by default that in the body. */
  readonly spelling?: string
  /** The address of the history, by default that in the body. */
  readonly holder?: string
  /** All rows of the history, or some of the `count` rows; the holder of recordings is `me`. */
  readonly rows?: ReadonlyArray<string>
  readonly count?: number
  /** The sum of all rows. */
  readonly sum?: bigint
  readonly limit?: number
  readonly more?: true
  readonly missing?: ReadonlyArray<string>
  readonly query?: Query
  /** The path of the first request, by default that of the recording. */
  readonly path?: RegExp
  /** Changes the bodies. */
  readonly body?: (...bodies: ReadonlyArray<Body>) => unknown
}

const changed = (recordings: ReadonlyArray<Exchange>, body: Seen["body"]): Exchange => {
  const [first = assert.fail("none")] = recordings
  if (body === undefined) return first
  const bodies = recordings.map(({ response }) => response.body as Body)
  return { ...first, response: { ...first.response, body: body(...bodies) } }
}

const isRequested = (made: { readonly requests: ReadonlyArray<{ readonly url: URL }> }, at: At, query: Query = {}) => {
  const [{ searchParams } = assert.fail("no request")] = made.requests.flatMap(({ url }) =>
    url.host === at.host ? [url] : []
  )
  assert.deepStrictEqual(Object.fromEntries(searchParams), query)
}

const isPathOf = (made: { readonly requests: ReadonlyArray<{ readonly url: URL }> }, at: At, recording: Exchange) => {
  const path = made.requests.find(({ url }) => url.host === at.host)?.url.pathname ?? ""
  assert.isTrue(decodeURIComponent(path).endsWith(recording.request.path), path)
}

const balance =
  (at: At, { at: time, body, spelling }: Seen): Read =>
  (...recordings) =>
    Effect.gen(function* () {
      const recording = changed(recordings, body)
      // The time of its newest block.
      if (time !== undefined) yield* TestClock.setTime(time)
      const made = yield* network(at.module, { [at.host]: () => replay(recording) })
      const text = spelling ?? (recording.response.body as { readonly address: string }).address
      const read = yield* settled(made.holding(Either.getOrThrow(made.address(text)), Option.none()))
      isRequested(made, at, at.balance)
      if (body === undefined) isPathOf(made, at, recording)
      return [Either.getOrThrow(read.amount), ...("derived" in read ? (read.derived as ReadonlySet<string>) : [])]
    })

const sumOf = (parties: Transaction["from"], address?: string) =>
  parties.reduce((all, party) => (address === undefined || party.address === address ? all + party.amount : all), 0n)

/** Received minus sent amounts and the fees of sent transactions. Checks that the sums of both sides are equal. */
const balanceOf = (transactions: ReadonlyArray<Transaction>, holder: string) =>
  transactions.reduce((all, { fee, from, to, type }) => {
    assert.strictEqual(sumOf(from), sumOf(to))
    return all + sumOf(to, holder) - sumOf(from, holder) - (type === "Send" ? (fee ?? 0n) : 0n)
  }, 0n)

/** The history of an address if the first call returns the recordings and later ones fail. */
export const historyAt = (at: At, { body, holder, limit = 500 }: Seen, ...recordings: ReadonlyArray<Exchange>) =>
  Effect.gen(function* () {
    const recording = changed(recordings, body)
    let answers = 0
    const reply = () => (answers++ === 0 ? replay(recording) : refused)
    const made = yield* network(at.module, { [at.host]: reply }, at.environment)
    const address = Either.getOrThrow(made.address(holder ?? String((recording.response.body as Body).address)))
    if (made.history === undefined) return assert.fail("has no history")
    const part = yield* settled(Effect.map(made.history({ address, limit }), withTexts))
    const line = rowOf((party) => names.get(party) ?? (party === address ? "me" : party))
    const requests = made.requests.filter(({ url }) => url.host === at.host)
    return { ...part, made, requests, recording, address, rows: part.transactions.map(line) }
  })

const history =
  (at: At, what: Seen): Read =>
  (...recordings) =>
    Effect.gen(function* () {
      const { address, made, missing, more, recording, requests, rows, sources, transactions } = yield* historyAt(
        at,
        what,
        ...recordings
      )
      isRequested(made, at, what.query ?? at.query)
      if (what.path !== undefined) assert.match(requests[0]?.url.pathname ?? "", what.path)
      else if (what.body === undefined) isPathOf(made, at, recording)
      assert.deepStrictEqual(sources, [`${at.module.info.id}-${at.provider}`])
      const orders = transactions.map(({ order = 0 }) => order)
      assert.deepStrictEqual(
        orders,
        orders.toSorted((order, other) => other - order)
      )
      const sum = balanceOf(transactions, address)
      return {
        rows: what.count === undefined ? rows : rows.filter((found) => what.rows?.includes(found)),
        count: rows.length,
        ...(what.sum === undefined ? {} : { sum }),
        more,
        missing
      }
    })

/** The rows of a recording about an address: its balance, its history, or both. */
export const seen = (at: At, what: Seen): ReadonlyArray<Row> => {
  const { amount, count, derived = [], missing = [], more = false, rows, shows, sum } = what
  return [
    ...(amount === undefined ? [] : [row(balance(at, what), [amount, ...derived], shows)]),
    ...(rows === undefined
      ? []
      : [
          row(
            history(at, what),
            { rows, count: count ?? rows.length, ...(sum === undefined ? {} : { sum }), more, missing },
            shows
          )
        ])
  ]
}

/** Decodes the page of a history of an address. */
export const pageOf =
  (
    { request }: HistoryKind,
    facts: Parameters<HistoryKind["request"]>[0],
    address: string,
    shown: (page: HistoryPage) => unknown
  ): Read =>
  ({ response: { body } }) => {
    const { decode } = request(facts, { address, limit: 50, after: undefined })
    const text = JSON.stringify(Array.isArray(body) ? body : { ...(body as Body), address })
    return Either.map(decode({ status: 200, text, retryAfter: undefined }), shown)
  }

/** Whether a raw transaction of Bitcoin has the hash that the recording states, and is found by it. */
export const isFound: Read = (recording) =>
  Effect.gen(function* () {
    const { hex = "", txid = "" } = recording.response.body as Readonly<Record<string, string>>
    const { hash } = yield* UtxoTransaction.check(Bitcoin.info.transactions, "Bitcoin")(hex)
    const environment = { BITCOIN_BLOCKBOOK_URLS: "http://blockbook.test", BITCOIN_ESPLORA_URLS: "," }
    const { rawTransactions } = yield* built(Bitcoin, { "blockbook.test": () => replay(recording) }, environment)
    const found = yield* settled(Either.getOrThrow(rawTransactions?.prepareLookup(txid) ?? Either.left("no look-ups")))
    return [hash === txid, JSON.parse(found.body).result === hex]
  })

/** The indexers that are requested for a balance of Dogecoin if Blockbook returns this, and the failure. */
export const nextAfter: Read = (recording) =>
  Effect.gen(function* () {
    const made = yield* network(Dogecoin, { "blockbook.doge.zelcore.io": () => replay(recording) })
    const { message } = yield* settled(Effect.flip(made.holding(Dogecoin.info.sampleAddress, Option.none())))
    return [...new Set(made.hosts())].slice(0, 2).concat(message)
  })

const isLookup = ({ request: { body, method } }: Exchange) =>
  method === "GET" || (body as { readonly method?: string } | null)?.method === "getrawtransaction"

/** The verdict on a transaction that a server returns, whose body is that of the recording or the hash or content. */
const verdict =
  (kind: string, what?: "find" | "send"): Read =>
  ({ response, ...rest }) =>
    Effect.gen(function* () {
      const { body } = response
      const isRpc = typeof body === "object" && body !== null && "id" in body
      const recording = { ...rest, response: { ...response, body: isRpc ? { ...body, id: 1 } : body } }
      const run = what ?? (isLookup(recording) ? "find" : "send")
      const host = kind === "RPC" ? "node" : kind.toLowerCase()
      const { outcome } = yield* runOver(run, { [host]: replay(recording) }, only(kind))
      const found = yield* outcome
      const said = recording.response.body
      if (found.verdict === "done") assert.strictEqual(JSON.parse(found.body).result, run === "send" ? hash : hex)
      else assert.strictEqual(found.body, typeof said === "string" ? said : JSON.stringify(said))
      return found.verdict
    })

/** The verdict on a transaction, or its failure; by default of the recorded request. */
export const said = (kind: string, expected: string | ReturnType<typeof fails>, what?: "find" | "send") =>
  row(verdict(kind, what), expected, what)
