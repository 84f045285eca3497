import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { each } from "../../kernel/each.ts"
import * as Permits from "../../kernel/Permits.ts"
import * as Task from "../../kernel/Task.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import * as CallTime from "../../upstream/CallTime.ts"
import { demandsPause } from "../../upstream/Upstream.ts"
import { tooMany, type UpstreamError } from "../../upstream/UpstreamError.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { RpcReply } from "../Rpc.ts"
import { type AttemptedNode, type Fallback, judged, type ReadOutcome } from "./attempt.ts"
import { inOrder } from "./hedge.ts"
import type { ReadRequest } from "./MethodPolicy.ts"
import type { ProxyRead, Reads, ReadsOptions } from "./Reads.ts"

/** Calls in one request to a node; nodes commonly accept this many. */
const batchSize = 100

/** Concurrent calls for reads without a reply in their batch. */
const concurrency = 8

/** Share of a batch's time until which a read without a reply may be sent alone. */
const lastStart = 0.93

/** Time limit of a batch's calls, ms. At its end, calls in flight fail with `timedOut`, and no other call starts. */
export const deadline = (time: number, timedOut: UpstreamError) =>
  Effect.map(
    Clock.currentTimeMillis,
    (start) =>
      <A>(work: Effect.Effect<A, UpstreamError>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const left = start + time - now
          const inTime = timeoutFail(work, { duration: left, onTimeout: () => timedOut })
          return Effect.either(left > 0 ? inTime : Effect.fail(timedOut))
        })
  )

type InTime = Effect.Effect.Success<ReturnType<typeof deadline>>

type Responses = ReadonlyArray<Response.ParsedResponse | undefined>

interface NodeResponses {
  readonly node: AttemptedNode
  readonly responses: Responses
}

/**
 * If the response to a batch would be too large, or its host refused it with a pause, its reads are sent separately: the
 * next host may count the calls of a batch too.
 */
const separately = (exit: Exit.Exit<Responses, UpstreamError>): Exit.Exit<Responses, UpstreamError> => {
  const error = Task.failureOf(exit)
  return error !== undefined && (error.final === true || demandsPause(error)) ? Exit.succeed([]) : exit
}

const sentAll = (batch: ReadonlyArray<ProxyRead>) => () => {
  for (const { progress } of batch) progress.onSent()
}

/** Sends reads to a node in one request. */
const sending =
  ({ clock, pass, policy }: ReadsOptions) =>
  (batch: ReadonlyArray<ProxyRead>): ((node: AttemptedNode) => Task.Task<Responses, UpstreamError>) => {
    const isHistorical = batch.some(({ rule }) => rule.historical === true)
    const body = `[${batch.map(({ call }, index) => Request.write(call, index + 1, policy.textIds)).join(",")}]`
    const decode = Response.several(batch.length, isHistorical)
    const time = () => CallTime.make(clock, sentAll(batch))
    return (node) => pass(node, body, decode, batch[0]?.call.client, time(), batch.length)
  }

/** Sends many reads in few requests. */
export const make = (options: ReadsOptions, reads: Reads) => {
  const { clock, singleFlight, timedOut, upstream } = options
  const { further, order } = reads
  const now = () => clock.unsafeCurrentTimeMillis()

  const sentTo = sending(options)

  /** Sends all reads in one request: to one node after another, until a node responds. */
  const request = (batch: ReadonlyArray<ProxyRead>, until: number): Task.Task<NodeResponses, UpstreamError> => {
    const attempted = sentTo(batch)
    const called = new Map<AttemptedNode, boolean>()
    const responded = (node: AttemptedNode) =>
      Task.mapExit(attempted(node), (exit) => {
        called.set(node, true)
        return Exit.map(separately(exit), (responses) => ({ node, responses }))
      })
    const send = (reads: ReadonlyArray<ProxyRead>, node: AttemptedNode) => sentTo(reads)(node)
    return (done) =>
      Task.flatMap(inOrder(order.ranked(now()), responded, { clock, until, timedOut }), ({ node, responses }) =>
        Task.mapExit(
          further.improve(batch, responses, { called, send, until }),
          Exit.map((best) => ({ node, responses: best }))
        )
      )(done)
  }

  /** Returns an effect for each read of a batch, in order. A read without an acceptable reply is sent again alone. */
  const inBatch = (batch: ReadonlyArray<ProxyRead>, start: number, permits: Permits.Permits) => {
    const alone = (read: ProxyRead, earlier?: ReadonlyArray<Fallback>) =>
      permits.withPermit(Task.toEffect(reads.resolve(read, earlier)), undefined, (wait) =>
        timeoutFail(wait, {
          duration: Math.max(0, start + lastStart * options.deadline - now()),
          onTimeout: () => upstream.fault(tooMany)
        })
      )
    const responded = Task.toEffect(singleFlight.once(request(batch, start + options.deadline)))
    return batch.map((read, index) => {
      const settled = Effect.flatMap(responded, ({ node, responses }): Effect.Effect<ReadOutcome, UpstreamError> => {
        const response = responses[index]
        if (response === undefined) return alone(read)
        return Effect.matchEffect(judged({ clock, order }, node, read, response), {
          onFailure: ({ fallback }) => alone(read, Arr.fromNullable(fallback)),
          onSuccess: (reply) => Effect.succeed({ reply, isSubstitute: false })
        })
      })
      return Task.toEffect(reads.join(read, singleFlight.ofEffect(settled)))
    })
  }

  /**
   * Returns replies in the order of the requests. Cached and in-flight reads are not sent; equal reads are sent once.
   */
  return (requests: ReadonlyArray<ReadRequest>, inTime: InTime) =>
    Effect.gen(function* () {
      const start = now()
      const all = requests.map(reads.begin)
      const recalled = yield* reads.recalled(all.filter(reads.isAbsent))
      const open = all.filter((read) => !recalled.has(read.key) && reads.isAbsent(read))
      const batch = [...new Map(open.map((read) => [read.key, read])).values()]
      const permits = Permits.make(concurrency)
      const isAlone = batch.length < 2 || !upstream.addresses.every(({ takesBatches }) => takesBatches())
      const chunks = isAlone ? [] : Arr.chunksOf(batch, batchSize).map((chunk) => inBatch(chunk, start, permits))
      const ready = new Map<string, Effect.Effect<RpcReply, UpstreamError>>([
        ...Array.from(recalled, ([key, reply]) => [key, Effect.succeed(reply)] as const),
        ...Arr.zip(batch, chunks.flat()).map(([{ key }, reply]) => [key, reply] as const)
      ])
      // Waiting is the most expensive step if the reply is already there, so equal reads wait only once.
      const distinct = new Map(all.map((read) => [read.key, read]))
      const replies = new Map(
        yield* each([...distinct], ([key, read]) =>
          Effect.map(inTime(ready.get(key) ?? Task.toEffect(reads.single(read))), (reply) => [key, reply] as const)
        )
      )
      return all.flatMap(({ key }) => replies.get(key) ?? [])
    })
}
