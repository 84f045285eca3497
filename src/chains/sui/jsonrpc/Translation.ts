import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as BatchReads from "../../../jsonrpc/proxy/BatchReads.ts"
import * as SharedRuns from "../../../jsonrpc/proxy/SharedRuns.ts"
import type { Rpc, RpcCall, RpcReply } from "../../../jsonrpc/Rpc.ts"
import { timeLimit, timeoutFail } from "../../../kernel/timeout.ts"
import { requestDeadline } from "../../../settings/variables.ts"
import { CurrentPriority, priorities } from "../../../upstream/Priority.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import * as Balances from "./Balances.ts"
import * as ChainMethods from "./ChainMethods.ts"
import * as Coins from "./Coins.ts"
import { invalid, type SuiMethod, type SuiParams, SuiRefusal } from "./Method.ts"
import * as Objects from "./objects/Objects.ts"
import * as SystemState from "./system/SystemState.ts"
import * as Sending from "./transactions/Sending.ts"
import * as Transactions from "./transactions/Transactions.ts"

// Translates Sui's JSON-RPC, which public nodes no longer serve, to Sui GraphQL (docs.sui.io, JSON-RPC migration).

const methods: Readonly<Record<string, SuiMethod>> = {
  sui_dryRunTransactionBlock: Sending.dryRunTransactionBlock,
  sui_executeTransactionBlock: Sending.executeTransactionBlock,
  sui_getChainIdentifier: ChainMethods.getChainIdentifier,
  sui_getCheckpoint: ChainMethods.getCheckpoint,
  sui_getLatestCheckpointSequenceNumber: ChainMethods.getLatestCheckpointSequenceNumber,
  sui_getObject: Objects.getObject,
  sui_getTotalTransactionBlocks: ChainMethods.getTotalTransactionBlocks,
  sui_getTransactionBlock: Transactions.getTransactionBlock,
  sui_multiGetObjects: Objects.multiGetObjects,
  sui_multiGetTransactionBlocks: Transactions.multiGetTransactionBlocks,
  suix_getAllBalances: Balances.getAllBalances,
  suix_getAllCoins: Coins.getAllCoins,
  suix_getBalance: Balances.getBalance,
  suix_getCoinMetadata: Coins.getCoinMetadata,
  suix_getCoins: Coins.getCoins,
  suix_getLatestSuiSystemState: SystemState.getLatestSuiSystemState,
  suix_getOwnedObjects: Objects.getOwnedObjects,
  suix_getReferenceGasPrice: ChainMethods.getReferenceGasPrice,
  suix_getTotalSupply: Coins.getTotalSupply,
  suix_queryTransactionBlocks: Transactions.queryTransactionBlocks,
  suix_resolveNameServiceAddress: Balances.resolveNameServiceAddress,
  suix_resolveNameServiceNames: Balances.resolveNameServiceNames
}

/** The names of the translated methods. */
export const translated: ReadonlyArray<string> = Object.keys(methods)

/** Concurrent calls per batch. */
const concurrency = 8

/** This method is not interrupted when the client disconnects: the outcome would be unknown. */
const sending = "sui_executeTransactionBlock"

/** Serves JSON-RPC from the GraphQL hosts. */
export const make = (hosts: Upstream) =>
  Effect.gen(function* () {
    const deadline = yield* requestDeadline
    const timedOut = hosts.fault({ reason: "timeout", detail: "no host answered in time", final: true })
    const { detached, ofEffect } = yield* SharedRuns.make(yield* timeLimit(deadline), timedOut)
    const call = (rpcCall: RpcCall): Effect.Effect<RpcReply, UpstreamError> => {
      const answered = Effect.suspend(() => answer(hosts, rpcCall)).pipe(
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
    const rpc: Rpc = {
      upstream: hosts.name,
      call: (rpcCall) => ofEffect(call(rpcCall)),
      /** Calls run in order if one of them sends a transaction. */
      batch: (calls) =>
        ofEffect(
          Effect.flatMap(BatchReads.deadline(deadline, timedOut), (inTime) =>
            Effect.forEach(calls, (each) => inTime(call(each)), {
              concurrency: calls.some(({ method }) => method === sending) ? 1 : concurrency
            })
          )
        )
    }
    return rpc
  })

const answer = (hosts: Upstream, { method, params }: RpcCall) => {
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
