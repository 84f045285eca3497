import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import * as Flights from "./Flights.ts"
import type { MethodPolicy } from "./MethodPolicy.ts"
import * as ParsedResponse from "./ParsedResponse.ts"
import * as Reads from "./Reads.ts"
import * as ResponseCache from "./ResponseCache.ts"
import type { Rpc, RpcCall, RpcReply } from "./Rpc.ts"
import * as Until from "./Until.ts"

/** What nodes have begun for clients and is not asked for any more is forgotten beyond so many. */
const mostSessions = 10_000

/** What a node said first of something that it goes on with. */
interface Opened {
  readonly address: Endpoint
  readonly reply: RpcReply
}

/**
 * The nodes of one network as clients may use them: reads by {@link Reads.make}, everything else goes to one node, once. A
 * call without an answer at REQUEST_DEADLINE_MS fails as a timeout that is final.
 * `path` is where they speak JSON-RPC, below their base address.
 */
export const make = (upstream: Upstream, dialect: MethodPolicy, path = "") =>
  Effect.gen(function* () {
    const late = upstream.fault({ reason: "timeout", detail: "no node answered in time", final: true })
    const deadline = yield* requestDeadline
    const flights = yield* Flights.make(yield* (yield* Upstreams).timeLimit(deadline), late)
    const kept = ResponseCache.make(dialect.blockTime)
    const reads = yield* Reads.make(upstream, dialect, kept, path, flights, late)
    const sessions = BoundedMap.make<string, Endpoint>({ capacity: mostSessions })

    const tell = (address: Endpoint, call: RpcCall) =>
      Effect.map(
        address.pass(
          HttpClientRequest.bodyText(
            HttpClientRequest.post(path),
            ParsedResponse.request(call, 1, dialect.textIds),
            "application/json"
          ),
          ParsedResponse.unlessLimited
        ),
        ({ reply }) => ({ address, reply })
      )

    /** Goes on to its end when the client leaves: how far it came nobody could tell. What was read before is old then. */
    const apart = <A>(effect: Effect.Effect<A, UpstreamError>) =>
      flights.apart(Effect.ensuring(effect, Effect.sync(kept.advance)))

    const send = (call: RpcCall) => apart(upstream.once((address) => tell(address, call)))

    /** Nodes that count may give the same name twice: then the one that gave it first is asked for another. */
    const distinct = (call: RpcCall, opened: Opened) => {
      const first = opened.reply.member === "error" ? undefined : sessions.get(opened.reply.text)
      return first === undefined || first === opened.address
        ? Effect.succeed(opened)
        : Effect.orElseSucceed(apart(tell(first, call)), () => opened)
    }

    const open = (call: RpcCall) =>
      Effect.map(
        Effect.flatMap(send(call), (opened) => distinct(call, opened)),
        ({ address, reply }) => {
          if (reply.member === "error") return reply
          sessions.set(reply.text, address)
          return reply
        }
      )

    const item = (call: RpcCall): Effect.Effect<RpcReply, UpstreamError> => {
      const rule = dialect.rule(call)
      if (rule.kind === "read") return reads.read({ call, rule })
      if (rule.kind === "opens") return open(call)
      if (rule.kind === "session") {
        const address = sessions.get(rule.name)
        return Effect.map(
          address === undefined ? upstream.once((any) => tell(any, call)) : tell(address, call),
          ({ reply }) => reply
        )
      }
      return Effect.map(send(call), ({ reply }) => {
        const result = reply.member === "error" ? rule.known?.(reply.text, call) : undefined
        return result === undefined
          ? reply
          : { member: "result", text: result, ...(rule.more === undefined ? {} : { more: rule.more }) }
      })
    }

    /**
     * Reads that stand side by side go out together; around the others the order is kept. What has no answer at the
     * deadline fails, or does not go out; what was told before counts.
     */
    const batch: Rpc["batch"] = (calls) =>
      Effect.gen(function* () {
        const inTime = yield* Until.make(deadline, late)
        const replies: Array<Either.Either<RpcReply, UpstreamError>> = []
        let questions: Array<Reads.ReadRequest> = []
        const askAll = Effect.suspend(() => {
          const together = questions
          questions = []
          if (together.length === 0) return Effect.void
          return Effect.map(reads.readAll(together, inTime), (all) => replies.push(...all))
        })
        for (const call of calls) {
          const rule = dialect.rule(call)
          if (rule.kind === "read") {
            questions.push({ call, rule })
            continue
          }
          yield* askAll
          replies.push(yield* inTime(item(call)))
        }
        yield* askAll
        return replies
      })

    const rpc: Rpc = {
      upstream: upstream.name,
      call: item,
      batch
    }
    return rpc
  })
