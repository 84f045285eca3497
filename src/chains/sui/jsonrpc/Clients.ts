import * as Effect from "effect/Effect"
import { sui } from "../../../catalogue/sui.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import { type MethodPolicy, named, type Rule, read } from "../../../jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../../settings/declare.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import * as Translation from "./Translation.ts"

// The read methods of Sui's JSON-RPC (docs.sui.io, sui-api-ref); any other method is sent to the operator's nodes once.

const moment = read("moment")
const never = read("never")

const rules: Readonly<Record<string, Rule>> = {
  sui_devInspectTransactionBlock: never,
  sui_dryRunTransactionBlock: never,
  sui_getChainIdentifier: read("forever"),
  sui_getCheckpoint: moment,
  sui_getCheckpoints: moment,
  sui_getEvents: moment,
  sui_getLatestCheckpointSequenceNumber: moment,
  sui_getNormalizedMoveFunction: moment,
  sui_getNormalizedMoveModule: moment,
  sui_getNormalizedMoveModulesByPackage: moment,
  sui_getNormalizedMoveStruct: moment,
  sui_getObject: moment,
  sui_getProtocolConfig: moment,
  sui_getTotalTransactionBlocks: moment,
  sui_getTransactionBlock: moment,
  sui_multiGetObjects: moment,
  sui_multiGetTransactionBlocks: moment,
  sui_tryGetPastObject: moment,
  sui_tryMultiGetPastObjects: moment,
  suix_getAllBalances: moment,
  suix_getAllCoins: moment,
  suix_getBalance: moment,
  suix_getCoinMetadata: moment,
  suix_getCoins: moment,
  suix_getCommitteeInfo: moment,
  suix_getDynamicFieldObject: moment,
  suix_getDynamicFields: moment,
  suix_getLatestSuiSystemState: moment,
  suix_getOwnedObjects: moment,
  suix_getReferenceGasPrice: moment,
  suix_getStakes: moment,
  suix_getStakesByIds: moment,
  suix_getTotalSupply: moment,
  suix_getValidatorsApy: moment,
  suix_queryEvents: moment,
  suix_queryTransactionBlocks: moment,
  suix_resolveNameServiceAddress: moment,
  suix_resolveNameServiceNames: moment
}

/** A checkpoint follows every quarter of a second. */
const dialect: MethodPolicy = { blockTime: sui.proxy.blockTime, rule: named(rules) }

/** Serves JSON-RPC from the operator's nodes if configured, otherwise translates it to GraphQL. */
export const make = (hosts: Upstream.Upstream) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "SUI_RPC_URLS",
      default: [],
      meaning: "JSON-RPC nodes of Sui, for the proxy; without them its calls are translated to GraphQL"
    })
    if (urls.length === 0) return { main: yield* Translation.make(hosts) }
    const nodes = yield* Upstream.make({
      name: "sui-rpc",
      urls,
      canary: (node) => Client.call(node, { method: "sui_getChainIdentifier", params: [] })
    })
    return { main: yield* ProxyNodes.make(nodes, dialect) }
  })
