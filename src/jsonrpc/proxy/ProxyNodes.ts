import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { constFalse } from "effect/Function"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { CurrentMemoryBudget } from "../../kernel/collections/MemoryBudget.ts"
import { sizeOf } from "../../kernel/collections/sizeOf.ts"
import { Lateness } from "../../kernel/Lateness.ts"
import * as Task from "../../kernel/Task.ts"
import { timeLimit } from "../../kernel/timeout.ts"
import { requestDeadline, upstreamTimeout } from "../../settings/variables.ts"
import type { ClientCall } from "../../upstream/CircuitBreaker.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { onlyId } from "../Client.ts"
import { rateLimited } from "../errors.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { RpcCall, RpcReply, SendingRpc } from "../Rpc.ts"
import type { Pass } from "./attempt.ts"
import * as BatchReads from "./BatchReads.ts"
import { FinalReplies } from "./FinalReplies.ts"
import type { MethodPolicy, OnceRule, ReadRequest } from "./MethodPolicy.ts"
import * as NodeTests from "./NodeTests.ts"
import type { ReadsOptions } from "./Reads.ts"
import * as Reads from "./Reads.ts"
import * as ResponseCache from "./ResponseCache.ts"
import * as SharedRuns from "./SharedRuns.ts"

/** Maximum numbers of known sessions: of all clients, and of each client. The oldest are evicted. */
const maxSessions = { all: 10_000, ofClient: 200 }

/** A session at a node, and the client that opened it. */
interface Session {
  readonly node: Endpoint
  readonly client: string | undefined
}

/** The sessions by their names, each of which belongs to the client that opened it. */
const sessionsOf = Effect.map(BoundedMap.inMemory("sessions at nodes"), (shared) => {
  const limits = { ...shared, capacity: maxSessions.all }
  const sessions = BoundedMap.make<string, Session>({
    ...limits,
    weigh: (name) => BoundedMap.entryBytes + sizeOf(name)
  })
  const names = BoundedMap.make<string, ReadonlyArray<string>>({
    ...limits,
    weigh: (client, all) => BoundedMap.entryBytes + sizeOf(client) + sizeOf(all)
  })
  return {
    get: sessions.get,
    add: (name: string, session: Session): void => {
      sessions.set(name, session)
      const { client } = session
      if (client === undefined) return
      const all = [...(names.get(client) ?? []).filter((other) => other !== name), name]
      for (const oldest of all.slice(0, -maxSessions.ofClient)) sessions.delete(oldest)
      names.set(client, all.slice(-maxSessions.ofClient))
    }
  }
})

/** As nodes reply for a filter that they do not have. */
const notFound: RpcReply = { member: "error", text: '{"code":-32000,"message":"filter not found"}' }

interface NodeReply {
  readonly node: Endpoint
  readonly reply: RpcReply
}

const isError = ({ reply }: NodeReply) => reply.member === "error"

/** Names of methods that send something. */
const sending = /send|submit|execute|broadcast/i

type SendsOptions = Pick<ReadsOptions, "cache" | "clock" | "pass" | "policy" | "singleFlight" | "upstream">

const changingWith = ({ cache, clock, policy, singleFlight }: SendsOptions) => {
  let lastAdvance = Number.NEGATIVE_INFINITY

  /** Invalidates earlier reads; of methods that may send nothing, only one per block time. */
  const advance = ({ method }: RpcCall): void => {
    const now = clock.unsafeCurrentTimeMillis()
    const isDue = now < lastAdvance || now - lastAdvance >= policy.blockTime
    if (!isDue && !sending.test(method)) return
    if (isDue) lastAdvance = now
    cache.advance()
  }

  /**
   * Continues if the client disconnects, because the call may have had an effect. Then invalidates earlier reads, unless it
   * was not sent or the node refused it.
   */
  return <A>(call: RpcCall, effect: Effect.Effect<A, UpstreamError>, isRefused: (value: A) => boolean = constFalse) =>
    singleFlight.detached(
      Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          const hadEffect = Exit.isSuccess(exit) ? !isRefused(exit.value) : Task.failureOf(exit)?.unsent !== true
          if (hadEffect) advance(call)
        })
      )
    )
}

/** Sends to one node, not to one that refused the method a moment ago. */
const sendAt = <A>(
  upstream: ReadsOptions["upstream"],
  { method }: RpcCall,
  use: (node: Endpoint) => Effect.Effect<A, UpstreamError>
) => upstream.once((node) => (node.limits(method) ? Effect.fail(node.fault(rateLimited)) : use(node)))

/** Sends calls that may change something, and calls of a client's session at a node: each once, to one node. */
const sendsOf = (
  options: SendsOptions,
  { long, once: passOnce }: { readonly once: Pass; readonly long: Pass },
  sessions: Effect.Effect.Success<typeof sessionsOf>
) => {
  const { pass, policy, singleFlight, upstream } = options
  const passTo = <A>(node: Endpoint, call: RpcCall, decode: ResponseDecoder.Decoder<A>, by = passOnce) =>
    Task.toEffect(by(node, Request.write(call, onlyId, policy.textIds), decode, call.client))

  const sendTo = (node: Endpoint, call: RpcCall, by = passOnce): Effect.Effect<NodeReply, UpstreamError> =>
    Effect.map(passTo(node, call, Response.unlessLimited(call), by), ({ reply }): NodeReply => ({ node, reply }))

  const changing = changingWith(options)

  const send = (call: RpcCall, by: Pass) => sendAt(upstream, call, (node) => sendTo(node, call, by))

  const inUse = upstream.fault({ reason: "upstream_error", detail: "returned the id of another client" })

  /** The other node at which a client already has a session of this name. */
  const ownerOf = ({ node, reply }: NodeReply): Endpoint | undefined => {
    const owner = reply.member === "error" ? undefined : sessions.get(reply.text)?.node
    return owner === node ? undefined : owner
  }

  /**
   * Nodes number filters alike. If a name is in use, opens another at the node that used it first, else at this node.
   */
  const distinct = (call: RpcCall, opened: NodeReply) => {
    const owner = ownerOf(opened)
    if (owner === undefined) return Effect.succeed(opened)
    const isDistinct = (again: NodeReply) => again.reply.member === "result" && ownerOf(again) === undefined
    const openAt = (node: Endpoint) =>
      Effect.filterOrFail(singleFlight.detached(sendTo(node, call)), isDistinct, () => inUse)
    return Effect.orElse(openAt(owner), () => openAt(opened.node))
  }

  const remember = ({ client }: RpcCall, { node, reply }: NodeReply): RpcReply => {
    if (reply.member !== "error") sessions.add(reply.text, { node, client: client?.() })
    return reply
  }

  return {
    open: (call: RpcCall): Effect.Effect<RpcReply, UpstreamError> =>
      Effect.map(
        Effect.flatMap(singleFlight.detached(send(call, passOnce)), (opened) => distinct(call, opened)),
        (opened) => remember(call, opened)
      ),

    /**
     * Sends to the node that opened the session, or to any node if the session is unknown here. The session of another
     * client is not found: names are easy to guess.
     */
    inSession: (name: string, call: RpcCall): Effect.Effect<RpcReply, UpstreamError> => {
      const session = sessions.get(name)
      if (session !== undefined && session.client !== call.client?.()) return Effect.succeed(notFound)
      // Clients poll a session, so that its calls share connections.
      const replied = session === undefined ? send(call, pass) : sendTo(session.node, call, pass)
      return Effect.map(replied, ({ reply }) => reply)
    },

    decoded: <A>(call: RpcCall, decode: ResponseDecoder.Decoder<A>): Effect.Effect<A, UpstreamError> =>
      changing(
        call,
        sendAt(upstream, call, (node) => passTo(node, call, decode))
      ),

    once: (call: RpcCall, { duplicateResult, isLong, more }: OnceRule): Effect.Effect<RpcReply, UpstreamError> =>
      Effect.map(changing(call, send(call, isLong ? long : passOnce), isError), ({ reply }): RpcReply => {
        const text = reply.member === "error" ? duplicateResult?.(reply.text, call) : undefined
        return text === undefined ? reply : { member: "result", text, ...(more === undefined ? {} : { more }) }
      })
  }
}

/**
 * Sends adjacent reads in one batch, and keeps the order around other calls. At the deadline, calls without a reply
 * fail and further calls are not sent; the earlier replies are returned.
 */
const batching =
  (
    call: (rpcCall: RpcCall) => Task.Task<RpcReply, UpstreamError>,
    batchReads: ReturnType<typeof BatchReads.make>,
    { deadline, policy, timedOut }: Reads.ReadsOptions
  ) =>
  (calls: ReadonlyArray<RpcCall>) =>
    Effect.gen(function* () {
      const inTime = yield* BatchReads.deadline(deadline, timedOut)
      const replies: Array<Either.Either<RpcReply, UpstreamError>> = []
      let adjacent: Array<ReadRequest> = []
      const readAdjacent = Effect.suspend(() => {
        const requests = adjacent
        adjacent = []
        return requests.length === 0
          ? Effect.void
          : Effect.map(batchReads(requests, inTime), (all) => replies.push(...all))
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

interface ProxyOptions {
  /** Path of JSON-RPC below the base address of a node. */
  readonly path?: string
  /** True if reads are sent in batches under load. */
  readonly coalesces?: boolean
}

interface PassOptions {
  readonly path: string
  readonly ofEffect: Task.OfEffect
  readonly timedOut: UpstreamError
  readonly clock: Clock.Clock
}

/** Passes calls to single nodes, and tests nodes that seem slow. */
const passingTo = (upstream: Upstream, { clock, ofEffect, path, timedOut }: PassOptions) => {
  const post = HttpClientRequest.bodyText(HttpClientRequest.post(path), "", "application/json")
  const tested = NodeTests.make(upstream, ofEffect, clock)
  return (isOnce: boolean, kind?: ClientCall): Pass => {
    const passes = upstream.addresses.map((node) => node.pass(post, ofEffect, isOnce, kind))
    return (node, body, decode, client, time, calls) =>
      tested(node, passes[node.index]?.(body, decode, client, time, calls) ?? Task.ended(Exit.fail(timedOut)))
  }
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
    const memory = yield* CurrentMemoryBudget
    const timedOut = upstream.fault({ reason: "timeout", detail: "no node answered in time", final: true })
    const singleFlight = yield* SharedRuns.make(yield* timeLimit(deadline), timedOut)
    const passing = passingTo(upstream, { clock, ofEffect: singleFlight.ofEffect, path, timedOut })
    const shared = yield* FinalReplies
    const options: Reads.ReadsOptions = {
      upstream,
      policy,
      cache: ResponseCache.make(policy.blockTime, memory),
      shared: shared(
        upstream.name,
        upstream.addresses.map(({ host }) => host)
      ),
      pass: passing(false),
      batchTime: coalesces ? (yield* upstreamTimeout) / 2 : undefined,
      singleFlight,
      deadline,
      timedOut,
      clock,
      isLate: (yield* Lateness).isLate,
      memory
    }
    const reads = Reads.make(options)
    const sends = sendsOf(options, { once: passing(true), long: passing(true, "long") }, yield* sessionsOf)

    const call = (rpcCall: RpcCall): Task.Task<RpcReply, UpstreamError> => {
      const rule = policy.rule(rpcCall)
      switch (rule.kind) {
        case "read":
          return reads.single({ call: rpcCall, rule })
        case "opens":
          return Task.lasting(singleFlight.ofEffect(sends.open(rpcCall)))
        case "session":
          return singleFlight.ofEffect(sends.inSession(rule.name, rpcCall))
        case "once":
          return Task.lasting(singleFlight.ofEffect(sends.once(rpcCall, rule)))
      }
    }

    const batch = batching(call, BatchReads.make(options, reads), options)
    return {
      upstream: upstream.name,
      call,
      batch: (calls) => {
        const replies = singleFlight.ofEffect(batch(calls))
        return calls.every((rpcCall) => policy.rule(rpcCall).kind === "read") ? replies : Task.lasting(replies)
      },
      send: sends.decoded
    } satisfies SendingRpc
  })
