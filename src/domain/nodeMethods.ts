/** JSON-RPC methods that begin with one of these are for those who run a node, or are only in a node for developers. */
export const administrative: ReadonlyArray<string> = [
  "admin_",
  "anvil_",
  "arbdebug_",
  "clique_",
  "debug_",
  "engine_",
  "evm_",
  "ganache_",
  "hardhat_",
  "ibft_",
  "istanbul_",
  "les_",
  "miner_",
  "parity_",
  "perm_",
  "personal_",
  "plugins_",
  "qbft_",
  "raft_",
  "txpool_"
]
