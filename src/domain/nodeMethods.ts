/** JSON-RPC methods that begin with one of these are for those who run a node, or are only in a node for developers. */
export const administrative: ReadonlyArray<string> = [
  "account_",
  "admin_",
  "anvil_",
  "arbdebug_",
  "clique_",
  "debug_",
  "dev_",
  "eea_",
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
  "priv_",
  "qbft_",
  "raft_",
  "signer_",
  "tenderly_",
  "txpool_"
]

/** In any case. */
const administers = new RegExp(`^(?:${administrative.join("|")})`, "i")

/** How nodes name their methods. */
const wellFormed = /^[A-Za-z][A-Za-z0-9_]*$/

/** Why a method is not passed on to nodes; undefined where it is. */
export const refusal = (method: string): string | undefined => {
  if (!wellFormed.test(method)) return "does not have the form of a method's name"
  return administers.test(method) ? "administers a node" : undefined
}
