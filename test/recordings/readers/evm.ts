import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { avalanche } from "../../../src/catalogue/evm/avalanche.ts"
import { bsc } from "../../../src/catalogue/evm/bsc.ts"
import type { DataFee, EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { feeOf } from "../../../src/chains/evm/history/receipts.ts"
import { Explorers } from "../../../src/chains/evm/providers/connect.ts"
import type { Receipt } from "../../../src/chains/evm/providers/node/calls.ts"
import { height } from "../../../src/domain/units.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { explorer, type Lists, network } from "../../support/EvmHistory.ts"
import { type Exchange, replay, sample } from "../../support/fixtures.ts"
import { rowOf } from "../../support/histories.ts"
import { json, refused, simulatedClient } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { upstreamDependencies } from "../../support/upstream.ts"
import { type Row, row } from "../table.ts"

export const rowsIn = ({ response }: Exchange) =>
  (response.body as { readonly result: ReadonlyArray<Record<string, string>> }).result

export const receiptIn = ({ response }: Exchange) => (response.body as { readonly result: Receipt }).result

const keys = { ETHERSCAN_API_KEY: "secret-etherscan", ETHERSCAN_URL: "http://etherscan.test" }

export const [holder, stranger, contract, token] = ["a1", "b2", "c3", "d4"].map((digits) => `0x${digits.repeat(20)}`)
const names = new Map(Object.entries({ stranger, contract, token }).map(([name, address]) => [address, name]))

/** The history from Etherscan without other explorers; nodes return these receipts. */
const fromEtherscan = Effect.fnUntraced(function* (
  info: EvmFacts,
  address: string,
  lists: Lists,
  receipts: ReadonlyArray<unknown> = []
) {
  const reply = explorer(lists)
  const { requests, history } = yield* network(info, keys, (sent) => {
    if (sent.url.host === "etherscan.test") return reply(sent)
    if (sent.method !== "POST") return refused
    const calls = [JSON.parse(sent.body)].flat() as ReadonlyArray<{ id: number; params: [string] }>
    const found = calls.map(({ id, params }) => ({
      jsonrpc: "2.0",
      id,
      result: receipts.find((receipt) => (receipt as Receipt).transactionHash === params[0]) ?? null
    }))
    return json(found.length === 1 ? found[0] : found)
  })
  const part = yield* settled(history({ address: address.toLowerCase(), limit: 50 }))
  const named = (text: string) => (text === address.toLowerCase() ? "me" : (names.get(text) ?? text))
  return { ...part, requests, rows: part.transactions.map(rowOf(named)) }
})

const addressOf = ({ request: { query } }: Exchange) => query.address ?? holder ?? ""

/** The reply of the explorer: the joined rows of the recordings; a recording without rows is returned unchanged. */
const replyOf = (recordings: ReadonlyArray<Exchange>, change: object): Lists[string] => {
  const empty = recordings.find(({ response }) => {
    const { result, status } = response.body as { readonly status: string; readonly result: ReadonlyArray<unknown> }
    return status !== "1" || result.length === 0
  })
  if (empty !== undefined) return replay(empty)
  return recordings.flatMap(rowsIn).map((each) => ({ ...each, ...change }))
}

/** The recordings by their action, each as the response to it. */
const byAction = (recordings: ReadonlyArray<Exchange>, change: object): Lists =>
  Object.fromEntries(
    Object.entries(Object.groupBy(recordings, ({ request: { query } }) => query.action ?? "")).flatMap(
      ([action, all = []]) => (action === "" ? [] : [[action, replyOf(all, change)]])
    )
  )

/** The same response to all actions. */
export const everywhere = ([recording]: ReadonlyArray<Exchange>): Lists => {
  const reply = recording === undefined ? refused : replay(recording)
  return { txlist: reply, txlistinternal: reply, tokentx: reply }
}

interface Case {
  readonly network: EvmFacts
  readonly holder?: string
  /** Changes each row of the lists. */
  readonly change?: object
  /** The lists of the recordings; by default each recording is the response to its action. */
  readonly lists?: (recordings: ReadonlyArray<Exchange>) => Lists
  readonly receipts?: (recordings: ReadonlyArray<Exchange>) => ReadonlyArray<unknown>
  readonly shows?: string
  /** All rows, in which the holder is `me`. */
  readonly rows: ReadonlyArray<string>
  readonly orders?: ReadonlyArray<number>
  readonly nonces?: ReadonlyArray<number | undefined>
  readonly calls?: number
  readonly missing?: ReadonlyArray<string>
  readonly unavailable?: string
}

/** The history that an explorer's lists give. */
export const history = ({ change = {}, holder: of, lists, network, receipts, shows, ...expected }: Case): Row => {
  const { calls, missing = [], nonces, orders, unavailable } = expected
  return row(
    (...recordings) =>
      Effect.gen(function* () {
        const [first] = recordings
        const address = of ?? (first === undefined ? "" : addressOf(first))
        const found = lists?.(recordings) ?? byAction(recordings, change)
        const part = yield* fromEtherscan(network, address, found, receipts?.(recordings))
        const places = part.transactions.map(({ order }) => order)
        const heights = places.map((order) =>
          order === Number.MAX_SAFE_INTEGER ? undefined : height(Math.floor(order / 65_536))
        )
        return {
          rows: part.rows,
          more: part.more,
          sources: part.sources,
          missing: part.missing,
          orders: orders === undefined || places,
          isNewestFirst: isDeepStrictEqual(
            places,
            places.toSorted((one, other) => other - one)
          ),
          hasBlocks: isDeepStrictEqual(
            part.transactions.map(({ block }) => block),
            heights
          ),
          nonces: nonces === undefined || part.transactions.map(({ nonce }) => nonce),
          calls: calls === undefined || part.requests.length,
          unavailable: unavailable === undefined || part.unavailable?.find((each) => each === unavailable)
        }
      }),
    {
      rows: expected.rows,
      more: false,
      sources: ["etherscan"],
      missing,
      orders: orders ?? true,
      isNewestFirst: true,
      hasBlocks: true,
      nonces: nonces ?? true,
      calls: calls ?? true,
      unavailable: unavailable ?? true
    },
    shows
  )
}

/** The history fails with this reason instead of being empty. */
export const failure = (reason: string, detail: string) =>
  row(
    (...recordings) =>
      Effect.map(Effect.flip(fromEtherscan(bsc, holder ?? "", everywhere(recordings))), (unread) => ({
        message: unread.message,
        reason: "reason" in unread ? unread.reason : undefined
      })),
    { reason, message: `etherscan: ${detail}` },
    "never counts as an empty history"
  )

/** Etherscan returns the first recording and Routescan the second: only the first history calls Etherscan. */
export const fallback = (...hashes: ReadonlyArray<string>) =>
  row(
    (no, list = no) =>
      Effect.gen(function* () {
        const routescan = explorer({ txlist: rowsIn(list) })
        const environment = { ...keys, ROUTESCAN_URL: "http://routescan.test" }
        const { requests, history } = yield* network(avalanche, environment, (sent) =>
          sent.method === "POST" ? refused : sent.url.host === "etherscan.test" ? replay(no) : routescan(sent)
        )
        const lookups = () => requests.filter(({ method }) => method === "GET")
        const query = { address: addressOf(list).toLowerCase(), limit: 50 }
        const part = yield* settled(history(query))
        const before = lookups().length
        yield* settled(history(query))
        const found = part.transactions.map(({ hash }) => hash.slice(0, 8))
        return [part.sources, found, before, lookups().length, lookups()[3]?.url.pathname]
      }),
    [["routescan"], hashes, 6, 9, "/43114/etherscan/api"],
    "ends the calls to an explorer that rejects a network"
  )

/** The reason for which the health check of Etherscan fails. */
export const checked = (reason?: string) =>
  row(
    (recording) => {
      const outside = simulatedClient(() => replay(recording))
      const tried = Effect.gen(function* () {
        yield* Explorers
        const trials = yield* Effect.flatMap(Upstreams, ({ trials }) => trials)
        const [address] = trials.find((trial) => trial.name === "etherscan")?.addresses ?? []
        const outcome = yield* settled(Effect.either(address?.try ?? Effect.void))
        const sent = outside.requests[0]?.url.searchParams
        const query = Object.entries(sample("etherscan", "balance").request.query)
        return [
          Either.isLeft(outcome) ? outcome.left.reason : undefined,
          query.filter(([name, value]) => sent?.get(name) !== value)
        ]
      })
      return Effect.provide(tried, Layer.provideMerge(Explorers.layer, upstreamDependencies(outside, keys)))
    },
    [reason, []],
    "as a health check"
  )

/** The fee of a receipt. */
export const fee = (expected: bigint | undefined, dataFee?: DataFee, changes: Partial<Receipt> = {}, price?: bigint) =>
  row(
    (recording) => feeOf({ ...receiptIn(recording), ...changes }, dataFee, price),
    expected,
    `the fee${dataFee === undefined ? "" : ` with a data fee ${dataFee}`}${Object.keys(changes)
      .map((name) => `, ${name}`)
      .join("")}`
  )
