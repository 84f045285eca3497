import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import type { Reason } from "../domain/Reason.ts"
import { span } from "../kernel/span.ts"
import * as Budget from "./budget/Budget.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import type { Endpoint } from "./Endpoint.ts"
import * as EndpointCaller from "./EndpointCaller.ts"
import { Observer, watching } from "./Observer.ts"
import { CurrentPriority } from "./Priority.ts"
import * as ResponseDecoder from "./response/ResponseDecoder.ts"
import * as ResponseSize from "./response/ResponseSize.ts"
import * as Sources from "./Sources.ts"
import * as Trials from "./Trials.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"
import { Upstreams } from "./Upstreams.ts"

export type { Endpoint } from "./Endpoint.ts"

/** The client of one kind of upstream: the only place where timeouts, retries and order are decided. */
export interface Upstream {
  readonly name: string
  /** Whether a key of the operator's goes with the calls. */
  readonly keyed: boolean
  /** The standing of its best address, among other sources of the same data. */
  readonly standing: Effect.Effect<Sources.Standing>
  /** A GET or another call that changes nothing: tried again on passing faults, then at the next address. */
  readonly read: <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Schema<A, I>,
    /** What a 404 means, where it is a result: an address that was never used. */
    absent?: { readonly value: A }
  ) => Effect.Effect<A, UpstreamError>
  /** An error of this upstream, for what only the caller can see is wrong with its answers. */
  readonly fault: (fault: Fault) => UpstreamError
  /**
   * Several calls that belong to one address and may be repeated; a failure that is not final moves all of them to the next
   * address, which starts them also where the address before is slower than usual.
   */
  readonly over: <A>(use: (address: Endpoint) => Effect.Effect<A, UpstreamError>) => Effect.Effect<A, UpstreamError>
  /**
   * A call that must not happen twice, for `tell`: it goes to the next address only where it cannot have arrived at the
   * one before, as there was no connection or the gateway rejected the call.
   */
  readonly once: Upstream["over"]
  /** All addresses, the preferred one first, for callers that choose by themselves. */
  readonly addresses: ReadonlyArray<Endpoint & Sources.Source & { readonly circuit: CircuitBreaker.Circuit }>
}

export interface UpstreamOptions extends ResponseDecoder.DecodeOptions {
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
  /** The largest answer that is plausible; what is larger is cut off and refused. By default {@link ResponseSize.usual}. */
  readonly size?: ResponseSize.Size
  /** A small request whose result is known to exist: it shows whether an address works. */
  readonly canary: (address: Endpoint) => Effect.Effect<unknown, UpstreamError>
}

/** An upstream client. With no address every call fails as `not_configured`. */
export const make = (options: UpstreamOptions) =>
  Effect.gen(function* () {
    const { name } = options
    const keys = Object.entries(options.keys ?? {})
    const keyParameters = Object.entries(options.keyParameters ?? {})
    const keyed = keys.length + keyParameters.length > 0
    const alone = options.urls.length === 1
    const known = yield* Upstreams
    const limits = yield* Budget.configured(options.rate, keyed)
    const hosts = options.urls.map((url) => new URL(url).host)
    const budgets = yield* Effect.forEach(hosts, (host) => known.budget(host, limits))
    const blocks = yield* Effect.forEach(hosts, known.block)
    const { concurrency, size = ResponseSize.usual, urls } = options
    const caller = yield* EndpointCaller.make({ name, urls, concurrency, keys, keyParameters, size })
    const { fail } = caller
    const notConfigured = fail({
      reason: "not_configured",
      detail: "no address is configured",
      final: true,
      unsent: true
    })
    const places = options.urls.map((url, index) => ({
      url,
      circuit: CircuitBreaker.make(blocks[index]),
      budget: budgets[index] ?? Budget.unlimited,
      report: (failure: Reason | undefined, at: number): void => report(failure, at)
    }))

    const clock = yield* Effect.clock

    const addresses = yield* Effect.forEach(places, (place, index) =>
      Effect.map(caller.to(place), ({ pass, tell, timings }) => {
        const { budget, circuit } = place
        const trials = Trials.make({ circuit, wait: timings.trialWait, fail, clock })
        const standing = Effect.gen(function* () {
          const now = clock.unsafeCurrentTimeMillis()
          const time = timings.usual()
          if (circuit.blockedFor(now) > 0) return { state: "blocked", usual: time } as const
          if (circuit.resting(now) || timings.overdue(now)) return { state: "resting", usual: time } as const
          const { maxWait = time } = yield* CurrentPriority
          if ((yield* budget.wait) > maxWait) return { state: "limited", usual: time } as const
          return { state: circuit.state(now) === "closed" ? "works" : "trial", usual: time } as const
        })
        return {
          index,
          fault: fail,
          circuit,
          standing,
          send: <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
            trials.once(tell(request, interpret)),
          pass: <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
            trials.once(pass(request, interpret)),
          read: <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
            trials.repeatable((isResting) =>
              repeated(tell(request, interpret), {
                while: (error) => worthRepeating(error, alone) && !(isResting && error.status === undefined),
                times: alone ? 2 : 1,
                schedule: backoff
              })
            )
        }
      })
    )

    const report = yield* known.register({
      name,
      keyed,
      addresses: addresses.map((address, index) => ({
        host: hosts[index] ?? "",
        circuit: address.circuit.state,
        try: options.canary(address)
      }))
    })

    const over: Upstream["over"] = (use) => Sources.first(addresses, use, { none: notConfigured, stops: isFinal })

    const once: Upstream["over"] = (use) =>
      Effect.gen(function* () {
        let last = notConfigured
        for (const { source } of yield* Sources.ordered(addresses)) {
          const result = yield* Effect.either(use(source))
          if (Either.isRight(result)) return result.right
          if (!didNotArrive(result.left)) return yield* result.left
          last = result.left
        }
        return yield* last
      })

    /** What is thrown while results are assembled fails this upstream's call, as a bad response does. */
    const sound =
      <A, B>(use: (address: B) => Effect.Effect<A, UpstreamError>) =>
      (address: B) =>
        Effect.catchAllDefect(
          Effect.suspend(() => use(address)),
          (defect) =>
            Effect.zipRight(Effect.logError(`${name}: internal error`, defect), fail(ResponseDecoder.unreadable))
        )

    const { fault, watched } = watching(yield* Observer, name, fail)

    const spanned: Upstream["over"] = (use) => span(`${name} read`, { kind: "client" })(over(watched(sound(use))))

    return {
      name,
      keyed,
      addresses,
      standing: Effect.map(
        Effect.forEach(addresses, ({ standing }) => standing),
        (all) => standingOf(all)
      ),
      fault,
      over: spanned,
      once: (use) => span(`${name} send`, { kind: "client" })(once(sound(use))),
      read: (request, answer, absent) => {
        const interpret = ResponseDecoder.fitting(answer, options, absent)
        return spanned((address) => address.read(request, interpret))
      }
    } satisfies Upstream as Upstream
  })

const isFinal = ({ final }: UpstreamError) => final === true

/** Where one address is slow, another address of the same upstream is tried before other sources. */
const standingOf = (all: ReadonlyArray<Sources.Standing>): Sources.Standing => {
  const best = all.reduce((standing, other) => (Sources.better(other, standing) ? other : standing), nobody)
  const others = all.filter(({ state }) => state === "works").length > 1
  return others ? { ...best, usual: 2 * best.usual } : best
}

const nobody: Sources.Standing = { state: "blocked", usual: 0 }

const backoff = Schedule.jittered(Schedule.exponential("100 millis"))

interface Repetition<E> {
  readonly while: (error: E) => boolean
  readonly times: number
  readonly schedule: typeof backoff
}

/** As `Effect.retry`, at no cost for a call that succeeds. */
const repeated = <A, E>(self: Effect.Effect<A, E>, options: Repetition<E>): Effect.Effect<A, E> =>
  Effect.catchAll(self, (error) => {
    if (!options.while(error)) return Effect.fail(error)
    let next: Effect.Effect<A, E> = Effect.fail(error)
    const again = Effect.suspend(() => {
      const now = next
      next = self
      return now
    })
    return Effect.retry(again, options)
  })

/** A timeout has used up its time already. A pause that is demanded is waited for only where there is no other address. */
const worthRepeating = (error: UpstreamError, alone: boolean) =>
  error.final !== true &&
  (error.retryAfter === undefined || (alone && error.retryAfter <= 1_000)) &&
  (error.reason === "rate_limited" || (error.reason === "upstream_error" && !refusesUs(error.status)))

const refusesUs = (status: number | undefined) => status !== undefined && status >= 400 && status < 500

/** Whether a call cannot have done anything: there was no connection, or a gateway rejected the call. */
export const didNotArrive = ({ status, unsent }: UpstreamError) =>
  unsent === true || (status !== undefined && rejected.includes(status))

const rejected = [401, 402, 403, 429]
