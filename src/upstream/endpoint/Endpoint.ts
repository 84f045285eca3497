import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type * as Task from "../../kernel/Task.ts"
import type * as CircuitBreaker from "../CircuitBreaker.ts"
import { CurrentPriority } from "../Priority.ts"
import type * as Sources from "../Sources.ts"
import type { Fault, UpstreamError } from "../UpstreamError.ts"
import type * as EndpointCaller from "./EndpointCaller.ts"
import { isRetryable, retry } from "./retry.ts"
import type * as Timings from "./Timings.ts"

/** One address of an upstream: no other address is called. */
export interface Endpoint {
  /** Its index in the order of preference, from 0; stable, so that a caller can remember what works where. */
  readonly index: number
  /** An error of this upstream, for a response whose fault only the caller can see. */
  readonly fault: (fault: Fault) => UpstreamError
  /** May be repeated: passing faults are tried again after a short, jittered wait. */
  readonly read: EndpointCaller.Call
  /** Must not be repeated: goes out once. */
  readonly send: EndpointCaller.Call
  /**
   * As `send`, for clients' own calls to a node, which differ in their JSON body alone: with their own permits, beside the
   * calls of the service. What needs a fiber, such as a wait for a permit, is done by `ofEffect`.
   */
  readonly pass: (request: HttpClientRequest.HttpClientRequest, ofEffect: Task.OfEffect) => EndpointCaller.Pass
}

/** An address with its standing among the others. */
export interface RankedEndpoint extends Endpoint, Sources.Source {
  readonly circuit: CircuitBreaker.Circuit
}

/** The address at this index; `isOnlyAddress` says whether the upstream has no other. */
export const make = (
  caller: Effect.Effect.Success<ReturnType<typeof EndpointCaller.make>>,
  state: EndpointCaller.EndpointState,
  index: number,
  isOnlyAddress: boolean
): RankedEndpoint => {
  const { call, pass, timings, probes } = caller.to(state)
  const { circuit } = state
  const { clock } = caller
  return {
    index,
    fault: caller.fail,
    circuit,
    standing: Effect.suspend(() => standing(state, timings, clock.unsafeCurrentTimeMillis())),
    send: (request, interpret) => probes.once((sending) => call(sending, request, interpret)),
    pass,
    read: (request, interpret, size) =>
      probes.repeatable((sending, isOpen) =>
        retry(call(sending, request, interpret, size), {
          while: (error) => isRetryable(error, isOnlyAddress) && !(isOpen && error.status === undefined),
          times: isOnlyAddress ? 2 : 1
        })
      )
  }
}

const standing = (
  { budget, circuit, concurrency }: EndpointCaller.EndpointState,
  timings: ReturnType<typeof Timings.make>,
  now: number
): Sources.Source["standing"] => {
  const usual = timings.usual()
  if (circuit.blockedFor(now) > 0) return Effect.succeed({ state: "blocked", usual })
  if (circuit.refusal(now) !== undefined) return Effect.succeed({ state: "silent", usual })
  if (circuit.isLastResort(now) || timings.overdue(now)) return Effect.succeed({ state: "failing", usual })
  const available = circuit.state(now) === "closed" ? "works" : "probe"
  return Effect.zipWith(CurrentPriority, budget.wait, ({ maxWait = usual }, wait) => ({
    state: Math.max(wait, concurrency.wait(usual)) > maxWait ? "limited" : available,
    usual
  }))
}
