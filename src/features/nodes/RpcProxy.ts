import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chains } from "../../chains/Chains.ts"
import { refusalReason } from "../../domain/nodeMethods.ts"
import { codes } from "../../jsonrpc/errors.ts"
import type * as Request from "../../jsonrpc/Request.ts"
import { maxCalls } from "../../jsonrpc/Request.ts"
import * as Response from "../../jsonrpc/Response.ts"
import type { Rpc, RpcCall, RpcReply } from "../../jsonrpc/Rpc.ts"
import * as Task from "../../kernel/Task.ts"
import { requestDeadline } from "../../settings/variables.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { AnyNetwork } from "../reading.ts"
import { remembering } from "../sending/remembering.ts"
import { SentTransactions } from "../sending/SentTransactions.ts"
import { withAssets } from "./WalletAssets.ts"

/** The response to a client; a request with only notifications has no body. */
export interface ProxyResponse {
  readonly status: number
  readonly body: string | undefined
}

/** A body that is well-formed JSON-RPC. */
export type RespondedBody = Exclude<Request.RequestBody, { readonly kind: "malformed" }>

/** The nodes of the main network or of the test network. */
export type NodeSet = "main" | "testnet"

export class RpcProxy extends Context.Tag("features/nodes/RpcProxy")<
  RpcProxy,
  {
    /**
     * Responds to a JSON-RPC body. Single calls: 200 with a node's response, 403 for a method that is not passed on,
     * 400 for an invalid call, 502 if no node responded, 504 on timeout, each with a JSON-RPC error and the id of the
     * call. A batch is 200 if any of its calls is 200. Calls without an id are forwarded but get no response (204).
     */
    readonly respond: (rpc: Rpc, body: RespondedBody, client: ClientName) => Task.Task<ProxyResponse>
    /** The nodes of a network, by id or alias in any case; undefined if calls are not passed on. */
    readonly find: (network: string, side: NodeSet) => Task.Task<Rpc | undefined>
    /** The ids of the networks whose calls are passed on. */
    readonly networks: (side: NodeSet) => Task.Task<ReadonlyArray<string>>
    readonly ofEffect: Task.OfEffect
  }
>() {
  /** Layer over these nodes; `built` finds nodes that were already built, synchronously. */
  static readonly layerOver = (nodes: {
    readonly built: (network: string, side: NodeSet) => Rpc | undefined
    readonly find: (network: string, side: NodeSet) => Effect.Effect<Rpc | undefined>
    readonly networks: (side: NodeSet) => Effect.Effect<ReadonlyArray<string>>
  }) =>
    Layer.scoped(
      RpcProxy,
      Effect.zipWith(requestDeadline, FiberSet.makeRuntime<never>(), (deadline, fork) => {
        const ofEffect = Task.fromEffect(fork)
        return {
          respond: make(deadline),
          find: (network, side) => {
            const rpc = nodes.built(network, side)
            return rpc === undefined ? ofEffect(nodes.find(network, side)) : Task.ended(Exit.succeed(rpc))
          },
          networks: (side) => ofEffect(nodes.networks(side)),
          ofEffect
        }
      })
    )

  static readonly layer = Layer.unwrapScoped(
    Effect.gen(function* () {
      const networks = yield* Chains
      const { all, built, find } = networks
      const memory = yield* SentTransactions
      const ofEffect = Task.fromEffect(yield* FiberSet.makeRuntime<never>())
      const assets = withAssets(networks, yield* requestDeadline, ofEffect)
      const served = new WeakMap<AnyNetwork, Rpc | undefined>()
      const nodesOf = (network: AnyNetwork | undefined, side: NodeSet): Rpc | undefined => {
        if (network === undefined || side === "testnet") return network?.rpc?.testnet
        if (!served.has(network)) {
          const nodes = remembering(network, memory, ofEffect)
          served.set(network, nodes && assets(network, nodes))
        }
        return served.get(network)
      }
      return RpcProxy.layerOver({
        built: (name, side) => nodesOf(built(name), side),
        find: (name, side) => Effect.map(find(name), (network) => nodesOf(Option.getOrUndefined(network), side)),
        networks: (side) =>
          Effect.map(all, (networks) =>
            networks.filter(({ rpc }) => rpc?.[side] !== undefined).map(({ facts }) => facts.id)
          )
      })
    })
  )
}

interface Failed {
  readonly status: number
  readonly code: number
  readonly message: string
}

interface CallResult extends ProxyResponse {
  readonly body: string
}

const failed = (id: string, { status, code, message }: Failed): CallResult => ({
  status,
  body: Response.writeError(id, code, message)
})

type ClientName = NonNullable<RpcCall["client"]>

/** Checks a call of a client. Left is the result of a call that is not passed on. */
const checked = (
  { call, id = "null" }: Request.RequestedCall,
  client: ClientName
): Either.Either<RpcCall, CallResult> => {
  if (Either.isLeft(call))
    return Either.left(failed(id, { status: 400, code: codes.invalid, message: `Invalid request: ${call.left}` }))
  const { method, params } = call.right
  const why = refusalReason(method)
  if (why === undefined) return Either.right({ method, params, client })
  const message = `The method ${method.slice(0, 100)} ${why} and is not passed on`
  return Either.left(failed(id, { status: 403, code: codes.refused, message }))
}

const replied = (id: string, reply: RpcReply): CallResult => ({ status: 200, body: Response.write(id, reply) })

const ended = (response: ProxyResponse): Task.Task<ProxyResponse> => Task.ended(Exit.succeed(response))

const invalidSize = (count: number) =>
  ended(
    failed("null", {
      status: 400,
      code: codes.invalid,
      message: `Invalid request: a batch has 1 to ${maxCalls} calls; this one has ${count}`
    })
  )

const make = (deadline: number) => {
  const timedOut = { status: 504, code: codes.unanswered, message: `no node answered within ${deadline} ms` }

  /** A final timeout is that of the whole request. */
  const noReply = (id: string, { final, message, reason }: UpstreamError): CallResult =>
    reason === "timeout" && final === true
      ? failed(id, timedOut)
      : failed(id, { status: reason === "not_configured" ? 501 : 502, code: codes.unanswered, message })

  const outcome = (id: string, reply: Either.Either<RpcReply, UpstreamError>): CallResult =>
    Either.isLeft(reply) ? noReply(id, reply.left) : replied(id, reply.right)

  /** A notification has no response, regardless of the outcome of its call. */
  const responseOf = (id: string | undefined, reply: Either.Either<RpcReply, UpstreamError>): ProxyResponse =>
    id === undefined ? noContent : outcome(id, reply)

  const single = (rpc: Rpc, requested: Request.RequestedCall, client: ClientName): Task.Task<ProxyResponse> => {
    const { id } = requested
    const call = checked(requested, client)
    return Either.isLeft(call)
      ? ended(id === undefined ? noContent : call.left)
      : Task.mapExit(rpc.call(call.right), (exit) => Exit.map(Task.eitherOf(exit), (reply) => responseOf(id, reply)))
  }

  const batch = (rpc: Rpc, all: ReadonlyArray<Request.RequestedCall>, client: ClientName): Task.Task<ProxyResponse> => {
    if (all.length === 0) return invalidSize(0)
    const calls = all.map((requested) => checked(requested, client))
    const valid = calls.flatMap((call) => (Either.isRight(call) ? [call.right] : []))
    const replies = valid.length === 0 ? Task.ended(Exit.succeed([])) : rpc.batch(valid)
    return Task.mapExit(
      replies,
      Exit.map((found) => {
        let next = 0
        return joined(
          calls.map((call, index): CallResult | undefined => {
            const id = all[index]?.id
            const reply = Either.isLeft(call) ? undefined : found[next++]
            if (id === undefined) return undefined
            if (Either.isLeft(call)) return call.left
            return reply === undefined ? failed(id, timedOut) : outcome(id, reply)
          })
        )
      })
    )
  }

  return (rpc: Rpc, body: RespondedBody, client: ClientName): Task.Task<ProxyResponse> => {
    if (body.kind === "crowded") return invalidSize(body.count)
    return body.kind === "single" ? single(rpc, body.call, client) : batch(rpc, body.all, client)
  }
}

const noContent: ProxyResponse = { status: 204, body: undefined }

/** Joins outcomes into a batch response with their best status, so that a failed call does not fail the others. */
const joined = (outcomes: ReadonlyArray<CallResult | undefined>): ProxyResponse => {
  const responses = outcomes.filter((outcome) => outcome !== undefined)
  return responses.length === 0
    ? noContent
    : {
        status: Math.min(...responses.map(({ status }) => status)),
        body: `[${responses.map(({ body }) => body).join(",")}]`
      }
}
