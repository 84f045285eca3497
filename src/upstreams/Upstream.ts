import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import type { Reason } from "../domain/Reason.ts"
import * as Answer from "./Answer.ts"
import * as Attempts from "./attempts.ts"
import * as Budget from "./Budget.ts"
import * as Circuit from "./circuit.ts"
import * as Size from "./Size.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"
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
  /** As `tell`, for a client's own call to a node: in flight beside ours, and not in their place. */
  readonly pass: Address["tell"]
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
  /** An error of this upstream, for what only the caller can see is wrong with its answers. */
  readonly fault: (fault: Fault) => UpstreamError
  /** Several calls that belong to one address; a failure that is not final moves all of them to the next address. */
  readonly over: <A>(use: (address: Address) => Effect.Effect<A, UpstreamError>) => Effect.Effect<A, UpstreamError>
  /**
   * A call that must not happen twice, for `tell`: it goes to the next address only where it cannot have arrived at the
   * one before, as no connection came to be or the caller was turned away.
   */
  readonly once: Upstream["over"]
  /** All addresses, the preferred one first, for callers that choose by themselves. */
  readonly addresses: ReadonlyArray<Address & { readonly circuit: Circuit.Circuit }>
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
  /** The largest answer that is plausible; what is larger is cut off and refused. By default {@link Size.usual}. */
  readonly size?: Size.Size
  /** A small question whose answer is known to exist: tells whether an address works. */
  readonly canary: (address: Address) => Effect.Effect<unknown, UpstreamError>
}

/** An upstream client. With no address every call fails as `not_configured`. */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { name } = options
    const keys = Object.entries(options.keys ?? {})
    const keyParameters = Object.entries(options.keyParameters ?? {})
    const keyed = keys.length + keyParameters.length > 0
    const alone = options.urls.length === 1
    const known = yield* Upstreams
    const limits = yield* Budget.configured(options.rate, keyed)
    const budgets = yield* Effect.forEach(options.urls, (url) => known.budget(new URL(url).host, limits))
    const { concurrency, size = Size.usual, urls } = options
    const attempts = yield* Attempts.make({ name, urls, concurrency, keys, keyParameters, size })
    const { fail } = attempts
    const notConfigured = fail({
      reason: "not_configured",
      detail: "no address is configured",
      final: true,
      unsent: true
    })
    const places = options.urls.map((url, index) => ({
      url,
      circuit: Circuit.make(),
      budget: budgets[index] ?? Budget.unlimited,
      report: (failure: Reason | undefined, at: number): void => report(failure, at)
    }))

    const addresses = yield* Effect.forEach(places, (place, index) =>
      Effect.map(attempts.to(place), ({ pass, tell }) => ({
        index,
        fault: fail,
        circuit: place.circuit,
        ready: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          place.circuit.resting(now) || place.circuit.blockedFor(now) > 0 ? Effect.succeed(false) : place.budget.ready
        ),
        tell,
        pass,
        ask: <A>(request: HttpClientRequest.HttpClientRequest, interpret: Answer.Interpreter<A>) =>
          Effect.retry(tell(request, interpret), {
            while: (error) => worthRepeating(error, alone),
            times: alone ? 2 : 1,
            schedule: backoff
          })
      }))
    )

    const report = yield* known.register({
      name,
      keyed,
      addresses: addresses.map((address, index) => ({
        host: new URL(options.urls[index] ?? "").host,
        circuit: address.circuit.state,
        try: options.canary(address)
      }))
    })

    /** Those that work before those that rest, until one succeeds or fails in a way that holds for all. */
    const inOrder =
      (moves: (error: UpstreamError) => boolean): Upstream["over"] =>
      (use) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const resting = addresses.filter(({ circuit }) => circuit.resting(start))
          let last = notConfigured
          for (const address of [...addresses.filter((one) => !resting.includes(one)), ...resting]) {
            const result = yield* Effect.either(use(address))
            if (Either.isRight(result)) return result.right
            if (!moves(result.left)) return yield* result.left
            last = result.left
          }
          return yield* last
        })

    const over = inOrder(({ final }) => final !== true)
    /** What is thrown while answers are put together costs this upstream's call, as a wrong answer does. */
    const sound =
      <A>(use: (address: Address) => Effect.Effect<A, UpstreamError>) =>
      (address: Address) =>
        Effect.catchAllDefect(
          Effect.suspend(() => use(address)),
          (defect) => Effect.zipRight(Effect.logError(`${name}: internal error`, defect), fail(Answer.unreadable))
        )

    const spanned: Upstream["over"] = (use) => Effect.withSpan(over(sound(use)), `${name} read`, { kind: "client" })
    const once = inOrder(didNotArrive)

    return {
      name,
      keyed,
      addresses,
      ready: Effect.exists(addresses, ({ ready }) => ready),
      fault: fail,
      over: spanned,
      once: (use) => Effect.withSpan(once(sound(use)), `${name} send`, { kind: "client" }),
      read: (request, answer, absent) => {
        const interpret = Answer.fitting(answer, options, absent)
        return spanned((address) => address.ask(request, interpret))
      }
    } satisfies Upstream as Upstream
  })

const backoff = Schedule.jittered(Schedule.exponential("100 millis"))

/** A timeout has used up its time already. A rest that is asked for is waited for only where there is no other address. */
const worthRepeating = (error: UpstreamError, alone: boolean) =>
  error.final !== true &&
  (error.retryAfter === undefined || (alone && error.retryAfter <= 1_000)) &&
  (error.reason === "rate_limited" || (error.reason === "upstream_error" && !refusesUs(error.status)))

const refusesUs = (status: number | undefined) => status !== undefined && status >= 400 && status < 500

/** Whether a call cannot have done anything: there was no connection, or a gateway turned the caller away. */
export const didNotArrive = ({ status, unsent }: UpstreamError) =>
  unsent === true || (status !== undefined && turnedAway.includes(status))

const turnedAway = [401, 402, 403, 429]
