/** The position of the block parameter of a method; without this parameter, a call is about the newest block. */
export const blockAt: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  eth_feeHistory: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getUncleByBlockNumberAndIndex: 0,
  eth_getUncleCountByBlockNumber: 0
}

/** Results that never change. */
export const fixed: ReadonlyArray<string> = [
  "net_version",
  "eth_getBlockByHash",
  "eth_getBlockTransactionCountByHash",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleCountByBlockHash",
  "web3_sha3"
]

/** Results of a transaction: they never change once its block is final. */
export const ofTransaction: ReadonlyArray<string> = ["eth_getTransactionByHash", "eth_getTransactionReceipt"]

/** Results that belong to the newest block. */
export const newest: ReadonlyArray<string> = [
  "eth_gasPrice",
  "eth_maxPriorityFeePerGas",
  "eth_blobBaseFee",
  "eth_baseFee"
]

/** Results that change at any time, or describe the node itself. */
export const passing: ReadonlyArray<string> = [
  "eth_syncing",
  "eth_accounts",
  "eth_coinbase",
  "eth_mining",
  "eth_hashrate",
  "eth_protocolVersion",
  "eth_config",
  "eth_getRawTransactionByHash",
  "eth_pendingTransactions",
  "net_listening",
  "net_peerCount",
  "web3_clientVersion",
  "rpc_modules",
  "bor_getAuthor",
  "bor_getCurrentValidators",
  "bor_getSignersAtHash",
  "bor_getSnapshot",
  "optimism_outputAtBlock",
  "optimism_rollupConfig",
  "optimism_syncStatus",
  "trace_block",
  "trace_call",
  "trace_callMany",
  "trace_filter",
  "trace_get",
  "trace_rawTransaction",
  "trace_replayTransaction",
  "trace_replayBlockTransactions",
  "trace_transaction"
]

/** Methods that open a session at one node, and those that continue it. */
export const opening: ReadonlyArray<string> = ["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"]
export const continuing: ReadonlyArray<string> = ["eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"]
