import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { HistoryPart, HistoryQuestion, Transaction } from "../../domain/Transaction.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import * as declare from "../../settings/declare.ts"
import * as Answer from "../../upstreams/Answer.ts"
import * as Budget from "../../upstreams/Budget.ts"
import * as Upstream from "../../upstreams/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstreams/UpstreamError.ts"
import * as Address from "./address.ts"
import { idOf, orderOf, type Rows, toTransaction, untold } from "./history.ts"
import * as Wire from "./subscanWire.ts"

// Subscan API v2 (support.subscan.io): transfers and extrinsics of Asset Hub. It answers nobody without a key.

/** The most rows in a page. */
const pageSize = 100

/** Of the time for a request, what goes into asking; the rest is for prices and the answer. */
const share = 0.75

/** One of the two lists as far as it was read, the newest first. */
interface Side<A> {
  readonly rows: ReadonlyArray<A>
  readonly page: number
  /** Nothing more can be had of it: it is at its end, or `fault` says why. */
  readonly done: boolean
  readonly fault?: UpstreamError
  /** How many rows there are, as it was said with the first page. */
  readonly count?: number
}

/** A page, and how many rows there are on all pages. */
interface Page<A> {
  readonly rows: ReadonlyArray<A>
  readonly count: number
}

const pageOf = <A>(rows: ReadonlyArray<A> | null = [], count: number | null = 0): Page<A> => ({
  rows: rows ?? [],
  count: count ?? 0
})

interface Sides {
  readonly transfers: Side<Wire.Transfer>
  readonly extrinsics: Side<Wire.Extrinsic>
}

const Metadata = Schema.Struct({ code: Schema.Literal(0) })

const granted: Budget.Granted = { source: "SUBSCAN", keyless: { perSecond: 5, burst: 5 } }

/** Undefined without a key. */
export const make = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "SUBSCAN_URL",
    default: "https://assethub-polkadot.api.subscan.io",
    meaning: "Subscan of Polkadot Asset Hub"
  })
  const key = yield* declare.secret({
    name: "SUBSCAN_API_KEY",
    allowed: "a key of Subscan",
    meaning: "Subscan API key; without it there is no history of Polkadot"
  })
  const patience = share * (yield* requestDeadline)
  // Its limits are settings whether or not it is asked.
  if (key === undefined) return yield* Effect.as(Budget.configured(granted, false), undefined)
  const { refusal } = Wire
  const upstream = yield* Upstream.make({
    name: "subscan",
    urls: [url],
    keys: { "x-api-key": key },
    concurrency: 4,
    rate: granted,
    refusal,
    canary: (address) => address.ask(post("/api/scan/metadata", {}), Answer.fitting(Metadata, { refusal }))
  })

  const history = (question: HistoryQuestion): Effect.Effect<HistoryPart, UpstreamError> =>
    Effect.gen(function* () {
      let sides: Sides = { transfers: unasked, extrinsics: unasked }
      const address = Address.format(question.address)
      const page = <A, I>(path: string, schema: Schema.Schema<A, I>, at: number) =>
        upstream.read(post(path, { address, row: pageSize, page: at }), schema)
      const asked = Effect.gen(function* () {
        while (!enough(sides, question)) {
          const { extrinsics, transfers } = sides
          const end = horizon(sides)
          const [first, second] = yield* Effect.all(
            [
              further(transfers, end, (at) =>
                Effect.map(page("/api/v2/scan/transfers", Wire.Transfers, at), ({ data }) =>
                  pageOf(data?.transfers, data?.count)
                )
              ),
              further(extrinsics, end, (at) =>
                Effect.map(page("/api/v2/scan/extrinsics", Wire.Extrinsics, at), ({ data }) =>
                  pageOf(data?.extrinsics, data?.count)
                )
              )
            ],
            { concurrency: 2 }
          )
          sides = { transfers: first, extrinsics: second }
        }
      })
      const ended = yield* Effect.either(
        Effect.timeoutFail(asked, { duration: patience, onTimeout: () => upstream.fault(late) })
      )
      const { extrinsics, transfers } = sides
      const none = transfers.rows.length + extrinsics.rows.length === 0
      if (none && transfers.fault !== undefined && extrinsics.fault !== undefined) return yield* transfers.fault
      if (none && Either.isLeft(ended)) return yield* ended.left
      return toPart(upstream.name, question, sides, Either.isLeft(ended) ? ended.left : undefined)
    })

  return { name: upstream.name, history }
})

const post = (path: string, body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)

const unasked = { rows: [], page: 0, done: false }

/** One page more of a list that is not known below the horizon. Cannot fail. */
const further = <A extends Wire.Transfer | Wire.Extrinsic>(
  side: Side<A>,
  end: number,
  page: (at: number) => Effect.Effect<Page<A>, UpstreamError>
): Effect.Effect<Side<A>> =>
  isBehind(side, end)
    ? Effect.match(page(side.page), {
        onFailure: (fault) => ({ ...side, done: true, fault }),
        onSuccess: ({ count, rows: found }) => {
          // New transactions push others to the next page, where they come again.
          const known = new Set(side.rows.map(rowId))
          return {
            rows: [...side.rows, ...found.filter((row) => !known.has(rowId(row)))],
            page: side.page + 1,
            count: side.count ?? count,
            done: found.length < pageSize
          }
        }
      })
    : Effect.succeed(side)

/** What tells one row from another: some transfers of an extrinsic differ in nothing but the event. */
const rowId = (row: Wire.Transfer | Wire.Extrinsic): string =>
  "amount" in row
    ? [idOf(row), row.event_idx, row.from, row.to, row.amount, row.asset_unique_id].join(" ")
    : row.extrinsic_index

/** Down to here a list is known; the transfers of the last extrinsic may go on behind it. */
const lowest = <A extends Wire.Transfer | Wire.Extrinsic>({ rows }: Side<A>): number => {
  const last = rows.at(-1)
  return last === undefined ? Number.POSITIVE_INFINITY : orderOf(last)
}

/** What is newer is known from both lists, or from the one that told anything. */
const horizon = ({ extrinsics, transfers }: Sides): number => Math.max(floor(transfers), floor(extrinsics))

const floor = <A extends Wire.Transfer | Wire.Extrinsic>(side: Side<A>): number =>
  isWhole(side) || (side.done && side.rows.length === 0) ? Number.NEGATIVE_INFINITY : lowest(side)

const isWhole = ({ done, fault }: Side<unknown>): boolean => done && fault === undefined

/** How many rows of a list that is at its end are counted and were not told. */
const untoldRows = ({ count = 0, done, rows }: Side<unknown>): number => (done ? Math.max(0, count - rows.length) : 0)

/** Whether one page more brings the horizon down. */
const isBehind = <A extends Wire.Transfer | Wire.Extrinsic>(side: Side<A>, end: number): boolean =>
  !side.done && lowest(side) >= end

/** The newest first, down to the horizon. */
const groups = (sides: Sides): ReadonlyArray<Rows> => {
  const end = horizon(sides)
  const found = new Map<string, { extrinsic: Wire.Extrinsic | undefined; transfers: Array<Wire.Transfer> }>()
  for (const extrinsic of sides.extrinsics.rows)
    if (orderOf(extrinsic) > end) found.set(idOf(extrinsic), { extrinsic, transfers: [] })
  for (const transfer of sides.transfers.rows) {
    if (orderOf(transfer) <= end) continue
    const group = found.get(idOf(transfer)) ?? { extrinsic: undefined, transfers: [] }
    group.transfers.push(transfer)
    found.set(idOf(transfer), group)
  }
  const place = ({ extrinsic, transfers: [first] }: Rows) => {
    const row = extrinsic ?? first
    return row === undefined ? 0 : orderOf(row)
  }
  return [...found.values()].sort((a, b) => place(b) - place(a))
}

const enough = (sides: Sides, { limit, since }: HistoryQuestion): boolean => {
  const { extrinsics, transfers } = sides
  const end = horizon(sides)
  if (!isBehind(transfers, end) && !isBehind(extrinsics, end)) return true
  const known = groups(sides)
  const oldest = known.at(-1)
  const time = oldest?.extrinsic?.block_timestamp ?? oldest?.transfers[0]?.block_timestamp
  return known.length >= limit || (since !== undefined && time !== undefined && time < since)
}

const toPart = (
  name: string,
  { address, limit, since = 0 }: HistoryQuestion,
  sides: Sides,
  fault: UpstreamError | undefined
): HistoryPart => {
  const { extrinsics, transfers } = sides
  const known = groups(sides)
  const wanted = known.filter(
    ({ extrinsic, transfers: [first] }) => (extrinsic?.block_timestamp ?? first?.block_timestamp ?? 0) >= since
  )
  const shown = wanted.slice(0, limit)
  const unclear = shown.reduce((sum, rows) => sum + untold(rows), 0)
  const passed = wanted.length < known.length
  return {
    transactions: unique(shown, address),
    more:
      wanted.length > limit ||
      (!passed &&
        [transfers, extrinsics].some(
          (side: Side<unknown>) => (!isWhole(side) && side.rows.length > 0) || untoldRows(side) > 0
        )),
    sources: [name],
    missing: [
      ...failing("transfers", transfers),
      ...failing("calls without transfers", extrinsics),
      ...fewer(`transfers: ${name} tells no more`, transfers),
      ...fewer(`calls: ${name} tells no more`, extrinsics),
      ...(fault === undefined ? [] : [`older transactions: ${fault.message}`]),
      ...(unclear === 0 ? [] : [`the amounts of ${unclear} transfers: ${name} does not tell them in base units`])
    ]
  }
}

/** An account that was emptied and used again may sign the same bytes again: the older one goes by its place. */
const unique = (rows: ReadonlyArray<Rows>, holder: string): ReadonlyArray<Transaction> => {
  const seen = new Set<string>()
  return rows.flatMap((one) => {
    const transaction = toTransaction(holder, one)
    const row = one.extrinsic ?? one.transfers[0]
    if (transaction === undefined || row === undefined) return []
    const hash = seen.has(transaction.hash) ? idOf(row) : transaction.hash
    seen.add(hash)
    return [{ ...transaction, hash }]
  })
}

const failing = (what: string, { fault, rows }: Side<unknown>): ReadonlyArray<string> =>
  fault === undefined ? [] : [`${rows.length === 0 ? "" : "older "}${what}: ${fault.message}`]

const fewer = (what: string, side: Side<unknown>): ReadonlyArray<string> =>
  isWhole(side) && untoldRows(side) > 0 ? [`${untoldRows(side)} of ${side.count} ${what}`] : []

const late: Fault = { reason: "timeout", detail: "could not tell all in time" }
