import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Reason } from "../domain/Reason.ts"
import * as Permits from "../kernel/Permits.ts"
import { span } from "../kernel/span.ts"
import { upstreamTimeout } from "../settings/Timeout.ts"
import * as Activity from "./Activity.ts"
import { baseAddress } from "./baseAddress.ts"
import * as Budget from "./budget/Budget.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import { CurrentUpstream } from "./CurrentUpstream.ts"
import { concealing } from "./concealSecrets.ts"
import { CurrentPriority, priorities } from "./Priority.ts"
import * as ResponseDecoder from "./response/ResponseDecoder.ts"
import * as ResponseSize from "./response/ResponseSize.ts"
import * as Timings from "./Timings.ts"
import { type Fault, UpstreamError } from "./UpstreamError.ts"
import { Upstreams } from "./Upstreams.ts"

// A metric whose key has the labels finds its state once, one that is tagged later looks it up each time.
const calls = MetricKey.counter("upstream_calls_total", {
  description: "Calls to upstreams by outcome",
  incremental: true
})
const seconds = MetricKey.histogram(
  "upstream_call_duration_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from a call to the end of its answer"
)

/** An address that asks for a longer rest than this is passed over, not waited for. */
const longestWait = 1_000

type Keys = ReadonlyArray<readonly [name: string, key: Redacted.Redacted<string>]>

interface EndpointOptions {
  readonly name: string
  readonly concurrency: number
  /** Header fields and parameters of the query that hold keys. */
  readonly keys: Keys
  readonly keyParameters: Keys
  /** All addresses of the upstream: a redirect may lead from one to another. */
  readonly urls: ReadonlyArray<string>
  /** The largest answer that a call of ours may have. */
  readonly size: ResponseSize.Size
}

/** What stands around the calls to one address. */
interface EndpointState {
  readonly url: string
  readonly circuit: CircuitBreaker.Circuit
  readonly budget: Budget.BudgetQueue
  readonly report: (failure: Reason | undefined, at: number) => void
}

/** How single calls go out to the addresses of one upstream. */
export const make = ({ concurrency, keyParameters, keys, name, size, urls }: EndpointOptions) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const clock = yield* Effect.clock
    const timeout = yield* upstreamTimeout
    const limit = yield* (yield* Upstreams).timeLimit(timeout)
    const late = (): Fault => ({ reason: "timeout", detail: `timed out after ${timeout} ms` })
    const own = [...keys, ...keyParameters].map(([, key]) => key)
    const hosts = [...new Set(urls.map((url) => new URL(url).host))]
    const permits = Permits.make(concurrency)
    const fail = (fault: Fault) => new UpstreamError({ upstream: name, ...fault })
    const label = MetricLabel.make("upstream", name)
    const took = Metric.fromMetricKey(MetricKey.taggedWithLabels(seconds, [label]))
    const outcomes = new Map<string, Metric.Metric.Counter<number>>()

    const counter = (outcome: string) => {
      const known = outcomes.get(outcome)
      if (known !== undefined) return known
      const made = Metric.fromMetricKey(
        MetricKey.taggedWithLabels(calls, [label, MetricLabel.make("outcome", outcome)])
      )
      outcomes.set(outcome, made)
      return made
    }

    const count = (outcome: Reason | "ok" | "interrupted", time: number) => {
      counter(outcome).unsafeUpdate(1, [])
      took.unsafeUpdate(time / 1000, [])
    }

    /** Its own limits make a call wait: that is no silence of the source. */
    const waiting = <A, E>(activity: Activity.Activity | undefined, turn: Effect.Effect<A, E>) =>
      activity === undefined
        ? turn
        : Effect.acquireUseRelease(
            Effect.sync(() => Activity.wait(activity, 1, clock.unsafeCurrentTimeMillis())),
            () => turn,
            () => Effect.sync(() => Activity.wait(activity, -1, clock.unsafeCurrentTimeMillis()))
          )

    /** The calls to one address, each of them once and within the time limit. */
    const to = Effect.fnUntraced(function* ({ budget, circuit, report, url }: EndpointState) {
      const { authorization, base, parameters, secrets } = baseAddress(url)
      /** All that an exchange needs to know of where it belongs. */
      const allSecrets = [...secrets, ...own]
      const isSecret = authorization !== undefined || allSecrets.length > 0
      const known = Context.make(CurrentUpstream, {
        name,
        secrets: allSecrets,
        // A redirect would carry a key to wherever it leads.
        redirects: isSecret ? [] : hosts
      })
      // Without spans of its own it tells third parties nothing of ours, and no span holds an address.
      const within = yield* limit
        .within()
        .pipe(Effect.provide(known), Effect.locally(HttpClient.currentTracerDisabledWhen, constTrue))

      const keysHere = allSecrets.map(Redacted.value).filter(({ length }) => length >= shortestKey)
      const conceal = concealing(keysHere)

      /** What an upstream says may be passed on, and errors like to quote the address that was asked. */
      const withoutKeys = (answer: ResponseDecoder.UpstreamResponse): ResponseDecoder.UpstreamResponse => ({
        ...answer,
        text: conceal(answer.text)
      })

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

      /** An address that does not work is the reason, also where it used up its calls by that. */
      const turn = Effect.mapError(budget.acquire, (fault) =>
        fail({ ...fault, ...circuit.cause(clock.unsafeCurrentTimeMillis()), unsent: true })
      )

      const timings = Timings.make(circuit, timeout)

      const ended = (exit: Exit.Exit<unknown, UpstreamError>, call: Timings.TimedCall): void => {
        const now = clock.unsafeCurrentTimeMillis()
        const time = now - call.started
        const error = Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.failureOption(exit.cause))
        if (error === undefined && Exit.isFailure(exit)) {
          timings.left(call, now)
          count("interrupted", time)
          return
        }
        Activity.note(call.activity, now)
        timings.ended(call, now)
        const answered = error === undefined || error.final === true
        circuit.ended(now, answered ? undefined : { reason: error.reason, detail: error.detail }, error?.retryAfter)
        report(answered ? undefined : error.reason, now)
        count(error?.reason ?? "ok", time)
      }

      /** Nothing is yielded between the steps that need not wait: a call that is passed on costs little else. */
      const attempt = <A>(
        request: HttpClientRequest.HttpClientRequest,
        interpret: ResponseDecoder.Decoder<A>,
        size: ResponseSize.Size,
        activity?: Activity.Activity
      ): Effect.Effect<A, UpstreamError> =>
        Effect.suspend(() => {
          const started = clock.unsafeCurrentTimeMillis()
          // While a caller queued for its permit, another may have been told to stay away.
          const wait = circuit.blockedFor(started)
          if (wait > longestWait) return blocked(started, wait)
          if (wait > 0) return Effect.zipRight(Effect.sleep(wait), attempt(request, interpret, size, activity))
          Activity.note(activity, started)
          const call = timings.begun(started, activity)
          const exchange = Effect.tap(
            Effect.flatMap(Effect.mapError(http.execute(prepare(request)), unreachable), (response) =>
              ResponseDecoder.read(response, size)
            ),
            () => {
              call.came = true
            }
          )
          const described = keysHere.length === 0 ? exchange : Effect.map(exchange, withoutKeys)
          const interpreted = Effect.flatMap(within(described, late), ResponseDecoder.guarded(interpret))
          return Effect.onExit(Effect.mapError(interpreted, fail), (exit) => {
            ended(exit, call)
            return Effect.void
          })
        })

      const blocked = (now: number, wait: number) =>
        fail({ ...(circuit.cause(now) ?? CircuitBreaker.limited), retryAfter: wait, unsent: true })

      /** Whoever has to stay away takes no turn from others. */
      const inTurn = Effect.suspend(() => {
        const now = clock.unsafeCurrentTimeMillis()
        const wait = circuit.blockedFor(now)
        return wait > longestWait ? blocked(now, wait) : turn
      })

      const passTurn = Effect.provideService(inTurn, CurrentPriority, priorities.proxy)

      return {
        timings,
        tell: <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
          Effect.flatMap(Activity.CurrentActivity, (activity) => {
            const permitted = permits.withPermit(attempt(request, interpret, size, activity))
            return budget === Budget.unlimited ? permitted : Effect.zipRight(waiting(activity, inTurn), permitted)
          }),
        /** Beside our own calls and not in their place: they are as many as the clients want. */
        pass: <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) => {
          const attempted = attempt(request, interpret, ResponseSize.passed)
          return budget === Budget.unlimited ? attempted : Effect.zipRight(passTurn, attempted)
        }
      }
    }, span("attempts.to"))

    return { fail, to }
  })

/** What is shorter may be a word like any other. */
const shortestKey = 8

/** What the runtime says where no connection came to be: nothing was sent. */
const unconnected = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]

const unreachable = ({ _tag, cause }: HttpClientError.HttpClientError): Fault => {
  if (_tag === "ResponseError") return ResponseDecoder.brokenOff
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return {
    reason: "upstream_error",
    detail: "could not be reached",
    ...(typeof code === "string" && unconnected.includes(code) ? { unsent: true } : {})
  }
}
