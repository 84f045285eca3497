/** Prefixes of JSON-RPC methods that are for node operators, or exist only in nodes for developers. */
export const administrativePrefixes: ReadonlyArray<string> = [
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

const administers = new RegExp(`^(?:${administrativePrefixes.join("|")})`, "i")

/** Form of a method's name. */
const wellFormed = /^[A-Za-z][A-Za-z0-9_]*$/

/** Returns why a method is not passed on to nodes; undefined if it is passed on. */
export const refusalReason = (method: string): string | undefined => {
  if (!wellFormed.test(method)) return "does not have the form of a method's name"
  return administers.test(method) ? "administers a node" : undefined
}
