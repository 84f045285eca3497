import type * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../kernel/collections/MemoryBudget.ts"
import { sizeOf } from "../../kernel/collections/sizeOf.ts"
import * as Task from "../../kernel/Task.ts"
import { hedgedTask } from "../../upstream/hedge.ts"
import { isAvailable } from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ParsedResponse } from "../Response.ts"
import type { RpcReply } from "../Rpc.ts"
import type { AttemptedNode } from "./attempt.ts"
import type { ReadRequest } from "./MethodPolicy.ts"
import type * as NodeOrder from "./NodeOrder.ts"

/** Longest time that the further nodes have together, ms. */
const maxTime = 2_000

/** Time after which the second further node is called too, ms. */
const hedgeAfter = maxTime / 2

/** Further nodes that are called for one read. */
const maxNodes = 2

/** Limits of the reads whose result two nodes agree on, which are also in the memory budget. */
const max = { reads: 5_000, bytes: 2 * 1024 * 1024 }

interface FurtherNodeOptions<R> {
  readonly clock: Clock.Clock
  readonly isLate: () => boolean
  /** There is no other node. */
  readonly isOnlyNode: boolean
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

/** The nodes that have a read, or had it: true if they have replied or failed, false if they may still reply. */
export type Called = ReadonlyMap<AttemptedNode, boolean>

const replyOf = (response: ParsedResponse | undefined): RpcReply | undefined =>
  response?.fault === undefined ? response?.reply : undefined

const isInDoubt = ({ rule }: ReadRequest, reply: RpcReply | undefined): boolean =>
  reply?.member === "result" && rule.mayBeBehind?.(reply.text) === true

/** Requests reads from further nodes, each only what no other has returned, and collects the results. */
const requesting = <R extends ReadRequest>(due: ReadonlyArray<R>, send: SendTo<R>, now: () => number) => {
  const found = new Map<R, ParsedResponse>()
  const note = (read: R, response: ParsedResponse | undefined): void => {
    const reply = replyOf(response)
    if (response === undefined || reply?.member !== "result") return
    if (read.rule.isImplausible?.(reply.text, now()) !== undefined) return
    if (!found.has(read) || !isInDoubt(read, reply)) found.set(read, response)
  }
  /** Fails if results are still missing. */
  const from =
    (node: AttemptedNode): Task.Task<void, void> =>
    (done) => {
      const sent = due.filter((read) => !found.has(read))
      return Task.mapExit(send(sent, node), (exit) => {
        if (Exit.isSuccess(exit)) for (const [index, read] of sent.entries()) note(read, exit.value[index])
        return found.size === due.length ? Exit.void : Exit.fail(undefined)
      })(done)
    }
  return { found, from }
}

/**
 * A result that a node behind the network would return too is compared with that of a further node, at most once per
 * block time. If that node fails, or is slow, another one gets the call.
 */
export const make = <R extends ReadRequest>(options: FurtherNodeOptions<R>) => {
  const { blockTime, clock, isLate, isOnlyNode, keyOf, memory, order } = options
  /** Time of the comparison, by read. */
  const agreed = BoundedMap.make<string, number>({
    name: "compared reads",
    capacity: max.reads,
    budget: MemoryBudget.make(max.bytes, memory),
    weigh: (key) => BoundedMap.entryBytes + sizeOf(key)
  })
  const now = () => clock.unsafeCurrentTimeMillis()

  /** True if this response may be that of a node behind, and no other node has agreed for a block time. */
  const isUnconfirmed = (read: R, response: ParsedResponse | undefined): boolean => {
    if (isOnlyNode || !isInDoubt(read, replyOf(response))) return false
    const age = now() - (agreed.get(keyOf(read)) ?? Number.NEGATIVE_INFINITY)
    return age < 0 || age >= blockTime
  }

  /** The better of two responses; the second is a result. The first remains if that says the same, or is missing. */
  const better = (read: R, first: ParsedResponse | undefined, second: ParsedResponse | undefined) => {
    if (second === undefined) return first
    if (!isInDoubt(read, second.reply)) return second
    agreed.set(keyOf(read), now())
    return first
  }

  /** Working nodes that may reply to some of the reads; those that were cancelled come last. */
  const candidates = (reads: ReadonlyArray<R>, called: Called) =>
    order
      .ranked(now(), reads[0]?.call.method)
      .filter(
        (node) =>
          called.get(node) !== true &&
          isAvailable(node.passStanding(now())) &&
          !reads.every(({ call }) => node.limits(call.method))
      )
      .sort((a, b) => Number(called.has(a)) - Number(called.has(b)))
      .slice(0, maxNodes)

  /**
   * Improves responses by those of the next working node that did not get the reads, which gets all doubtful ones in one
   * request. One more node gets those for which it returns no result.
   */
  const improve = (
    reads: ReadonlyArray<R>,
    responses: Responses,
    { called, send, until }: { called: Called; send: SendTo<R>; until: number }
  ): Task.Task<Responses> => {
    const due = reads.filter((read, index) => isUnconfirmed(read, responses[index]))
    const [next, another] = due.length === 0 ? [] : candidates(due, called)
    if (next === undefined) return Task.ended(Exit.succeed(responses))
    const { found, from } = requesting(due, send, now)
    const started = now()
    const left = (at: number) => started + hedgeAfter - at
    const all = another === undefined ? from(next) : hedgedTask(clock, from(next), from(another), left, isLate)
    const time = Math.max(0, Math.min(maxTime, until - started))
    return Task.mapExit(
      Task.timeout(clock, time, all, () => Exit.fail(undefined)),
      () => Exit.succeed(reads.map((read, index) => better(read, responses[index], found.get(read))))
    )
  }

  return { improve, isUnconfirmed }
}
