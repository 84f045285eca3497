import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { RpcCall, RpcReply } from "../Rpc.ts"
import { attempt, type Fallback, type Pass, type ReadOutcome, settle } from "./attempt.ts"
import * as Coalescing from "./Coalescing.ts"
import { hedge } from "./hedge.ts"
import type { MethodPolicy, ReadRequest } from "./MethodPolicy.ts"
import * as NodeOrder from "./NodeOrder.ts"
import type { ProxyResponseCache } from "./ResponseCache.ts"
import type * as SharedRuns from "./SharedRuns.ts"

export interface ReadsOptions {
  readonly upstream: Upstream
  readonly policy: MethodPolicy
  readonly cache: ProxyResponseCache
  readonly pass: Pass
  /** Time limit of a node for a batch of reads, ms; undefined if each read is sent alone. */
  readonly batchTime: number | undefined
  readonly singleFlight: SharedRuns.SharedRuns<UpstreamError>
  /** Time limit of the nodes for a response, ms, and the failure when it is over. */
  readonly deadline: number
  readonly timedOut: UpstreamError
  readonly clock: Clock.Clock
  readonly isLate: () => boolean
}

/** A read in the steps of the proxy, which do not change it. */
export interface ProxyRead extends ReadRequest {
  /** Equal for equal calls. */
  readonly key: string
  readonly start: number
  /** The newest block at that time, as counted by {@link ResponseCache}. */
  readonly block: number
}

export const keyOf = ({ method, params = "" }: RpcCall): string => `${method}\n${params}`

/** Contains the block, so that a read after a transaction does not join a read from before it. */
export const runKeyOf = ({ block, key }: Pick<ProxyRead, "block" | "key">): string => `${block}\n${key}`

/** Caches a reply if it may be returned again. The result of a newer block invalidates earlier results. */
export const store = (
  cache: ProxyResponseCache,
  { advances }: Pick<MethodPolicy, "advances">,
  { block, call, key, rule, start }: ProxyRead,
  { isSubstitute, reply }: ReadOutcome,
  now: number
): void => {
  if (reply.member === "error") return
  const isNewest = cache.block() === block
  if (!isSubstitute && advances?.(call, reply.text, now) === true) cache.advance()
  // A result that shows a new block belongs to that block.
  cache.put(key, reply, rule.cacheFor(reply.text, now), start, isNewest ? cache.block() : block)
}

export type Reads = ReturnType<typeof make>

/** Processes reads in these steps: cache, single flight, selection of nodes, hedge, judge, store. */
export const make = (readsOptions: ReadsOptions) => {
  const { batchTime, cache, clock, deadline, isLate, pass, policy, singleFlight, timedOut, upstream } = readsOptions
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
  const options = { policy, order, pass, coalesce, clock }

  const begin = ({ call, rule }: ReadRequest): ProxyRead => ({
    call,
    rule,
    key: keyOf(call),
    start: now(),
    block: cache.block()
  })

  const cached = ({ key, start }: ProxyRead): RpcReply | undefined => cache.find(key, start)

  const isInFlight = (read: ProxyRead): boolean => inFlight.has(runKeyOf(read))

  /** Shares the work with equal reads, and caches the reply. */
  const join = (read: ProxyRead, work: Task.Task<ReadOutcome, UpstreamError>): Task.Task<RpcReply, UpstreamError> =>
    inFlight.join(
      runKeyOf(read),
      Task.mapExit(work, (exit) =>
        Exit.map(exit, (settled) => {
          store(cache, policy, read, settled, now())
          return settled.reply
        })
      )
    )

  /** Gets the reply of the nodes. `earlier` are the fallbacks from responses to a batch. */
  const resolve =
    (read: ReadRequest, earlier: ReadonlyArray<Fallback> = []): Task.Task<ReadOutcome, UpstreamError> =>
    (done) => {
      const started = now()
      const nodes = order.ranked(started)
      if (!Arr.isNonEmptyReadonlyArray(nodes))
        return singleFlight.ofEffect(upstream.over(() => Effect.fail(timedOut)))(done)
      const accepted = hedge(nodes, (node) => attempt(options, node, read), {
        clock,
        until: started + deadline,
        timedOut: { error: timedOut },
        isLate,
        hedgeAt: started + order.hedgeDelay(read.call.method)
      })
      return Task.mapExit(accepted, (exit): Exit.Exit<ReadOutcome, UpstreamError> => {
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
