import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { RpcReply } from "../Rpc.ts"
import { attempt } from "./attempt.ts"
import { hedge } from "./hedge.ts"
import { type Fallback, type Settled, settle } from "./judge.ts"
import type { MethodPolicy } from "./MethodPolicy.ts"
import * as NodeOrder from "./NodeOrder.ts"
import { keyOf, type ProxyRead, type ReadRequest, runKeyOf } from "./ProxyRead.ts"
import type { ProxyResponseCache } from "./ResponseCache.ts"
import type * as SharedRuns from "./SharedRuns.ts"
import { store } from "./store.ts"

export interface ReadsOptions {
  readonly upstream: Upstream
  readonly policy: MethodPolicy
  readonly cache: ProxyResponseCache
  readonly post: (body: string) => HttpClientRequest.HttpClientRequest
  readonly singleFlight: SharedRuns.SharedRuns<UpstreamError>
  /** How long nodes have to respond, ms, and the failure then. */
  readonly deadline: number
  readonly timedOut: UpstreamError
  readonly now: () => number
}

export type Reads = ReturnType<typeof make>

/** Reads go through these steps: cache, single flight, selection of nodes, hedge, judge, store. */
export const make = ({ cache, deadline, timedOut, now, policy, post, singleFlight, upstream }: ReadsOptions) => {
  const order = NodeOrder.make(upstream.addresses)
  const inFlight = singleFlight.shared<RpcReply>()
  const options = { policy, order, post, now }

  const begin = ({ call, rule }: ReadRequest): ProxyRead => ({
    call,
    rule,
    key: keyOf(call),
    start: now(),
    block: cache.block()
  })

  const cached = ({ key, start }: ProxyRead): RpcReply | undefined => cache.find(key, start)

  const isInFlight = (read: ProxyRead): boolean => inFlight.has(runKeyOf(read))

  /** Equal reads share this work, and what may be returned again is stored. */
  const join = (read: ProxyRead, work: Effect.Effect<Settled, UpstreamError>): Effect.Effect<RpcReply, UpstreamError> =>
    inFlight.join(
      runKeyOf(read),
      Effect.map(work, (settled) => {
        store(cache, policy, read, settled, now())
        return settled.reply
      })
    )

  /** The reply of the nodes. `earlier` are the fallbacks from responses to a batch. */
  const resolve = (read: ReadRequest, earlier: ReadonlyArray<Fallback> = []): Effect.Effect<Settled, UpstreamError> =>
    Effect.suspend(() => {
      const started = now()
      const nodes = order.ranked(started)
      if (!Arr.isNonEmptyReadonlyArray(nodes)) return upstream.over(() => Effect.fail(timedOut))
      const accepted = hedge(nodes, (node) => attempt(options, node, read), {
        now,
        until: started + deadline,
        timedOut: { error: timedOut },
        helpAt: started + order.hedgeDelay(read.call.method)
      })
      return Effect.matchEffect(accepted, {
        onFailure: ({ error, fallbacks }) => {
          const settled = settle(read.rule, [...earlier, ...fallbacks], now())
          return settled === undefined ? Effect.fail(error) : Effect.succeed(settled)
        },
        onSuccess: (reply) => Effect.succeed<Settled>({ reply, isSubstitute: false })
      })
    })

  const single = (request: ReadRequest): Effect.Effect<RpcReply, UpstreamError> =>
    Effect.suspend(() => {
      const read = begin(request)
      const reply = cached(read)
      return reply === undefined ? join(read, resolve(read)) : Effect.succeed(reply)
    })

  return { order, begin, cached, isInFlight, join, resolve, single }
}
