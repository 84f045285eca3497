import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import type { Upstream } from "../upstream/Upstream.ts"
import * as BinanceWire from "./BinanceWire.ts"

const nothing: BinanceWire.Rows = new Map()

/** How long a symbol that was unknown is not requested again, ms. */
const delistedFor = 24 * 60 * 60 * 1000

/** How long a check of the peg is valid, ms. */
const pegLasts = 5 * 60 * 1000

const pegSymbol = "USDCUSDT"
const pegTolerance = 0.01

/** Older numbers of a pair say nothing about the peg now, ms. */
const pegMaxAge = 15 * 60 * 1000

const isPegged = ({ closeTime, lastPrice }: BinanceWire.Row, now: number) =>
  Math.abs(lastPrice - 1) <= pegTolerance && Math.abs(now - closeTime) <= pegMaxAge

/** The pairs that are traded against tether, as long as tether is worth a dollar. */
export const make = (api: Upstream) => {
  const delisted = BoundedMap.make<string, true>({ capacity: 1_000 })
  const peg = { checkedAt: Number.NEGATIVE_INFINITY, holds: false }

  const read = <A, I>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Schema<A, I>) =>
    api.over((address) => address.read(request, BinanceWire.reading(schema)))

  const isDelisted = (symbol: string, now: number): boolean => delisted.get(symbol, now) === true

  /** None for a symbol that is unknown; it is then not requested for a day. */
  const readSymbol = <A, I>(
    symbol: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Schema<A, I>
  ) =>
    Effect.tap(read(request, schema), (found) =>
      Option.isSome(found)
        ? Effect.void
        : Effect.map(Clock.currentTimeMillis, (now) => delisted.set(symbol, true, now + delistedFor))
    )

  const rowOf = (symbol: string) =>
    Effect.map(
      readSymbol(symbol, ofDay([symbol]), BinanceWire.Rows),
      Option.getOrElse((): BinanceWire.Rows => new Map([[symbol, Option.none()]]))
    )

  /** An unknown symbol fails the whole list: then each is requested alone. */
  const rowsOf = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>) {
    const all = yield* read(ofDay(symbols), BinanceWire.Rows)
    if (Option.isSome(all)) return all.value
    const each = yield* Effect.forEach(symbols, rowOf, { concurrency: 4 })
    return new Map(each.flatMap((rows) => [...rows])) satisfies BinanceWire.Rows as BinanceWire.Rows
  })

  /** The rows of those of these symbols that are traded; none unless the peg holds. */
  const traded = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>) {
    const started = yield* Clock.currentTimeMillis
    const wanted = [...symbols, pegSymbol].filter((symbol) => !isDelisted(symbol, started))
    if (!wanted.includes(pegSymbol)) return nothing
    const found = yield* rowsOf(wanted)
    const pair = found.get(pegSymbol)
    if (pair === undefined)
      return yield* api.fault({ reason: "bad_answer", detail: "returned something other than what was requested" })
    const now = yield* Clock.currentTimeMillis
    peg.checkedAt = now
    peg.holds = Option.exists(pair, (row) => isPegged(row, now))
    if (peg.holds) return found
    yield* Effect.logWarning("binance: no prices, because tether is not known to be worth a dollar")
    return nothing
  })

  const pegHolds = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // The age of a check in the future, from before the clock was set back, is unknown.
    if (now < peg.checkedAt || now - peg.checkedAt > pegLasts) yield* traded([])
    return peg.holds
  })

  return { isDelisted, readSymbol, traded, pegHolds }
}

const ofDay = (symbols: ReadonlyArray<string>) =>
  HttpClientRequest.get("/api/v3/ticker/24hr").pipe(
    HttpClientRequest.setUrlParams({ symbols: JSON.stringify(symbols) })
  )
