import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { span } from "../kernel/span.ts"
import * as Budget from "./budget/Budget.ts"
import * as Endpoints from "./endpoint/Endpoints.ts"
import { didNotArrive } from "./endpoint/retrying.ts"
import { CurrentUse, Levers } from "./levers/Levers.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import * as ResponseDecoder from "./response/ResponseDecoder.ts"
import * as ResponseSize from "./response/ResponseSize.ts"
import * as Sources from "./Sources.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"
import { Upstreams } from "./Upstreams.ts"

export { demandsPause, longestWait } from "./CircuitBreaker.ts"
export type { Endpoint } from "./endpoint/Endpoints.ts"
export { didNotArrive } from "./endpoint/retrying.ts"

interface OverOptions<A> {
  /** True if a result is complete. Otherwise uses the next address; if no result is complete, returns the first. */
  readonly isWhole?: ((result: A) => boolean) | undefined
  readonly except?: ReadonlySet<unknown>
}

/** Client of one kind of upstream: the only module that decides on timeouts, retries and order. */
export interface Upstream {
  readonly name: string
  /** True if the operator's key is sent with the calls. */
  readonly keyed: boolean
  /** Standing of its best address, among other sources of the same data. */
  readonly standing: Effect.Effect<Sources.Standing>
  /** Sends a GET or another call that changes nothing: retries transient faults, then uses the next address. */
  readonly read: <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Schema<A, I>,
    /** Result for a 404, if that is not a fault: such as an address that was never used. */
    absent?: { readonly value: A }
  ) => Effect.Effect<A, UpstreamError>
  /** Creates an error of this upstream, for a fault that only the caller can detect. */
  readonly fault: (fault: Fault) => UpstreamError
  /**
   * Runs repeatable calls that must use the same address. After a failure that is not final, or if the address is
   * slower than usual, runs all of them at the next address.
   */
  readonly over: <A>(
    use: (address: Endpoints.Endpoint) => Effect.Effect<A, UpstreamError>,
    options?: OverOptions<A>
  ) => Effect.Effect<A, UpstreamError>
  /**
   * Runs a call that must not happen twice, for `send`. Uses the next address only if the call cannot have arrived at
   * the previous one: there was no connection, or the gateway rejected it.
   */
  readonly once: <A>(
    use: (address: Endpoints.Endpoint) => Effect.Effect<A, UpstreamError>
  ) => Effect.Effect<A, UpstreamError>
  /** Sends a small request to an address, which shows whether it works. */
  readonly test: (address: Endpoints.Endpoint) => Effect.Effect<unknown, UpstreamError>
  /** All addresses, the preferred one first, for callers that choose themselves. */
  readonly addresses: ReadonlyArray<Endpoints.RankedEndpoint>
}

/** Reads from one address. */
export type ReadAt<Parameters extends ReadonlyArray<unknown>, A> = (
  address: Endpoints.Endpoint,
  ...parameters: Parameters
) => Effect.Effect<A, UpstreamError>

/** Observes the outcomes of reads of all upstreams, and decides which upstreams are skipped. */
interface Watching {
  /** True if reads of this upstream fail immediately, so that the next source is used. */
  readonly leavesOut: (upstream: string) => boolean
  /** A read ended, with an error or successfully. */
  readonly ended: (upstream: string, error?: UpstreamError) => void
}

/** Upstream clients get the observer when they are created; that of the running service does nothing. */
export class Observer extends Context.Reference<Observer>()("upstream/Observer", {
  defaultValue: (): Watching => ({ leavesOut: () => false, ended: () => undefined })
}) {}

export interface UpstreamOptions extends ResponseDecoder.DecodeOptions {
  readonly name: string
  /** Base addresses, the preferred one first. User and password in an address become an Authorization header. */
  readonly urls: ReadonlyArray<string>
  readonly keys?: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly keyParameters?: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Rate at which each host may be called, with a key and without. */
  readonly rate?: Budget.Granted
  /** Largest plausible response; a larger one is aborted and rejected. Default: {@link ResponseSize.usual}. */
  readonly size?: ResponseSize.Size
  /** The calls of the provider, where they are values. */
  readonly calls?: ProviderCalls
  /** A small request whose result is known to exist: it shows whether an address works. */
  readonly canary: (address: Endpoints.Endpoint) => Effect.Effect<unknown, UpstreamError>
}

/** Creates an upstream client. Without an address, every call fails as `not_configured`. */
export const make = (options: UpstreamOptions) =>
  Effect.gen(function* () {
    const { name, size = ResponseSize.usual, urls } = options
    const keys = Object.entries(options.keys ?? {})
    const keyParameters = Object.entries(options.keyParameters ?? {})
    const keyed = keys.length + keyParameters.length > 0
    const upstreams = yield* Upstreams
    const limits = yield* Budget.configured(options.rate, keyed)
    const { endpoints: addresses, fail } = yield* Endpoints.make({ name, urls, keys, keyParameters, size, limits })
    const notConfigured = fail({
      reason: "not_configured",
      detail: "no address is configured",
      final: true,
      unsent: true
    })

    const levers = yield* Levers
    yield* upstreams.register({
      name,
      off: () => levers.off(name, {}),
      keyed,
      calls: options.calls,
      budget: (now) => Budget.remaining(addresses, now),
      addresses: addresses.map((address) => ({
        host: address.host,
        circuit: address.circuit.addressState,
        // Also an address that the operator switched off can be tested.
        try: Effect.provideService(
          Effect.suspend(() => options.canary(address)),
          CurrentUse,
          "check"
        )
      }))
    })

    const guarded = withDefectsAsErrors(name, fail)
    const observer = yield* Observer
    const skipped = fail({ reason: "not_configured", detail: "is skipped", unsent: true })
    const watched: typeof guarded = (use) => (address) =>
      observer.leavesOut(name)
        ? skipped
        : Effect.tapBoth(guarded(use)(address), {
            onFailure: (error) => Effect.sync(() => observer.ended(name, error)),
            onSuccess: () => Effect.sync(() => observer.ended(name))
          })
    const stops = ({ final }: UpstreamError) => final === true
    const over: Upstream["over"] = (use, { except, isWhole } = {}) => {
      const chosen = except === undefined ? addresses : addresses.filter((address) => !except.has(address))
      return span(`${name} read`, { kind: "client" })(
        Sources.firstOf(chosen, watched(use), { none: notConfigured, stops, isWhole })
      )
    }

    return {
      name,
      keyed,
      addresses,
      test: options.canary,
      standing: Effect.map(
        Effect.forEach(addresses, ({ standing }) => standing),
        standingOf
      ),
      fault: (found) => {
        const error = fail(found)
        // Found by the caller after a read has ended.
        if (error.reason === "bad_answer") observer.ended(name, error)
        return error
      },
      over,
      once: (use) => span(`${name} send`, { kind: "client" })(sendOnce(addresses, guarded(use), notConfigured)),
      read: (request, schema, absent) => {
        const interpret = ResponseDecoder.fitting(schema, options, absent)
        return over((address) => address.read(request, interpret))
      }
    } satisfies Upstream as Upstream
  })

const sendOnce = <A>(
  addresses: Upstream["addresses"],
  use: (address: Endpoints.Endpoint) => Effect.Effect<A, UpstreamError>,
  notConfigured: UpstreamError
): Effect.Effect<A, UpstreamError> =>
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

/** A defect while results are assembled fails the upstream's call, like an unreadable response. */
const withDefectsAsErrors =
  (name: string, fail: Upstream["fault"]) =>
  <A, B>(use: (address: B) => Effect.Effect<A, UpstreamError>) =>
  (address: B) =>
    Effect.catchAllDefect(
      Effect.suspend(() => use(address)),
      (defect) => Effect.zipRight(Effect.logError(`${name}: internal error`, defect), fail(ResponseDecoder.unreadable))
    )

/** If several addresses work, doubles the usual time, so that they are tried before other sources. */
const standingOf = (all: ReadonlyArray<Sources.Standing>): Sources.Standing => {
  const [first] = all
  if (first !== undefined && all.every(({ state }) => state === "off")) return first
  const best = all.reduce((standing, other) => (Sources.better(other, standing) ? other : standing), blockedStanding)
  const others = all.filter(({ state }) => state === "works").length > 1
  return others ? { ...best, usual: 2 * best.usual } : best
}

const blockedStanding: Sources.Standing = { state: "blocked", usual: 0 }
