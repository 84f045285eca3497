import * as Effect from "effect/Effect"
import { ton } from "../../catalogue/ton.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { type MethodPolicy, named, type Rule } from "../../jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../settings/declare.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { signedIn } from "../kit/sending/nodeReplies.ts"
import { sendable } from "./sending.ts"

// The methods of TON Center's API v2, which it also serves as JSON-RPC (toncenter.com/api/v2).

/** A repeated message is not an error: the response is that of the first submission. */
const sendBoc: Rule = {
  kind: "once",
  duplicateResult: (error) => (/duplicate (external )?message/i.test(error) ? '{"@type":"ok"}' : undefined),
  more: '"ok":true'
}

const rule = named(
  {
    forever: "detectAddress detectHash packAddress unpackAddress",
    moment: `
      getAddressBalance getAddressInformation getAddressState getBlockHeader getBlockTransactions
      getBlockTransactionsExt getConfigAll getConfigParam getExtendedAddressInformation getLibraries
      getMasterchainBlockSignatures getMasterchainInfo getShardBlockProof getTokenData getTransactions
      getTransactionsStd getWalletInformation lookupBlock runGetMethod runGetMethodStd shards tryLocateResultTx
      tryLocateSourceTx tryLocateTx
    `,
    never: "estimateFee getConsensusBlock getOutMsgQueueSize getOutMsgQueueSizes"
  },
  { sendBoc }
)

export const dialect: MethodPolicy = { blockTime: ton.proxy.blockTime, textIds: true, rule }

/** The path of TON Center's JSON-RPC. */
const path = "/api/v2/jsonRPC"

/** The abilities of TON Center, and of the nodes of the test network. */
export const make = (toncenter: Upstream.Upstream) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "TON_TESTNET_RPC_URLS",
      default: ton.proxy.testnet.nodes,
      meaning: "JSON-RPC addresses of TON's test network, for the proxy"
    })
    const testNodes = yield* Upstream.make({
      name: "ton-testnet-rpc",
      urls,
      canary: (node) => Client.call(node, { method: "getMasterchainInfo", params: {} })
    })
    const main = yield* ProxyNodes.make(toncenter, dialect, { path })
    const testnet = yield* ProxyNodes.make(testNodes, dialect)
    return {
      rpc: { main, testnet, signedIn },
      sending: { main: sendable(main), testnet: sendable(testnet) }
    }
  })
