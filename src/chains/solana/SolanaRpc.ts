import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { solana } from "../../catalogue/solana.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { type MethodPolicy, named, type Rule } from "../../jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../settings/declare.ts"
import { methodOf } from "../../upstream/Call.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { signedIn } from "../kit/sending/nodeReplies.ts"
import { newestSlot } from "./providers/agave/calls.ts"
import { bytesOf, fromBase58, sendable } from "./sending.ts"

// Solana JSON-RPC (solana.com/docs/rpc; transactions up to version 1, SIMD-0385); a slot takes 400 ms.

/** Null if the node does not have it yet. */
const isNull = (result: string) => result === "null"
const final: Rule = {
  kind: "read",
  cacheFor: (result) => (isNull(result) ? "never" : "forever"),
  mayBeFinal: true,
  mayBeBehind: isNull
}

/** Without a commitment the finalized state is returned; a state with another commitment may be reverted. */
const finalized: MethodPolicy["rule"] = ({ params = "" }) =>
  /"commitment"\s*:\s*"(?!finalized")/.test(params) ? { ...final, cacheFor: () => "never", mayBeFinal: false } : final

/** The first signature identifies a transaction: it follows the number of signatures, which is below 128. */
const signatureOf = (transaction: Uint8Array | undefined): string | undefined => {
  const [count = 0] = transaction ?? []
  return transaction === undefined || count === 0 || count > 127 || transaction.length < 65
    ? undefined
    : base58.encode(transaction.slice(1, 65))
}

const sendTransaction: Rule = {
  kind: "once",
  duplicateResult: (error, { params }) => {
    if (!/AlreadyProcessed|already been processed/i.test(error)) return undefined
    const given = Either.getOrUndefined(Either.try(() => JSON.parse(params ?? "") as unknown))
    const [text, options] = (Array.isArray(given) ? given : []) as ReadonlyArray<unknown>
    if (typeof text !== "string") return undefined
    const { encoding } = (options ?? {}) as Readonly<Record<string, unknown>>
    const signature = signatureOf(encoding === "base64" ? bytesOf(text) : fromBase58(text))
    return signature === undefined ? undefined : JSON.stringify(signature)
  }
}

const byName = named(
  {
    forever: "getEpochSchedule getGenesisHash",
    // A block's time is also returned for blocks that are not final.
    moment: `
      getAccountInfo getBalance getBlockHeight getBlockProduction getBlockTime getBlocks getBlocksWithLimit
      getEpochInfo getFeeForMessage getInflationGovernor getInflationRate getInflationReward getLargestAccounts
      getLatestBlockhash getLeaderSchedule getMinimumBalanceForRentExemption getMultipleAccounts getProgramAccounts
      getRecentPerformanceSamples getRecentPrioritizationFees getSignaturesForAddress getSignatureStatuses getSlot
      getSlotLeader getSlotLeaders getStakeMinimumDelegation getSupply getTokenAccountBalance
      getTokenAccountsByDelegate getTokenAccountsByOwner getTokenLargestAccounts getTokenSupply getTransactionCount
      getVoteAccounts isBlockhashValid
    `,
    never: `
      getBlockCommitment getClusterNodes getFirstAvailableBlock getHealth getHighestSnapshotSlot getIdentity
      getMaxRetransmitSlot getMaxShredInsertSlot getVersion minimumLedgerSlot simulateTransaction
    `
  },
  { sendTransaction }
)

export const dialect: MethodPolicy = {
  blockTime: solana.proxy.blockTime,
  isHeavy: (method) => /^(getProgramAccounts|getLargestAccounts|getBlocks?|simulateTransaction)$/.test(method),
  rule: (call) => (call.method === "getTransaction" || call.method === "getBlock" ? finalized(call) : byName(call))
}

/** The abilities of the nodes, and of those of the test network. */
export const make = (nodes: Upstream.Upstream) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "SOLANA_TESTNET_RPC_URLS",
      default: solana.proxy.testnet.nodes,
      meaning: "JSON-RPC nodes of Solana's test network, for the proxy"
    })
    const testNodes = yield* Upstream.make({
      name: "solana-testnet-rpc",
      urls,
      canary: (node) => Client.call(node, methodOf(newestSlot, {}))
    })
    const [main, testnet] = [yield* ProxyNodes.make(nodes, dialect), yield* ProxyNodes.make(testNodes, dialect)]
    return {
      rpc: { main, testnet, signedIn },
      sending: { main: sendable(main), testnet: sendable(testnet) }
    }
  })
