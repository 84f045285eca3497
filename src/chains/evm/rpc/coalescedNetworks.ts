import * as declare from "../../../settings/declare.ts"

/** Networks whose proxied reads are batched while their nodes are busy. */
export const coalescedNetworks = declare.list({
  name: "COALESCED_RPC_NETWORKS",
  default: [],
  allowed: "ids of EVM networks, separated by commas",
  check: (id) => /^[a-z0-9-]+$/.test(id),
  meaning:
    "EVM networks whose proxied reads are sent in JSON-RPC batches while more than 8 requests are in flight to a node; for nodes that count requests, not calls"
})
