import { sui } from "../../../catalogue/sui.ts"
import { type MethodPolicy, named, type Rule, read } from "../../../jsonrpc/proxy/MethodPolicy.ts"

// The reads of Sui's JSON-RPC (docs.sui.io, sui-api-ref); any other method of the operator's nodes is sent once.

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

/** A checkpoint comes every quarter of a second. */
export const dialect: MethodPolicy = { blockTime: sui.proxy.blockTime, rule: named(rules) }
