import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { RpcReply } from "../Rpc.ts"
import { attempt, type Pass } from "./attempt.ts"
import * as Coalescing from "./Coalescing.ts"
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
  readonly pass: Pass
  /** The longest time that a node has for a batch of reads, ms; undefined where each read goes out by itself. */
  readonly batchTime: number | undefined
  readonly singleFlight: SharedRuns.SharedRuns<UpstreamError>
  /** How long nodes have to respond, ms, and the failure then. */
  readonly deadline: number
  readonly timedOut: UpstreamError
  readonly clock: Clock.Clock
}

export type Reads = ReturnType<typeof make>

/** Reads go through these steps: cache, single flight, selection of nodes, hedge, judge, store. */
export const make = (readsOptions: ReadsOptions) => {
  const { batchTime, cache, clock, deadline, pass, policy, singleFlight, timedOut, upstream } = readsOptions
  const now = () => clock.unsafeCurrentTimeMillis()
  const order = NodeOrder.make(upstream.addresses)
  const inFlight = singleFlight.shared<RpcReply>()
  const coalesce =
    batchTime === undefined
      ? undefined
      : Coalescing.make({
          clock,
          pass,
          policy,
          slowAfter: (method) => Math.min(order.hedgeDelay(method), batchTime)
        })
  const options = { policy, order, pass, coalesce, now }

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
  const join = (read: ProxyRead, work: Task.Task<Settled, UpstreamError>): Task.Task<RpcReply, UpstreamError> =>
    inFlight.join(
      runKeyOf(read),
      Task.mapExit(work, (exit) =>
        Exit.map(exit, (settled) => {
          store(cache, policy, read, settled, now())
          return settled.reply
        })
      )
    )

  /** The reply of the nodes. `earlier` are the fallbacks from responses to a batch. */
  const resolve =
    (read: ReadRequest, earlier: ReadonlyArray<Fallback> = []): Task.Task<Settled, UpstreamError> =>
    (done) => {
      const started = now()
      const nodes = order.ranked(started)
      if (!Arr.isNonEmptyReadonlyArray(nodes))
        return singleFlight.ofEffect(upstream.over(() => Effect.fail(timedOut)))(done)
      const accepted = hedge(nodes, (node) => attempt(options, node, read), {
        clock,
        until: started + deadline,
        timedOut: { error: timedOut },
        helpAt: started + order.hedgeDelay(read.call.method)
      })
      return Task.mapExit(accepted, (exit): Exit.Exit<Settled, UpstreamError> => {
        if (Exit.isSuccess(exit)) return Exit.succeed({ reply: exit.value, isSubstitute: false })
        const rejected = Task.failureOf(exit)
        const settled = rejected && settle(read.rule, [...earlier, ...rejected.fallbacks], now())
        return settled === undefined
          ? Exit.failCause(Cause.map(exit.cause, ({ error }) => error))
          : Exit.succeed(settled)
      })(done)
    }

  const single =
    (request: ReadRequest): Task.Task<RpcReply, UpstreamError> =>
    (done) => {
      const read = begin(request)
      const reply = cached(read)
      return (reply === undefined ? join(read, resolve(read)) : Task.ended(Exit.succeed(reply)))(done)
    }

  return { order, begin, cached, isInFlight, join, resolve, single }
}
