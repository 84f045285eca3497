import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type * as Task from "../../kernel/Task.ts"
import type * as CircuitBreaker from "../CircuitBreaker.ts"
import { CurrentPriority } from "../Priority.ts"
import type * as Sources from "../Sources.ts"
import type { Fault, UpstreamError } from "../UpstreamError.ts"
import type * as EndpointCaller from "./EndpointCaller.ts"
import { isRetryable, retry } from "./retry.ts"

/** One address of an upstream; its calls use no other address. */
export interface Endpoint {
  /** Index in the order of preference, from 0. Stable, so that a caller can remember which address supports a call. */
  readonly index: number
  /** Creates an error of this upstream, for a fault that only the caller can detect. */
  readonly fault: (fault: Fault) => UpstreamError
  /** For repeatable calls: retries transient faults after a short, jittered wait. */
  readonly read: EndpointCaller.Call
  /** For calls that must not be repeated: sends once. */
  readonly send: EndpointCaller.Call
  /**
   * Like `send`, for clients' own calls to a node, which differ only in their JSON body. Their permits are separate
   * from those of the service's calls. `ofEffect` runs the steps that need a fiber, such as a wait for a permit.
   */
  readonly pass: (request: HttpClientRequest.HttpClientRequest, ofEffect: Task.OfEffect) => EndpointCaller.Pass
}

/** An address with its standing among the others. */
export interface RankedEndpoint extends Endpoint, Sources.Source {
  readonly circuit: CircuitBreaker.Circuit
}

/** Creates the address at this index. `isOnlyAddress` is true if the upstream has no other address. */
export const make = (
  caller: Effect.Effect.Success<ReturnType<typeof EndpointCaller.make>>,
  state: EndpointCaller.EndpointState,
  index: number,
  isOnlyAddress: boolean
): RankedEndpoint => {
  const { call, circuit, pass, probes } = caller.to(state)
  const { clock } = caller
  return {
    index,
    fault: caller.fail,
    circuit,
    standing: Effect.suspend(() => standing(state, circuit, clock.unsafeCurrentTimeMillis())),
    send: (request, interpret) => probes.once((sending) => call(sending)(request, interpret)),
    pass,
    read: (request, interpret, size) =>
      probes.repeatable((sending, isOpen) =>
        retry(call(sending)(request, interpret, size), {
          while: (error) => isRetryable(error, isOnlyAddress) && !(isOpen && error.status === undefined),
          times: isOnlyAddress ? 2 : 1
        })
      )
  }
}

const standing = (
  { budget, concurrency }: EndpointCaller.EndpointState,
  circuit: CircuitBreaker.Circuit,
  now: number
): Sources.Source["standing"] => {
  const usual = circuit.usual()
  if (circuit.blockedFor(now) > 0) return Effect.succeed({ state: "blocked", usual })
  if (circuit.refusal(now) !== undefined) return Effect.succeed({ state: "silent", usual })
  if (circuit.isLastResort(now) || circuit.isOverdue(now)) return Effect.succeed({ state: "failing", usual })
  const available = circuit.state(now) === "closed" ? "works" : "probe"
  return Effect.zipWith(CurrentPriority, budget.wait, ({ maxWait = usual }, wait) => ({
    state: Math.max(wait, concurrency.wait(usual)) > maxWait ? "limited" : available,
    usual
  }))
}
