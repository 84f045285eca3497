import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import type { Reason } from "../domain/Reason.ts"
import { upstreamTimeout } from "../settings/Timeout.ts"
import * as Answer from "./Answer.ts"
import * as Budget from "./Budget.ts"
import { baseAddress } from "./baseAddress.ts"
import { CurrentUpstream } from "./CurrentUpstream.ts"
import * as Pauses from "./pauses.ts"
import { type Fault, UpstreamError } from "./UpstreamError.ts"
import { Upstreams } from "./Upstreams.ts"

/** One address of an upstream: what happens here stays here, no other address is asked. */
export interface Address {
  /** Its place in the order of preference, from 0; stable, so that a caller can remember what works where. */
  readonly index: number
  /** An error of this upstream, for what only the caller can see is wrong with its answers. */
  readonly fault: (fault: Fault) => UpstreamError
  /** May be repeated: passing faults are tried again after a short, jittered wait. */
  readonly ask: <A>(
    request: HttpClientRequest.HttpClientRequest,
    interpret: Answer.Interpreter<A>
  ) => Effect.Effect<A, UpstreamError>
  /** Must not be repeated: goes out once. */
  readonly tell: <A>(
    request: HttpClientRequest.HttpClientRequest,
    interpret: Answer.Interpreter<A>
  ) => Effect.Effect<A, UpstreamError>
}

/** The one way out of the process to one kind of upstream: the only place where timeouts, retries and order are decided. */
export interface Upstream {
  readonly name: string
  /** Whether a key of the operator's goes with the calls. */
  readonly keyed: boolean
  /** Whether a call would go out now: some address neither rests after failures nor waits for its budget. */
  readonly ready: Effect.Effect<boolean>
  /** A GET or another call that changes nothing: tried again on passing faults, then at the next address. */
  readonly read: <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Schema<A, I>,
    /** What a 404 means, where it is an answer: an address that nobody has used. */
    absent?: { readonly value: A }
  ) => Effect.Effect<A, UpstreamError>
  /** A call that must not happen twice: goes out once, to the preferred address. */
  readonly send: <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Schema<A, I>
  ) => Effect.Effect<A, UpstreamError>
  /** An error of this upstream, for what only the caller can see is wrong with its answers. */
  readonly fault: (fault: Fault) => UpstreamError
  /** Several calls that belong to one address; a failure that is not final moves all of them to the next address. */
  readonly over: <A>(use: (address: Address) => Effect.Effect<A, UpstreamError>) => Effect.Effect<A, UpstreamError>
}

export interface Options extends Answer.Reading {
  readonly name: string
  /** Base addresses, the preferred one first. User and password in an address become an Authorization header. */
  readonly urls: ReadonlyArray<string>
  /** Calls in flight at once, over all addresses. */
  readonly concurrency: number
  /** Headers that hold keys. */
  readonly keys?: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Parameters of the query that hold keys. */
  readonly keyParameters?: Readonly<Record<string, Redacted.Redacted<string>>>
  /** How often each host may be called: what its provider grants with a key and without one. */
  readonly rate?: Budget.Granted
  /** A small question whose answer is known to exist: tells whether an address works. */
  readonly canary: (address: Address) => Effect.Effect<unknown, UpstreamError>
}

const calls = Metric.counter("upstream_calls_total", {
  description: "Calls to upstreams by outcome",
  incremental: true
})
const seconds = Metric.histogram(
  "upstream_call_duration_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from a call to the end of its answer"
)

/** An address that asks for a longer rest than this is passed over, not waited for. */
const longestWait = 1_000

/** An upstream client. Reads UPSTREAM_TIMEOUT_MS; with no address every call fails as `not_configured`. */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { name } = options
    const http = (yield* HttpClient.HttpClient).pipe(
      HttpClient.withTracerPropagation(false),
      HttpClient.withTracerDisabledWhen(() => true)
    )
    const timeout = yield* upstreamTimeout
    const keys = Object.entries(options.keys ?? {})
    const keyParameters = Object.entries(options.keyParameters ?? {})
    const own = [...keys, ...keyParameters].map(([, key]) => key)
    const keyed = own.length > 0
    const alone = options.urls.length === 1
    // A redirect would carry a key to wherever it leads.
    const redirect = keyed ? "error" : "follow"
    const permits = yield* Effect.makeSemaphore(options.concurrency)
    const known = yield* Upstreams
    const limits = yield* Budget.configured(options.rate, keyed)
    const budgets = yield* Effect.forEach(options.urls, (url) => known.budget(new URL(url).host, limits))
    const fail = (fault: Fault) => new UpstreamError({ upstream: name, ...fault })
    const notConfigured = fail({ reason: "not_configured", detail: "no address is configured", final: true })

    const count = (outcome: Reason | "ok" | "interrupted", started: number) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* Metric.update(calls.pipe(Metric.tagged("upstream", name), Metric.tagged("outcome", outcome)), 1)
        yield* Metric.update(seconds.pipe(Metric.tagged("upstream", name)), (now - started) / 1000)
      })

    const addresses = options.urls.map((text, index) => {
      const { authorization, base, parameters, secrets } = baseAddress(text)
      const pauses = Pauses.make()
      const budget = budgets[index] ?? Budget.unlimited

      const ready = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        pauses.resting(now) || pauses.blockedFor(now) > 0 ? Effect.succeed(false) : budget.ready
      )

      const ended = (error: UpstreamError | undefined, started: number): Effect.Effect<void> =>
        Effect.gen(function* () {
          yield* count(error?.reason ?? "ok", started)
          const answered = error === undefined || error.final === true
          yield* report(answered ? undefined : error.reason)
          pauses.ended(yield* Clock.currentTimeMillis, answered, error?.retryAfter)
        })

      /** Asked with a permit in hand: while a caller queued for it, another may have been told to stay away. */
      const allowed = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const wait = pauses.blockedFor(now)
        if (wait <= longestWait) return wait > 0 ? Effect.sleep(wait) : Effect.void
        return fail({ reason: "rate_limited", detail: "asks for fewer calls", retryAfter: wait })
      })

      const attempt = <A>(request: HttpClientRequest.HttpClientRequest, interpret: Answer.Interpreter<A>) =>
        Effect.flatMap(Effect.zipRight(allowed, Clock.currentTimeMillis), (started) =>
          http.execute(prepare(request)).pipe(
            Effect.mapError(() => unreachable),
            Effect.flatMap(Answer.read),
            Effect.timeoutFail({
              duration: timeout,
              onTimeout: (): Fault => ({ reason: "timeout", detail: `no answer within ${timeout} ms` })
            }),
            Effect.flatMap(interpret),
            Effect.mapError(fail),
            Effect.tap(() => ended(undefined, started)),
            Effect.tapError((error) => ended(error, started)),
            Effect.onInterrupt(() => count("interrupted", started))
          )
        ).pipe(
          permits.withPermits(1),
          (permitted) => Effect.zipRight(Effect.mapError(budget.turn, fail), permitted),
          Effect.provideService(FetchHttpClient.RequestInit, { redirect }),
          Effect.provideService(CurrentUpstream, { name, secrets: [...secrets, ...own] })
        )

      const prepare = (request: HttpClientRequest.HttpClientRequest) => {
        let prepared = HttpClientRequest.setUrl(request, `${base}${request.url}`)
        for (const [key, value] of parameters) prepared = HttpClientRequest.appendUrlParam(prepared, key, value)
        for (const [name, key] of keyParameters)
          prepared = HttpClientRequest.appendUrlParam(prepared, name, Redacted.value(key))
        if (authorization !== undefined)
          prepared = HttpClientRequest.setHeader(prepared, "authorization", Redacted.value(authorization))
        for (const [header, key] of keys) prepared = HttpClientRequest.setHeader(prepared, header, Redacted.value(key))
        return HttpClientRequest.setHeader(prepared, "user-agent", "wallet-data")
      }

      return {
        index,
        fault: fail,
        pauses,
        ready,
        tell: attempt,
        ask: <A>(request: HttpClientRequest.HttpClientRequest, interpret: Answer.Interpreter<A>) =>
          Effect.retry(attempt(request, interpret), {
            while: (error) => worthRepeating(error, alone),
            times: alone ? 2 : 1,
            schedule: backoff
          })
      }
    })

    const report = yield* known.register({
      name,
      keyed,
      addresses: addresses.map((address, index) => ({
        host: new URL(options.urls[index] ?? "").host,
        try: options.canary(address)
      }))
    })

    const over: Upstream["over"] = (use) =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const resting = addresses.filter((address) => address.pauses.resting(start))
        let last = notConfigured
        for (const address of [...addresses.filter((one) => !resting.includes(one)), ...resting]) {
          const result = yield* Effect.either(use(address))
          if (Either.isRight(result)) return result.right
          if (result.left.final === true) return yield* result.left
          last = result.left
        }
        return yield* last
      }).pipe(Effect.withSpan(`${name} read`, { kind: "client" }))

    return {
      name,
      keyed,
      ready: Effect.exists(addresses, ({ ready }) => ready),
      fault: fail,
      over,
      read: (request, answer, absent) => {
        const interpret = Answer.fitting(answer, options, absent)
        return over((address) => address.ask(request, interpret))
      },
      send: (request, answer) => {
        const first = addresses[0]
        return first === undefined
          ? notConfigured
          : first
              .tell(request, Answer.fitting(answer, options))
              .pipe(Effect.withSpan(`${name} send`, { kind: "client" }))
      }
    } satisfies Upstream as Upstream
  })

const backoff = Schedule.jittered(Schedule.exponential("100 millis"))

/** A timeout has used up its time already. A rest that is asked for is waited for only where there is no other address. */
const worthRepeating = (error: UpstreamError, alone: boolean) =>
  error.final !== true &&
  (error.retryAfter === undefined || (alone && error.retryAfter <= longestWait)) &&
  (error.reason === "rate_limited" || (error.reason === "upstream_error" && !refusesUs(error.status)))

const refusesUs = (status: number | undefined) => status !== undefined && status >= 400 && status < 500

const unreachable: Fault = { reason: "upstream_error", detail: "could not be reached" }
