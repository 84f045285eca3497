import * as Effect from "effect/Effect"
import { sui } from "../../../catalogue/sui.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import { type MethodPolicy, named } from "../../../jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../../settings/declare.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import * as Translation from "./Translation.ts"

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
