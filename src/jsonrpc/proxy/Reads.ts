import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { MemoryBudget } from "../../kernel/collections/MemoryBudget.ts"
import type * as SingleFlight from "../../kernel/SingleFlight.ts"
import * as Task from "../../kernel/Task.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { RpcCall, RpcReply } from "../Rpc.ts"
import {
  type AttemptedNode,
  type AttemptOptions,
  attempt,
  type Fallback,
  type Pass,
  type ReadOutcome,
  settle
} from "./attempt.ts"
import * as Coalescing from "./Coalescing.ts"
import type { SharedReplies } from "./FinalReplies.ts"
import * as FurtherNode from "./FurtherNode.ts"
import { hedge } from "./hedge.ts"
import type { MethodPolicy, ReadRequest } from "./MethodPolicy.ts"
import * as NodeOrder from "./NodeOrder.ts"
import type { ProxyResponseCache } from "./ResponseCache.ts"
import type * as SharedRuns from "./SharedRuns.ts"

export interface ReadsOptions {
  readonly upstream: Upstream
  readonly policy: MethodPolicy
  readonly cache: ProxyResponseCache
  /** Final replies of all processes. */
  readonly shared: SharedReplies
  readonly pass: Pass
  /** Time limit of a node for a batch of reads, ms; undefined if each read is sent alone. */
  readonly batchTime: number | undefined
  readonly singleFlight: SharedRuns.SharedRuns<UpstreamError>
  /** Time limit of the nodes for a response, ms, and the failure when it is over. */
  readonly deadline: number
  readonly timedOut: UpstreamError
  readonly clock: Clock.Clock
  readonly isLate: () => boolean
  readonly memory: MemoryBudget | undefined
}

/** A read in the steps of the proxy, which do not change it. */
export interface ProxyRead extends ReadRequest {
  /** Equal for equal calls. */
  readonly key: string
  readonly start: number
  /** The newest block at that time, as counted by {@link ResponseCache}. */
  readonly block: number
  readonly progress: SingleFlight.Progress
}

export const keyOf = ({ method, params = "" }: RpcCall): string => `${method}\n${params}`

/** Contains the block, so that a read after a transaction does not join a read from before it. */
export const runKeyOf = ({ block, key }: Pick<ProxyRead, "block" | "key">): string => `${block}\n${key}`

/**
 * Caches a reply if it may be returned again, and no node is missing that should confirm it. The result of a newer block
 * invalidates earlier results.
 */
export const store = (
  cache: ProxyResponseCache,
  { advances }: Pick<MethodPolicy, "advances">,
  { block, call, key, rule, start }: Omit<ProxyRead, "progress">,
  { isSubstitute, isUnconfirmed, reply }: ReadOutcome & { readonly isUnconfirmed?: boolean },
  now: number
): void => {
  if (reply.member === "error") return
  const isNewest = cache.block() === block
  if (!isSubstitute && advances?.(call, reply.text, now) === true) cache.advance()
  if (isUnconfirmed === true) return
  // A result that shows a new block belongs to that block.
  cache.put(key, reply, rule.cacheFor(reply.text, now), start, isNewest ? cache.block() : block)
}

const nothing = () => {}

export type Reads = ReturnType<typeof make>

/** Notes the nodes that have the read, and those that have replied or failed. */
const noting =
  <A, E>(attempt: (node: AttemptedNode) => Task.Task<A, E>, called: Map<AttemptedNode, boolean>) =>
  (node: AttemptedNode): Task.Task<A, E> =>
  (ended) => {
    called.set(node, false)
    return attempt(node)((exit) => {
      called.set(node, true)
      ended(exit)
    })
  }

/** Gets replies of the nodes. */
const resolving = (
  { clock, deadline, isLate, singleFlight, timedOut, upstream }: ReadsOptions,
  options: AttemptOptions,
  further: ReturnType<typeof FurtherNode.make<ProxyRead>>
) => {
  const { order } = options
  const now = () => clock.unsafeCurrentTimeMillis()

  const compared = (
    read: ProxyRead,
    reply: RpcReply,
    called: FurtherNode.Called,
    until: number
  ): Task.Task<ReadOutcome> => {
    const send = (_: unknown, node: AttemptedNode) =>
      Task.mapExit(attempt(options, node, read), (exit) =>
        Exit.succeed(Exit.isSuccess(exit) ? [{ reply: exit.value }] : [])
      )
    return Task.mapExit(
      further.improve([read], [{ reply }], { called, send, until }),
      Exit.map(([best]) => ({ reply: best?.reply ?? reply, isSubstitute: false }))
    )
  }

  /** `earlier` are the fallbacks from responses to a batch. */
  return (read: ProxyRead, earlier: ReadonlyArray<Fallback> = []): Task.Task<ReadOutcome, UpstreamError> =>
    (done) => {
      const started = now()
      const until = started + deadline
      const nodes = order.ranked(started, read.call.method)
      if (!Arr.isNonEmptyReadonlyArray(nodes))
        return singleFlight.ofEffect(upstream.over(() => Effect.fail(timedOut)))(done)
      const called = read.rule.mayBeBehind && new Map<AttemptedNode, boolean>()
      const alone = (node: AttemptedNode) => attempt(options, node, read)
      const accepted = hedge(nodes, called === undefined ? alone : noting(alone, called), {
        clock,
        until,
        timedOut: { error: timedOut },
        isLate,
        hedgeAt: started + order.hedgeDelay(read.call.method)
      })
      return Task.andThen(accepted, (exit): Task.Task<ReadOutcome, UpstreamError> => {
        if (Exit.isSuccess(exit))
          return called === undefined
            ? Task.ended(Exit.succeed({ reply: exit.value, isSubstitute: false }))
            : compared(read, exit.value, called, until)
        const rejected = Task.failureOf(exit)
        const settled = rejected && settle(read.rule, [...earlier, ...rejected.fallbacks], now())
        return Task.ended(
          settled === undefined ? Exit.failCause(Cause.map(exit.cause, ({ error }) => error)) : Exit.succeed(settled)
        )
      })(done)
    }
}

/** Gets replies that other processes have stored, and caches them in memory. */
const recalling = ({ cache, shared, singleFlight }: ReadsOptions) => {
  /** The replies to some of these reads, by key. */
  const recalled = (reads: ReadonlyArray<ProxyRead>): Effect.Effect<ReadonlyMap<string, RpcReply>> =>
    Effect.tap(shared.find(reads), (found) =>
      Effect.sync(() => {
        for (const { block, key, start } of reads) {
          const reply = found.get(key)
          if (reply !== undefined) cache.put(key, reply, "forever", start, block)
        }
      })
    )

  /** The reply that another process has stored, else that of the nodes. */
  const recalledOr = (read: ProxyRead, other: Task.Task<RpcReply, UpstreamError>): Task.Task<RpcReply, UpstreamError> =>
    Task.andThen(singleFlight.ofEffect(recalled([read])), (exit) => {
      const reply = Exit.isSuccess(exit) ? exit.value.get(read.key) : undefined
      return reply === undefined ? other : Task.ended(Exit.succeed(reply))
    })

  return { recalled, recalledOr }
}

/** Processes reads in these steps: cache, single flight, selection of nodes, hedge, judge, further node, store. */
export const make = (readsOptions: ReadsOptions) => {
  const { batchTime, cache, clock, isLate, memory, pass, policy, shared, singleFlight, upstream } = readsOptions
  const now = () => clock.unsafeCurrentTimeMillis()
  const order = NodeOrder.make(upstream.addresses)
  const inFlight = singleFlight.shared<RpcReply>(({ kind }) => kind === "too_many_calls")
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
  const further = FurtherNode.make<ProxyRead>({
    clock,
    isLate,
    isOnlyNode: upstream.addresses.length < 2,
    blockTime: policy.blockTime,
    order,
    keyOf: runKeyOf,
    memory
  })

  const resolve = resolving(readsOptions, options, further)
  const { recalled, recalledOr } = recalling(readsOptions)

  const begin = ({ call, rule }: ReadRequest): ProxyRead => ({
    call,
    rule,
    key: keyOf(call),
    start: now(),
    block: cache.block(),
    progress: { onSent: nothing }
  })

  const cached = ({ key, start }: ProxyRead): RpcReply | undefined => cache.find(key, start)

  const isInFlight = (read: ProxyRead): boolean => inFlight.has(runKeyOf(read))

  /** True if the read is neither cached nor in flight. */
  const isAbsent = (read: ProxyRead): boolean => cached(read) === undefined && !isInFlight(read)

  /** Shares the work with equal reads, and caches the reply. */
  const join = (read: ProxyRead, work: Task.Task<ReadOutcome, UpstreamError>): Task.Task<RpcReply, UpstreamError> =>
    inFlight.join(runKeyOf(read), {
      name: read.call.client,
      progress: read.progress,
      work: Task.mapExit(work, (exit) =>
        Exit.map(exit, (settled) => {
          const isUnconfirmed = further.isUnconfirmed(read, settled)
          store(cache, policy, read, { ...settled, isUnconfirmed }, now())
          if (!settled.isSubstitute) shared.put(read, settled.reply, now())
          return settled.reply
        })
      )
    })

  const single =
    (request: ReadRequest): Task.Task<RpcReply, UpstreamError> =>
    (done) => {
      const read = begin(request)
      const reply = cached(read)
      if (reply !== undefined) return Task.ended(Exit.succeed(reply))(done)
      const joined = join(read, resolve(read))
      return (isInFlight(read) || !shared.mayHave(read) ? joined : recalledOr(read, joined))(done)
    }

  return { order, further, begin, isAbsent, join, recalled, resolve, single }
}
