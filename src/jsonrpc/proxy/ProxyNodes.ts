import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import { timeLimit } from "../../kernel/timeout.ts"
import { requestDeadline, upstreamTimeout } from "../../settings/variables.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { RpcCall, RpcReply, SendingRpc } from "../Rpc.ts"
import type { Pass } from "./attempt.ts"
import * as BatchReads from "./BatchReads.ts"
import type { MethodPolicy, ReadRequest } from "./MethodPolicy.ts"
import * as Reads from "./Reads.ts"
import * as ResponseCache from "./ResponseCache.ts"
import * as Sends from "./Sends.ts"
import * as SharedRuns from "./SharedRuns.ts"

interface ProxyOptions {
  /** Path of JSON-RPC below the base address of a node. */
  readonly path?: string
  /** True if reads are sent in batches under load. */
  readonly coalesces?: boolean
}

/**
 * Passes clients' calls on to the nodes of one network. The policy decides whether a call is a read, which may be
 * cached, shared and sent to several nodes, or is sent once, to one node. A call without a reply at REQUEST_DEADLINE_MS
 * fails with a final timeout.
 */
export const make = (upstream: Upstream, policy: MethodPolicy, { coalesces = false, path = "" }: ProxyOptions = {}) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const deadline = yield* requestDeadline
    const timedOut = upstream.fault({ reason: "timeout", detail: "no node answered in time", final: true })
    const singleFlight = yield* SharedRuns.make(yield* timeLimit(deadline), timedOut)
    const post = HttpClientRequest.bodyText(HttpClientRequest.post(path), "", "application/json")
    const passes = upstream.addresses.map((node) => node.pass(post, singleFlight.ofEffect))
    const pass: Pass = ({ index }, body, decode) => passes[index]?.(body, decode) ?? Task.ended(Exit.fail(timedOut))
    const options: Reads.ReadsOptions = {
      upstream,
      policy,
      cache: ResponseCache.make(policy.blockTime),
      pass,
      batchTime: coalesces ? (yield* upstreamTimeout) / 2 : undefined,
      singleFlight,
      deadline,
      timedOut,
      clock
    }
    const reads = Reads.make(options)
    const batchReads = BatchReads.make(options, reads)
    const sends = Sends.make(options)

    const call = (rpcCall: RpcCall): Task.Task<RpcReply, UpstreamError> => {
      const rule = policy.rule(rpcCall)
      switch (rule.kind) {
        case "read":
          return reads.single({ call: rpcCall, rule })
        case "opens":
          return singleFlight.ofEffect(sends.open(rpcCall))
        case "session":
          return singleFlight.ofEffect(sends.inSession(rule.name, rpcCall))
        case "once":
          return singleFlight.ofEffect(sends.once(rpcCall, rule))
      }
    }

    /**
     * Sends adjacent reads in one batch, and keeps the order around other calls. At the deadline, calls without a reply
     * fail and further calls are not sent; the earlier replies are returned.
     */
    const batch = (calls: ReadonlyArray<RpcCall>) =>
      Effect.gen(function* () {
        const inTime = yield* BatchReads.deadline(deadline, timedOut)
        const replies: Array<Either.Either<RpcReply, UpstreamError>> = []
        let adjacent: Array<ReadRequest> = []
        const readAdjacent = Effect.suspend(() => {
          const requests = adjacent
          adjacent = []
          if (requests.length === 0) return Effect.void
          return Effect.map(batchReads(requests, inTime), (all) => replies.push(...all))
        })
        for (const rpcCall of calls) {
          const rule = policy.rule(rpcCall)
          if (rule.kind === "read") {
            adjacent.push({ call: rpcCall, rule })
            continue
          }
          yield* readAdjacent
          replies.push(yield* inTime(Task.toEffect(call(rpcCall))))
        }
        yield* readAdjacent
        return replies
      })

    const rpc: SendingRpc = {
      upstream: upstream.name,
      call,
      batch: (calls) => singleFlight.ofEffect(batch(calls)),
      send: sends.decoded
    }
    return rpc
  })
