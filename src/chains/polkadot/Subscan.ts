import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { HistoryPart, HistoryQuery, Transaction } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Budget from "../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { idOf, type SubscanRows, toTransaction, untold } from "./history.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { inIndexer } from "./RawTransactions.ts"
import * as SubscanWire from "./SubscanWire.ts"
import {
  enough,
  further,
  groups,
  horizon,
  isWhole,
  pageOf,
  pageSize,
  type Sides,
  type SubscanList,
  unasked,
  unreadRows
} from "./subscanLists.ts"

// Subscan API v2 (support.subscan.io): transfers and extrinsics of Asset Hub. It requires a key.

const Metadata = Schema.Struct({ code: Schema.Literal(0) })

const granted: Budget.Granted = { source: "SUBSCAN", keyless: { perSecond: 5, burst: 5 } }

/** Undefined without a key. */
export const make = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "SUBSCAN_URL",
    default: polkadot.indexers.subscan,
    meaning: "Subscan of Polkadot Asset Hub"
  })
  const key = yield* declare.secret({
    name: "SUBSCAN_API_KEY",
    allowed: "a key of Subscan",
    meaning: "Subscan API key; without it there is no history of Polkadot, and no look-up of its transactions"
  })
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  // Its limits are settings even if it is not used.
  if (key === undefined) return yield* Effect.as(Budget.configured(granted, false), undefined)
  const { refusal } = SubscanWire
  const upstream = yield* Upstream.make({
    name: "subscan",
    urls: [url],
    keys: { "x-api-key": key },
    concurrency: 4,
    rate: granted,
    refusal,
    canary: (address) => address.read(post("/api/scan/metadata", {}), ResponseDecoder.fitting(Metadata, { refusal }))
  })

  const history = (query: HistoryQuery): Effect.Effect<HistoryPart, UpstreamError> =>
    Effect.gen(function* () {
      let sides: Sides = { transfers: unasked, extrinsics: unasked }
      const address = PolkadotAddress.format(query.address)
      const range = query.before === undefined ? {} : { block_range: `0-${query.before.height}` }
      const page = <A, I>(path: string, schema: Schema.Schema<A, I>, at: number) =>
        upstream.read(post(path, { address, row: pageSize, page: at, ...range }), schema)
      const reads = Effect.gen(function* () {
        while (!enough(sides, query)) {
          const { extrinsics, transfers } = sides
          const end = horizon(sides)
          const [first, second] = yield* Effect.all(
            [
              further(transfers, end, (at) =>
                Effect.map(page("/api/v2/scan/transfers", SubscanWire.Transfers, at), ({ data }) =>
                  pageOf(query.address)(data?.transfers, data?.count)
                )
              ),
              further(extrinsics, end, (at) =>
                Effect.map(page("/api/v2/scan/extrinsics", SubscanWire.Extrinsics, at), ({ data }) =>
                  pageOf(query.address)(data?.extrinsics, data?.count)
                )
              )
            ],
            { concurrency: 2 }
          )
          sides = { transfers: first, extrinsics: second }
        }
      })
      const ended = yield* Effect.either(
        timeoutFail(reads, { duration: maxWait, onTimeout: () => upstream.fault(timedOut) })
      )
      const { extrinsics, transfers } = sides
      const none = transfers.rows.length + extrinsics.rows.length === 0
      if (none && transfers.fault !== undefined && extrinsics.fault !== undefined) return yield* transfers.fault
      if (none && Either.isLeft(ended)) return yield* ended.left
      return toPart(upstream.name, query, sides, Either.isLeft(ended) ? ended.left : undefined)
    })

  /** A block's extrinsic by its hash. */
  const find = (hash: string) =>
    upstream.over((address) => address.read(post("/api/scan/extrinsic", { hash }), inIndexer(hash, refusal)))

  return { name: upstream.name, history, find }
})

const post = (path: string, body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)

/** When DOT moved from the relay chain to Asset Hub: 4 November 2025, UNIX time in seconds. */
const migration = 1_762_214_400

const onRelayChain = "transactions before 4 November 2025: they are on the relay chain, which is not read"

const toPart = (
  name: string,
  { address, limit, since = 0 }: HistoryQuery,
  sides: Sides,
  fault: UpstreamError | undefined
): HistoryPart => {
  const { extrinsics, transfers } = sides
  const transactions = groups(sides)
  const wanted = transactions.filter(
    ({ extrinsic, transfers: [first] }) => (extrinsic?.block_timestamp ?? first?.block_timestamp ?? 0) >= since
  )
  const shown = wanted.slice(0, limit)
  const unclear = shown.reduce((sum, rows) => sum + untold(rows), 0)
  const reachedStart = wanted.length < transactions.length
  const more =
    wanted.length > limit ||
    (!reachedStart &&
      [transfers, extrinsics].some(
        (side: SubscanList<unknown>) => (!isWhole(side) && side.rows.length > 0) || unreadRows(side) > 0
      ))
  const all = unique(shown, address)
  return {
    transactions: all,
    more,
    sources: [name],
    ...(since < migration && (!more || all.some(({ timestamp }) => timestamp < migration))
      ? { unavailable: [onRelayChain] }
      : {}),
    missing: [
      ...failing("transfers", transfers),
      ...failing("calls without transfers", extrinsics),
      ...unreadableRows("transfers", name, transfers),
      ...unreadableRows("calls", name, extrinsics),
      ...fewer(`transfers: ${name} returns no more`, transfers),
      ...fewer(`calls: ${name} returns no more`, extrinsics),
      ...(fault === undefined ? [] : [`older transactions: ${fault.message}`]),
      ...(unclear === 0 ? [] : [`the amounts of ${unclear} transfers: ${name} does not return them in base units`])
    ]
  }
}

/** A reused account may sign the same bytes again: the older extrinsic is then identified by its index. */
const unique = (rows: ReadonlyArray<SubscanRows>, holder: string): ReadonlyArray<Transaction> => {
  const seen = new Set<string>()
  return rows.flatMap((listed) => {
    const transaction = toTransaction(holder, listed)
    const row = listed.extrinsic ?? listed.transfers[0]
    if (transaction === undefined || row === undefined) return []
    const hash = seen.has(transaction.hash) ? idOf(row) : transaction.hash
    seen.add(hash)
    return [{ ...transaction, hash }]
  })
}

const failing = (what: string, { fault, rows }: SubscanList<unknown>): ReadonlyArray<string> =>
  fault === undefined ? [] : [`${rows.length === 0 ? "" : "older "}${what}: ${fault.message}`]

const fewer = (what: string, side: SubscanList<unknown>): ReadonlyArray<string> =>
  isWhole(side) && unreadRows(side) > 0 ? [`${unreadRows(side)} of ${side.count} ${what}`] : []

const unreadableRows = (
  what: string,
  name: string,
  { unreadable: count = 0 }: SubscanList<unknown>
): ReadonlyArray<string> => (count === 0 ? [] : [`${count} ${what}: ${name} returned them in an unexpected format`])

const timedOut: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
