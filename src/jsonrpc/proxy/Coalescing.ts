import type * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import { timer } from "../../kernel/timeout.ts"
import * as CallTime from "../../upstream/CallTime.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { AttemptedNode, Pass } from "./attempt.ts"
import type { MethodPolicy, ReadRequest } from "./MethodPolicy.ts"

/** While fewer reads than this are in flight to a node, a read is sent immediately and alone. */
const busy = 8

/** Maximum number of reads in one request. */
const maxBatchSize = 50

/** Longest time that a read waits for others, ms. */
const maxWait = 5

/** If no call is in flight, a read waits only for reads that arrive in the same tick, ms. */
const idleWait = 0

/** Time for which reads are sent alone after the node rejected a batch or was slow, ms. */
const pause = 60_000

type Responded = Exit.Exit<Response.ParsedResponse | undefined, UpstreamError>

interface Waiting {
  readonly read: ReadRequest
  readonly carried: (time: CallTime.CallTime) => void
  readonly done: (exit: Responded) => void
}

interface Batch {
  readonly waiting: Set<Waiting>
  /** Stops waiting for more reads, or cancels the request. */
  cancel: () => void
}

interface CoalescingOptions {
  readonly clock: Clock.Clock
  readonly pass: Pass
  readonly policy: Pick<MethodPolicy, "isHeavy" | "textIds">
  /** Time after which a call of this method is slow, ms. */
  readonly slowAfter: (method: string) => number
}

/** Sends a read in a batch, or alone with `single`. `carried` gets the time of its batch. */
export type Coalesce = (
  node: AttemptedNode,
  read: ReadRequest,
  single: Task.Task<Response.ParsedResponse, UpstreamError>,
  carried: (time: CallTime.CallTime) => void
) => Task.Task<Response.ParsedResponse, UpstreamError>

/**
 * Under load, sends the reads of several clients to a node in one request, with new ids. A read without a response is
 * sent alone, as is every read of a batch that is rejected or slow: no read waits for another slow read.
 */
export const make = (options: CoalescingOptions): Coalesce => {
  const nodes = new Map<string, Coalesce>()
  return (node, read, single, carried) => {
    // A heavy read would delay the others in its request.
    const key = `${node.index} ${options.policy.isHeavy?.(read.call.method) ?? false}`
    const coalesce = nodes.get(key) ?? toNode(options)
    nodes.set(key, coalesce)
    return coalesce(node, read, single, carried)
  }
}

/** A period of fixed length, ms, which can be started repeatedly. */
const period = (clock: Clock.Clock, length: number) => {
  let until = 0
  return {
    begin: () => {
      until = clock.unsafeCurrentTimeMillis() + length
    },
    isNow: () => {
      const left = until - clock.unsafeCurrentTimeMillis()
      // A longer remaining time means that the clock was set back.
      return left > 0 && left <= length
    }
  }
}

/** Sends several reads in one request; returns no response to any of them if the node is slow. */
const exchangeOf = (
  { clock, pass, policy, slowAfter }: CoalescingOptions,
  node: AttemptedNode,
  waiting: ReadonlyArray<Waiting>
) => {
  const reads = waiting.map(({ read }) => read)
  const time = CallTime.make(clock, () => {
    for (const { progress } of reads) progress?.onSent()
  })
  for (const { carried } of waiting) carried(time)
  const body = `[${reads.map(({ call }, index) => Request.write(call, index + 1, policy.textIds)).join(",")}]`
  const isHistorical = reads.some(({ rule }) => rule.historical === true)
  const exchange = pass(
    node,
    body,
    Response.several(reads.length, isHistorical),
    reads[0]?.call.client,
    time,
    reads.length
  )
  const slow = Math.max(...reads.map(({ call }) => slowAfter(call.method)))
  return Task.limited(
    (ring) => time.limit(slow, ring),
    exchange,
    () => Exit.succeed([])
  )
}

/** Counts the reads in flight to a node. */
const counting = (batchesEnded: () => void) => {
  let inFlight = 0
  let batches = 0

  /** Counts the reads of a task as in flight until it ends. While a batch is in flight, the next batch gathers. */
  const counted =
    <A, E>(task: Task.Task<A, E>, reads = 1): Task.Task<A, E> =>
    (done) => {
      const batch = reads > 1 ? 1 : 0
      inFlight += reads
      batches += batch
      let isOver = false
      const end = () => {
        if (isOver) return
        isOver = true
        inFlight -= reads
        batches -= batch
        if (batches === 0) batchesEnded()
      }
      const cancel = task((exit) => {
        end()
        done(exit)
      })
      return () => {
        cancel()
        end()
      }
    }

  return { counted, inFlight: () => inFlight }
}

const toNode = (options: CoalescingOptions): Coalesce => {
  const { clock } = options
  /** While active, reads are sent alone. */
  const pausing = period(clock, pause)
  /**
   * After a large batch, its clients usually call again immediately: gathers these reads instead of sending each alone.
   */
  const gathering = period(clock, maxWait)
  const { counted, inFlight } = counting(() => sendPending())
  let pending: { readonly node: AttemptedNode; readonly batch: Batch } | undefined

  const sendPending = (): void => {
    if (pending === undefined) return
    const { batch, node } = pending
    pending = undefined
    batch.cancel()
    const all = [...batch.waiting]
    const [only] = all
    if (all.length < 2) {
      only?.done(Exit.succeed(undefined))
      return
    }
    const exchange = exchangeOf(options, node, all)
    batch.cancel = counted(
      exchange,
      all.length
    )((exit) => {
      const responses = responsesOf(exit)
      if (Exit.isSuccess(responses) && responses.value.every((response) => response === undefined)) pausing.begin()
      if (all.length >= busy) gathering.begin()
      all.forEach((waiting, index) => {
        if (batch.waiting.delete(waiting)) waiting.done(Exit.map(responses, (found) => found[index]))
      })
    })
  }

  const join =
    (
      node: AttemptedNode,
      read: ReadRequest,
      carried: Waiting["carried"]
    ): Task.Task<Response.ParsedResponse | undefined, UpstreamError> =>
    (done) => {
      const waiting: Waiting = { read, carried, done }
      const batch = pending?.batch ?? {
        waiting: new Set(),
        cancel: timer(clock, inFlight() === 0 ? idleWait : maxWait, sendPending)
      }
      pending ??= { node, batch }
      batch.waiting.add(waiting)
      if (batch.waiting.size >= maxBatchSize) sendPending()
      return () => {
        if (!batch.waiting.delete(waiting) || batch.waiting.size > 0) return
        if (pending?.batch === batch) pending = undefined
        batch.cancel()
      }
    }

  return (node, read, single, carried) => (done) => {
    const isBusy = inFlight() >= busy || gathering.isNow()
    if (!isBusy || pausing.isNow() || !node.takesBatches()) return counted(single)(done)
    return Task.andThen(join(node, read, carried), (exit) => {
      if (Exit.isFailure(exit)) return Task.ended(Exit.failCause(exit.cause))
      return exit.value === undefined ? counted(single) : Task.ended(Exit.succeed(exit.value))
    })(done)
  }
}

/** A response that does not match its batch comes from a node that does not support batches. */
const responsesOf = (
  exit: Exit.Exit<ReadonlyArray<Response.ParsedResponse | undefined>, UpstreamError>
): Exit.Exit<ReadonlyArray<Response.ParsedResponse | undefined>, UpstreamError> =>
  Task.failureOf(exit)?.reason === "bad_answer" ? Exit.succeed([]) : exit
