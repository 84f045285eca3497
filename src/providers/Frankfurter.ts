import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as declare from "../settings/declare.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import { validMembers } from "./validMembers.ts"

// Frankfurter's API v1 (frankfurter.dev/v1, can be self-hosted): the reference rates of the European Central Bank,
// published on working days at about 16:00 CET. No key, no published limit.

/** The value of one US dollar by lower-case currency code, on the day that starts at `at` (ms, UTC). */
export interface DayRates {
  readonly at: number
  readonly perUsd: Readonly<Record<string, number>>
}

/** Reference rates of about 30 national currencies. */
export class Frankfurter extends Context.Tag("providers/Frankfurter")<
  Frankfurter,
  {
    /** The rates of the last working day. */
    readonly latest: Effect.Effect<DayRates, UpstreamError>
    /** The rates of one currency since a time (ms): a row per working day, ascending. */
    readonly since: (currency: string, from: number) => Effect.Effect<ReadonlyArray<DayRates>, UpstreamError>
    /** Its state and usual latency, to rank it among sources of the same data. */
    readonly standing: Effect.Effect<Standing>
  }
>() {
  static readonly layer = Layer.effect(
    Frankfurter,
    Effect.gen(function* () {
      const upstream = yield* Upstream.make({
        name: "frankfurter",
        urls: [
          yield* declare.url({
            name: "FRANKFURTER_URL",
            default: "https://api.frankfurter.dev/v1",
            meaning: "Base address of Frankfurter's API v1: exchange rates of the European Central Bank"
          })
        ],
        // The limit is not published. The table is read hourly, the history of a currency once for all charts.
        rate: { source: "FRANKFURTER", keyless: { perSecond: 1, burst: 5, maxWait: 1_000 } },
        canary: (address) => address.read(request("/latest"), ResponseDecoder.fitting(Latest))
      })
      return {
        latest: Effect.map(upstream.read(request("/latest"), Latest), ({ date, rates }) => toDay(date, rates)),
        since: (currency, from) =>
          Effect.map(
            upstream.read(
              HttpClientRequest.setUrlParam(request(`/${dayOf(from)}..`), "symbols", currency.toUpperCase()),
              Series
            ),
            ({ rates }) =>
              Object.entries(rates)
                .map(([date, byCode]) => toDay(date, byCode))
                .sort((a, b) => a.at - b.at)
          ),
        standing: upstream.standing
      }
    })
  )
}

const request = (path: string) => HttpClientRequest.get(path).pipe(HttpClientRequest.setUrlParam("base", "USD"))

const Day = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d\d-\d\d$/),
  Schema.filter((text) => !Number.isNaN(Date.parse(text)))
)

const Rates = validMembers(Schema.Positive.pipe(Schema.finite()))

/** `/latest?base=USD`. */
const Latest = Schema.Struct({ base: Schema.Literal("USD"), date: Day, rates: Rates })

/** `/<day>..?base=USD&symbols=EUR`. */
const Series = Schema.Struct({
  base: Schema.Literal("USD"),
  rates: Schema.Record({ key: Day, value: Rates })
})

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

const toDay = (date: string, rates: Readonly<Record<string, number>>): DayRates => ({
  at: Date.parse(date),
  perUsd: Object.fromEntries(Object.entries(rates).map(([code, rate]) => [code.toLowerCase(), rate]))
})
