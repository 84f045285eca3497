import type { Hex } from "viem"
import { keccak256, numberToHex } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import * as World from "../world/World.ts"
import { refused, type Simulated } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmLedger from "./EvmLedger.ts"
import * as EvmLogs from "./EvmLogs.ts"
import * as EvmReceipts from "./EvmReceipts.ts"
import { answers, blockIn, ofAddress, wrong } from "./evmAnswers.ts"
import { filters } from "./evmFilters.ts"
import type { LedgerTransaction } from "./evmPool.ts"

type Params = ReadonlyArray<unknown>

/** JSON-RPC methods of an EVM node. */
const methods = (chain: EvmLedger.EvmLedger): JsonRpc.Methods => ({
  ...JsonRpc.methodsOf(answers(chain)),
  ...chainMethods(chain.facts),
  ...accountMethods(chain),
  ...blockMethods(chain),
  ...filters(chain)
})

const chainMethods = (facts: EvmContracts.ContractFacts): JsonRpc.Methods => ({
  net_version: () => String(facts.chainId),
  net_listening: () => true,
  net_peerCount: () => "0x32",
  web3_clientVersion: () => "sandbox/1.0",
  web3_sha3: ([data]) => keccak256(data as Hex),
  eth_syncing: () => false,
  eth_accounts: () => [],
  eth_blobBaseFee: () => "0x1"
})

const accountMethods = ({ facts, nonce }: EvmLedger.EvmLedger): JsonRpc.Methods => ({
  // Without proofs: the state has no trie.
  eth_getProof: (params) =>
    ofAddress(params, (address) => ({
      address,
      accountProof: [],
      balance: numberToHex(World.native(facts, address)),
      codeHash: keccak256(EvmContracts.codeAt(facts, address)),
      nonce: numberToHex(nonce(address, false)),
      storageHash: noStorage,
      storageProof: (Array.isArray(params[1]) ? params[1] : []).map((key: unknown) => ({
        key,
        value: "0x0",
        proof: []
      }))
    }))
})

/** Root of an empty trie. */
const noStorage = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

const blockMethods = (chain: EvmLedger.EvmLedger): JsonRpc.Methods => {
  const { inBlock } = chain
  /** A method about the transactions of a block; null if there is no such block. */
  const ofBlock =
    (result: (inside: ReadonlyArray<LedgerTransaction>, params: Params, now: number) => unknown) =>
    (params: Params, now: number) => {
      const [tag] = params
      if (typeof tag !== "string" || (tag.length !== 66 && EvmChain.blockOfTag(tag, now) === undefined))
        return wrong(0, "hex string without 0x prefix")
      const number = blockIn(chain, tag, now)
      return number === undefined ? null : result(inBlock(number), params, now)
    }
  const count = ofBlock((inside) => numberToHex(inside.length))
  const uncles = ofBlock(() => "0x0")
  const at = ofBlock((inside, [, index], now) => {
    const transaction = inside[Number(index)]
    return transaction === undefined ? null : EvmReceipts.returnedTransaction(chain, transaction, now)
  })

  return {
    eth_getBlockReceipts: ofBlock((inside, _, now) =>
      inside.flatMap((transaction) => EvmReceipts.receipt(chain, transaction, now) ?? [])
    ),
    eth_getBlockTransactionCountByNumber: count,
    eth_getBlockTransactionCountByHash: count,
    eth_getTransactionByBlockNumberAndIndex: at,
    eth_getTransactionByBlockHashAndIndex: at,
    eth_getUncleCountByBlockNumber: uncles,
    eth_getUncleCountByBlockHash: uncles,
    eth_getUncleByBlockNumberAndIndex: ofBlock(() => null),
    eth_getUncleByBlockHashAndIndex: ofBlock(() => null),
    eth_getLogs: ([filter], now) => EvmLogs.logs(chain, Object(filter), now)
  }
}

/** A node of an EVM network. It knows only those past transactions that explorers have listed. */
export const evmNode = (facts: ContractFacts, chain = EvmLedger.make(facts)): Simulated =>
  JsonRpc.node(methods(chain), {
    missing: (method) => refused(-32601, `the method ${method} does not exist/is not available`),
    unparsed: "parse error",
    unreadable: refused(-32602, "invalid argument 0: cannot be read")
  })

/** Nodes of a network and of its test network, if any, by upstream name. The test network has different balances. */
export const evmNodes = (
  facts: World.InWorld<NetworkFacts>,
  chain: EvmLedger.EvmLedger
): ReadonlyArray<readonly [string, Simulated]> => {
  const { id, native, proxy, world } = facts
  const inWorld = world === undefined ? {} : { world }
  const main = [`${id}-rpc`, evmNode(facts, chain)] as const
  const chainId = proxy?.testnet?.chainId
  return chainId === undefined
    ? [main]
    : [main, [`${id}-testnet-rpc`, evmNode({ id: NetworkId.make(`${id}-testnet`), native, chainId, ...inWorld })]]
}

/** The operator's own test network. Its coin has no price; almost any account has enough to fund others. */
export const testnet: ContractFacts = {
  id: NetworkId.make("operator-testnet"),
  native: {
    coinId: CoinId.make("testnet-coin"),
    name: "Test coin",
    symbol: "TEST",
    decimals: 18,
    thumbnail: ""
  },
  chainId: 31337
}
