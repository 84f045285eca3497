import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import { labelled } from "../../kernel/counters.ts"
import { tolerated } from "../../kernel/Lateness.ts"
import { lazy } from "../../kernel/lazy.ts"
import * as Permits from "../../kernel/Permits.ts"
import * as declare from "../../settings/declare.ts"
import { maxRequests } from "../../settings/runtime.ts"
import type { SharedSlots } from "../SharedSlots.ts"
import * as ConcurrencyLimit from "./ConcurrencyLimit.ts"

/** Calls of the runtime that are left to others: icons of third parties, and telemetry. */
const others = 16

/** The most calls in progress to all hosts, always below the number at which the runtime lets calls wait. */
export const total = Effect.map(
  declare.integer({
    name: "UPSTREAM_CONCURRENCY_TOTAL",
    default: 512,
    min: 1,
    max: 10_000,
    meaning:
      "The most calls in flight to all upstream hosts together, of which one host gets at most half; see Limits of the runtime"
  }),
  (wanted) => Math.max(1, Math.min(wanted, maxRequests() - others))
)

/** Multiples of the bounds of one upstream that apply to all upstreams behind a host behindHost. */
const ofHost = { start: 3, max: 4 }

/** Share of the limit at the start that long calls may have besides it. */
const ofLongCalls = 1 / 2

/** Shorter times are equally fast, ms: they depend on this process more than on the host. */
const fast = tolerated

/**
 * Limits the calls of one upstream to one host: by what the host bears from it, and from all upstreams behind it, and by
 * the share of the host in all calls.
 */
export interface CallLimit {
  /**
   * Runs the call once it may start. `waiting` wraps each wait, and may end it with a failure. A batch counts as its calls,
   * at most half of those that may start: a client's, as many as the client may have in progress.
   */
  readonly withPermit: <A, E, E2>(
    call: Effect.Effect<A, E>,
    owner: Permits.Owner,
    waiting: (wait: Effect.Effect<void>) => Effect.Effect<void, E2>,
    calls?: number
  ) => Effect.Effect<A, E | E2>
  /** The same for a call that takes long: it leaves the limit as soon as it starts, and is counted apart. */
  readonly withLongPermit: CallLimit["withPermit"]
  /** Starts a call or a batch now, if it need not wait. Returns the function that ends it. */
  readonly take: (owner: Permits.Owner, calls?: number) => (() => void) | undefined
  /** The estimated wait until a call may start if calls take this long, ms. */
  readonly wait: (usual: number) => number
  readonly ended: (call: ConcurrencyLimit.Ended, now: number) => void
}

/** Takes both permits, or none. */
const both =
  (first: CallLimit["take"], second: CallLimit["take"]): CallLimit["take"] =>
  (owner, calls) => {
    const endFirst = first(owner, calls)
    if (endFirst === undefined) return undefined
    const endSecond = second(owner, calls)
    if (endSecond === undefined) {
      endFirst()
      return undefined
    }
    return () => {
      endSecond()
      endFirst()
    }
  }

const waits = lazy(() =>
  labelled(
    MetricKey.histogram(
      "upstream_concurrency_wait_seconds",
      MetricBoundaries.fromIterable([0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10]),
      "Time that calls waited for other calls to end, because UPSTREAM_CONCURRENCY_TOTAL calls were in flight"
    ),
    {}
  )
)

/** How the processes that share a store divide the calls to a host. */
interface Sharing {
  /** The number of processes. */
  readonly processes?: (() => number) | undefined
  readonly slots?: SharedSlots | undefined
}

/** Runs a call with one of the slots of all processes, while the part of each in the limit is less than one call. */
const counting =
  (slots: SharedSlots | undefined, { counted }: Pick<ConcurrencyLimit.ConcurrencyLimit, "counted">, name: string) =>
  <A, E, E2>(
    call: Effect.Effect<A, E>,
    waiting: (wait: Effect.Effect<void>) => Effect.Effect<void, E2>
  ): Effect.Effect<A, E | E2> =>
    Effect.suspend((): Effect.Effect<A, E | E2> => {
      if (slots === undefined || counted() === undefined) return call
      let release: (() => void) | undefined
      const taken = Effect.map(slots.take(name, counted), (free) => {
        release = free
      })
      return Effect.ensuring(
        Effect.zipRight(waiting(taken), call),
        Effect.sync(() => release?.())
      )
    })

const measured = <E>(wait: Effect.Effect<void, E>) =>
  Effect.flatMap(Clock.currentTimeMillis, (began) =>
    Effect.ensuring(
      wait,
      Effect.map(Clock.currentTimeMillis, (now) => waits().unsafeUpdate((now - began) / 1000, []))
    )
  )

/**
 * Returns a function that adds a host, which returns a function that adds an upstream behind it. A wait is never a part of
 * a call's time.
 */
export const make = (total: number, bounds: ConcurrencyLimit.Bounds, { processes, slots }: Sharing = {}) => {
  const all = Permits.make(total, { isShared: true })
  /** A half of all calls, which is the most for clients' calls. */
  const ofClients = Permits.make(Math.max(1, Math.floor(total / 2)), { isShared: true })
  return (hostName = "") => {
    const host = {}
    const behindHost = ConcurrencyLimit.make(
      { start: ofHost.start * bounds.start, max: ofHost.max * bounds.max },
      undefined,
      processes,
      slots !== undefined
    )
    const withSlotBehindHost = counting(slots, behindHost, hostName)
    let upstreams = 0
    /** The limit of the upstream that was refused last. */
    let refused: object | undefined
    const takeOfAll = () => all.take(host)
    const takeOfClients = both(() => ofClients.take(host), takeOfAll)
    const takeShare: CallLimit["take"] = (owner) =>
      (ConcurrencyLimit.isClient(owner) ? takeOfClients : takeOfAll)(owner)
    const takeBehindHost = both(behindHost.take, takeShare)

    return (growth: ReturnType<typeof ConcurrencyLimit.growth>, name = ""): CallLimit => {
      upstreams++
      const own = ConcurrencyLimit.make(bounds, growth, processes, slots !== undefined)
      const withOwnSlot = counting(slots, own, name)
      const takeAlone = both(own.take, takeShare)
      const takeAmong = both(own.take, takeBehindHost)
      const long = Permits.make(Math.max(1, Math.floor(ofLongCalls * bounds.start)), { isShared: true })
      // The limit of the only upstream is that of its host too.
      const isAlone = () => upstreams === 1
      const limited: CallLimit["withPermit"] = (call, owner, waiting, calls) =>
        own.withPermit(isAlone() ? call : behindHost.withPermit(call, owner, waiting, calls), owner, waiting, calls)
      const withShare: CallLimit["withPermit"] = (call, owner, waiting) => {
        const share = all.withPermit(call, host, (wait) => measured(waiting(wait)))
        return ConcurrencyLimit.isClient(owner) ? ofClients.withPermit(share, host, waiting) : share
      }
      const isCounted = () =>
        slots !== undefined && (own.counted() ?? (isAlone() ? undefined : behindHost.counted())) !== undefined
      const withSlot: CallLimit["withPermit"] = (call, _, waiting) =>
        withOwnSlot(isAlone() ? call : withSlotBehindHost(call, waiting), waiting)
      return {
        withPermit: (call, owner, waiting, calls) =>
          limited(withShare(withSlot(call, owner, waiting), owner, waiting), owner, waiting, calls),
        withLongPermit: (call, owner, waiting) => {
          const started = Effect.zipRight(limited(Effect.void, owner, waiting), withShare(call, owner, waiting))
          return long.withPermit(started, owner, waiting)
        },
        take: (owner, calls) => (isCounted() ? undefined : (isAlone() ? takeAlone : takeAmong)(owner, calls)),
        wait: (usual) => Math.max(own.wait(usual), isAlone() ? 0 : behindHost.wait(usual)),
        ended: (call, now) => {
          const time = call.time && Math.max(fast, call.time)
          const usual = own.usual()
          const isRefused = call.failure === "rate_limited"
          // One that is down, or has used up its own plan, is no reason for fewer calls to the others.
          const isOfHost = call.failure !== "timeout" && !(isRefused && (refused ?? own) === own)
          if (isRefused) refused = own
          // The usual times of upstreams differ.
          if (!isAlone() && isOfHost) behindHost.ended({ ...call, time: time && usual && time / usual }, now)
          own.ended({ ...call, time }, now)
        }
      }
    }
  }
}
