import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { sui } from "../../../catalogue/sui.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import * as BatchReads from "../../../jsonrpc/proxy/BatchReads.ts"
import { type MethodPolicy, named } from "../../../jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../../jsonrpc/proxy/ProxyNodes.ts"
import * as SharedRuns from "../../../jsonrpc/proxy/SharedRuns.ts"
import type { Rpc, RpcCall, RpcReply } from "../../../jsonrpc/Rpc.ts"
import { counters } from "../../../kernel/counters.ts"
import * as Task from "../../../kernel/Task.ts"
import { timeLimit, timeoutFail } from "../../../kernel/timeout.ts"
import * as declare from "../../../settings/declare.ts"
import { requestDeadline } from "../../../settings/variables.ts"
import { CurrentPriority, priorities } from "../../../upstream/Priority.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { invalid, type SuiMethod, type SuiParams, SuiRefusal } from "./Method.ts"
import * as Objects from "./Objects.ts"
import * as Reads from "./Reads.ts"
import * as SystemState from "./SystemState.ts"
import * as Transactions from "./Transactions.ts"

// Translates Sui's JSON-RPC, which public nodes no longer serve, to Sui GraphQL (docs.sui.io, JSON-RPC migration).

const methods: Readonly<Record<string, SuiMethod>> = {
  sui_dryRunTransactionBlock: Transactions.dryRunTransactionBlock,
  sui_executeTransactionBlock: Transactions.executeTransactionBlock,
  sui_getChainIdentifier: Reads.getChainIdentifier,
  sui_getCheckpoint: Reads.getCheckpoint,
  sui_getLatestCheckpointSequenceNumber: Reads.getLatestCheckpointSequenceNumber,
  sui_getObject: Objects.getObject,
  sui_getTotalTransactionBlocks: Reads.getTotalTransactionBlocks,
  sui_getTransactionBlock: Transactions.getTransactionBlock,
  sui_multiGetObjects: Objects.multiGetObjects,
  sui_multiGetTransactionBlocks: Transactions.multiGetTransactionBlocks,
  suix_getAllBalances: Reads.getAllBalances,
  suix_getAllCoins: Objects.getAllCoins,
  suix_getBalance: Reads.getBalance,
  suix_getCoinMetadata: Reads.getCoinMetadata,
  suix_getCoins: Objects.getCoins,
  suix_getLatestSuiSystemState: SystemState.getLatestSuiSystemState,
  suix_getOwnedObjects: Objects.getOwnedObjects,
  suix_getReferenceGasPrice: Reads.getReferenceGasPrice,
  suix_getTotalSupply: Reads.getTotalSupply,
  suix_queryTransactionBlocks: Transactions.queryTransactionBlocks,
  suix_resolveNameServiceAddress: Reads.resolveNameServiceAddress,
  suix_resolveNameServiceNames: Reads.resolveNameServiceNames
}

/** The names of the translated methods. */
export const translated: ReadonlyArray<string> = Object.keys(methods)

const description = "Calls of Sui's old JSON-RPC that were to be translated to GraphQL, by method"

/** Methods that are not translated. */
const other = "other"

/** Concurrent calls per batch. */
const concurrency = 8

/** This method is not interrupted when the client disconnects: the outcome would be unknown. */
const sending = "sui_executeTransactionBlock"

/** Serves JSON-RPC from the GraphQL hosts. */
export const make = (hosts: Upstream.Upstream) =>
  Effect.gen(function* () {
    const deadline = yield* requestDeadline
    const count = counters("sui_json_rpc_calls_total", description, { method: [...translated, other] })
    const timedOut = hosts.fault({ reason: "timeout", detail: "no host answered in time", final: true })
    const { detached, ofEffect } = yield* SharedRuns.make(yield* timeLimit(deadline), timedOut)
    const call = (rpcCall: RpcCall): Effect.Effect<RpcReply, UpstreamError> => {
      const answered = Effect.suspend(() => {
        count(1, Object.hasOwn(methods, rpcCall.method) ? rpcCall.method : other)
        return answer(hosts, rpcCall)
      }).pipe(
        Effect.map((result): RpcReply => ({ member: "result", text: JSON.stringify(result) })),
        Effect.catchTag("Refusal", ({ code, message }) =>
          Effect.succeed<RpcReply>({ member: "error", text: JSON.stringify({ code, message }) })
        ),
        Effect.provideService(CurrentPriority, priorities.proxy)
      )
      return rpcCall.method === sending
        ? detached(answered)
        : timeoutFail(answered, { duration: deadline, onTimeout: () => timedOut })
    }
    const started = <A, E>(replies: Effect.Effect<A, E>, sends: boolean): Task.Task<A, E> =>
      sends ? Task.lasting(ofEffect(replies)) : ofEffect(replies)
    const rpc: Rpc = {
      upstream: hosts.name,
      call: (rpcCall) => started(call(rpcCall), rpcCall.method === sending),
      /** Calls run in order if one of them sends a transaction. */
      batch: (calls) => {
        const sends = calls.some(({ method }) => method === sending)
        const replies = Effect.flatMap(BatchReads.deadline(deadline, timedOut), (inTime) =>
          Effect.forEach(calls, (each) => inTime(call(each)), { concurrency: sends ? 1 : concurrency })
        )
        return started(replies, sends)
      }
    }
    return rpc
  })

const answer = (hosts: Upstream.Upstream, { method, params }: RpcCall) => {
  const translation = Object.hasOwn(methods, method) ? methods[method] : undefined
  return translation === undefined
    ? Effect.fail(notTranslated(method))
    : Effect.flatMap(parsed(params), (given) => translation(hosts, given))
}

const notTranslated = (method: string) =>
  new SuiRefusal({
    code: -32601,
    message: `Method not found: Sui's public nodes no longer serve JSON-RPC, and this service does not translate ${method.slice(0, 100)} to GraphQL. Its operator can set SUI_RPC_URLS to nodes with JSON-RPC.`
  })

/** Parameters by position, as in the old API. */
const parsed = (params: string | undefined): Either.Either<SuiParams, SuiRefusal> =>
  params === undefined
    ? Either.right([])
    : Either.filterOrLeft(
        Either.try({ try: () => JSON.parse(params) as unknown, catch: () => invalid("they are not JSON") }),
        (given): given is SuiParams => Array.isArray(given),
        () => invalid("a list is expected")
      )

// The read methods of Sui's JSON-RPC (docs.sui.io, sui-api-ref); any other method is sent to the operator's nodes once.

const rule = named({
  forever: "sui_getChainIdentifier",
  moment: `
      sui_getCheckpoint sui_getCheckpoints sui_getEvents sui_getLatestCheckpointSequenceNumber
      sui_getNormalizedMoveFunction sui_getNormalizedMoveModule sui_getNormalizedMoveModulesByPackage
      sui_getNormalizedMoveStruct sui_getObject sui_getProtocolConfig sui_getTotalTransactionBlocks
      sui_getTransactionBlock sui_multiGetObjects sui_multiGetTransactionBlocks sui_tryGetPastObject
      sui_tryMultiGetPastObjects suix_getAllBalances suix_getAllCoins suix_getBalance suix_getCoinMetadata
      suix_getCoins suix_getCommitteeInfo suix_getDynamicFieldObject suix_getDynamicFields
      suix_getLatestSuiSystemState suix_getOwnedObjects suix_getReferenceGasPrice suix_getStakes suix_getStakesByIds
      suix_getTotalSupply suix_getValidatorsApy suix_queryEvents suix_queryTransactionBlocks
      suix_resolveNameServiceAddress suix_resolveNameServiceNames
    `,
  never: "sui_devInspectTransactionBlock sui_dryRunTransactionBlock"
})

/** A checkpoint follows every quarter of a second. */
const dialect: MethodPolicy = { blockTime: sui.proxy.blockTime, rule }

/** Serves JSON-RPC from the operator's nodes if configured, otherwise translates it to GraphQL. */
export const proxy = (hosts: Upstream.Upstream) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "SUI_RPC_URLS",
      default: [],
      meaning: "JSON-RPC nodes of Sui, for the proxy; without them its calls are translated to GraphQL"
    })
    if (urls.length === 0) return { main: yield* make(hosts) }
    const nodes = yield* Upstream.make({
      name: "sui-rpc",
      urls,
      canary: (node) => Client.call(node, { method: "sui_getChainIdentifier", params: [] })
    })
    return { main: yield* ProxyNodes.make(nodes, dialect) }
  })
