import type * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../kernel/collections/MemoryBudget.ts"
import { sizeOf } from "../../kernel/collections/sizeOf.ts"
import * as Task from "../../kernel/Task.ts"
import { isAvailable } from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ParsedResponse } from "../Response.ts"
import type { RpcReply } from "../Rpc.ts"
import type { AttemptedNode } from "./attempt.ts"
import type { ReadRequest } from "./MethodPolicy.ts"
import type * as NodeOrder from "./NodeOrder.ts"

/** Longest time that the further node has, ms. */
const maxTime = 2_000

/** Limits of the reads whose result two nodes agree on, which are also in the memory budget. */
const max = { reads: 5_000, bytes: 2 * 1024 * 1024 }

interface FurtherNodeOptions<R> {
  readonly clock: Clock.Clock
  readonly blockTime: number
  readonly order: NodeOrder.NodeOrder
  /** Equal for equal reads of the same block. */
  readonly keyOf: (read: R) => string
  readonly memory: MemoryBudget.MemoryBudget | undefined
}

/** The responses to reads that are sent in one request. */
type Responses = ReadonlyArray<ParsedResponse | undefined>

/** Sends reads to a node. */
type SendTo<R> = (reads: ReadonlyArray<R>, node: AttemptedNode) => Task.Task<Responses, UpstreamError>

const replyOf = (response: ParsedResponse | undefined): RpcReply | undefined =>
  response?.fault === undefined ? response?.reply : undefined

/**
 * A result that a node behind the network would return too is compared with that of one further node, at most once per
 * block time.
 */
export const make = <R extends ReadRequest>({ blockTime, clock, keyOf, memory, order }: FurtherNodeOptions<R>) => {
  /** Time of the comparison, by read. */
  const agreed = BoundedMap.make<string, number>({
    name: "compared reads",
    capacity: max.reads,
    budget: MemoryBudget.make(max.bytes, memory),
    weigh: (key) => BoundedMap.entryBytes + sizeOf(key)
  })
  const now = () => clock.unsafeCurrentTimeMillis()

  const isInDoubt = ({ rule }: R, reply: RpcReply | undefined): boolean =>
    reply?.member === "result" && rule.mayBeBehind?.(reply.text) === true

  const isDue = (read: R, response: ParsedResponse | undefined): boolean => {
    if (!isInDoubt(read, replyOf(response))) return false
    const age = now() - (agreed.get(keyOf(read)) ?? Number.NEGATIVE_INFINITY)
    return age < 0 || age >= blockTime
  }

  /** The better of two responses. The first remains if the second says the same, or is missing. */
  const better = (read: R, first: ParsedResponse | undefined, second: ParsedResponse | undefined) => {
    const reply = replyOf(second)
    if (reply?.member === "result" && !isInDoubt(read, reply)) return second
    agreed.set(keyOf(read), now())
    return first
  }

  /**
   * Improves responses by those of the next working node that did not get the reads (`called` did), which gets all
   * doubtful ones in one request.
   */
  return (
    reads: ReadonlyArray<R>,
    responses: Responses,
    { called, send, until }: { called: ReadonlySet<AttemptedNode>; send: SendTo<R>; until: number }
  ): Task.Task<Responses> => {
    const due = reads.filter((read, index) => isDue(read, responses[index]))
    const node =
      due.length === 0
        ? undefined
        : order.ranked(now()).find((other) => !called.has(other) && isAvailable(other.passStanding(now())))
    if (node === undefined) return Task.ended(Exit.succeed(responses))
    const time = Math.max(0, Math.min(maxTime, until - now()))
    const sent = Task.mapExit(send(due, node), (exit) => Exit.succeed(Exit.isSuccess(exit) ? exit.value : []))
    return Task.mapExit(
      Task.timeout(clock, time, sent, () => Exit.succeed([])),
      Exit.map((found) => {
        const second = new Map(due.map((read, index) => [read, found[index]]))
        return reads.map((read, index) =>
          second.has(read) ? better(read, responses[index], second.get(read)) : responses[index]
        )
      })
    )
  }
}
