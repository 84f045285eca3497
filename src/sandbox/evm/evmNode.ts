import * as Either from "effect/Either"
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
import { gasUsed } from "./EvmTransaction.ts"
import { filters } from "./evmFilters.ts"
import type { LedgerTransaction } from "./evmPool.ts"

type Params = ReadonlyArray<unknown>

const wrong = (index: number, what: string) => Either.left(refused(-32602, `invalid argument ${index}: ${what}`))

/** Validates the first parameter as an address and passes it on in lower case. */
const ofAddress =
  (then: (address: string, params: Params, now: number) => unknown) => (params: Params, now: number) => {
    const [address] = params
    if (address === undefined) return Either.left(refused(-32602, "missing value for required argument 0"))
    return /^0x[0-9a-f]{40}$/i.test(String(address))
      ? then(String(address).toLowerCase(), params, now)
      : wrong(0, "json: cannot unmarshal hex string into Go value of type common.Address")
  }

interface MethodRequest {
  readonly from?: string
  readonly to?: string | null
  readonly data?: Hex
  readonly input?: Hex
  readonly value?: Hex
}

const callOf = ({ data, from = `0x${"00".repeat(20)}`, input, to }: MethodRequest): EvmContracts.ContractCall => ({
  from: from.toLowerCase(),
  to: to?.toLowerCase(),
  data: input ?? data ?? "0x"
})

/** JSON-RPC methods of an EVM node. */
const methods = (chain: EvmLedger.EvmLedger): JsonRpc.Methods => ({
  ...chainMethods(chain.facts),
  ...accountMethods(chain),
  ...feeMethods(chain.facts),
  ...blockMethods(chain),
  ...filters(chain),
  eth_sendRawTransaction: ([raw], now) => chain.send(raw, now),
  eth_getTransactionByHash: ([hash], now) => {
    const found = chain.find(hash)
    return found === undefined ? null : EvmReceipts.returnedTransaction(chain, found, now)
  },
  eth_getTransactionReceipt: ([hash], now) => {
    const found = chain.find(hash)
    return found === undefined ? null : EvmReceipts.receipt(chain, found, now)
  }
})

const chainMethods = (facts: EvmContracts.ContractFacts): JsonRpc.Methods => ({
  eth_chainId: () => numberToHex(facts.chainId ?? 0),
  net_version: () => String(facts.chainId),
  net_listening: () => true,
  net_peerCount: () => "0x32",
  web3_clientVersion: () => "sandbox/1.0",
  web3_sha3: ([data]) => keccak256(data as Hex),
  eth_syncing: () => false,
  eth_accounts: () => [],
  eth_blockNumber: (_, now) => numberToHex(EvmChain.newest(now))
})

const accountMethods = ({ allocation, facts, nonce }: EvmLedger.EvmLedger): JsonRpc.Methods => ({
  eth_getBalance: ofAddress((address, [, tag]) =>
    numberToHex(["0x0", "earliest"].includes(String(tag)) ? (allocation(address) ?? 0n) : World.native(facts, address))
  ),
  eth_getCode: ofAddress((address) => EvmContracts.codeAt(facts, address)),
  eth_getStorageAt: ofAddress(() => `0x${"00".repeat(32)}`),
  eth_getTransactionCount: ofAddress((address, [, tag]) => numberToHex(nonce(address, tag === "pending"))),
  eth_call: ([request], now) => EvmContracts.call(facts, callOf(request as MethodRequest), EvmChain.newest(now)),
  eth_estimateGas: ([request], now) => {
    const call = callOf(request as MethodRequest)
    const { from, value = "0x0" } = request as MethodRequest
    if (from !== undefined && World.native(facts, call.from) < BigInt(value))
      return Either.left(refused(-32000, "insufficient funds for transfer"))
    return Either.map(EvmContracts.call(facts, call, EvmChain.newest(now)), () => numberToHex(gasUsed(facts, call)))
  },
  // As go-ethereum: a call that reverts has a list too.
  eth_createAccessList: ([request], now) => {
    const call = callOf(request as MethodRequest)
    const outcome = EvmContracts.call(facts, call, EvmChain.newest(now))
    const error = Either.isLeft(outcome) ? { error: outcome.left.message } : {}
    return { accessList: [], ...error, gasUsed: numberToHex(gasUsed(facts, call)) }
  },
  // Without proofs: the state has no trie.
  eth_getProof: ofAddress((address, [, keys]) => ({
    address,
    accountProof: [],
    balance: numberToHex(World.native(facts, address)),
    codeHash: keccak256(EvmContracts.codeAt(facts, address)),
    nonce: numberToHex(nonce(address, false)),
    storageHash: noStorage,
    storageProof: (Array.isArray(keys) ? keys : []).map((key: unknown) => ({ key, value: "0x0", proof: [] }))
  }))
})

/** Root of an empty trie. */
const noStorage = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

const feeMethods = (facts: EvmContracts.ContractFacts): JsonRpc.Methods => ({
  eth_gasPrice: (_, now) => numberToHex(EvmChain.baseFee(facts, EvmChain.newest(now)) + EvmChain.tip),
  eth_maxPriorityFeePerGas: () => numberToHex(EvmChain.tip),
  eth_blobBaseFee: () => "0x1",
  eth_feeHistory: ([count, tag, percentiles], now) => {
    if (Array.isArray(percentiles) && percentiles.length > EvmChain.maxPercentiles)
      return Either.left(refused(-32000, `over the query limit ${EvmChain.maxPercentiles}`))
    const last = EvmChain.blockOfTag(tag, now)
    return last === undefined || last > EvmChain.newest(now) + 1n
      ? Either.left(refused(-32000, "request beyond head block"))
      : EvmChain.feeHistory(facts, Number(count), last, percentiles as ReadonlyArray<number> | undefined)
  }
})

/** Block of a parameter that is a tag, a number, or a hash; undefined if it is unknown. */
const blockIn = ({ facts }: EvmLedger.EvmLedger, block: unknown, now: number): bigint | undefined => {
  const isHash = typeof block === "string" && block.length === 66
  const number = isHash ? EvmChain.blockOfHash(facts, block) : EvmChain.blockOfTag(block, now)
  return number !== undefined && number <= EvmChain.newest(now) + 1n ? number : undefined
}

const blockMethods = (chain: EvmLedger.EvmLedger): JsonRpc.Methods => {
  const { facts, inBlock } = chain
  const full = (transaction: LedgerTransaction, now: number) => EvmReceipts.returnedTransaction(chain, transaction, now)
  const block = (number: bigint | undefined, isFull: unknown, now: number) => {
    if (number === undefined) return null
    const inside = inBlock(number)
    const gas = inside.reduce((sum, transaction) => sum + transaction.gas, 0n)
    const transactions = inside.map((transaction) => (isFull === true ? full(transaction, now) : transaction.hash))
    return EvmChain.blockOf(facts, number, gas, transactions)
  }
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
    return transaction === undefined ? null : full(transaction, now)
  })

  return {
    eth_getBlockByNumber: ([tag, isFull], now) =>
      EvmChain.blockOfTag(tag, now) === undefined
        ? wrong(0, "hex string without 0x prefix")
        : block(blockIn(chain, tag, now), isFull, now),
    eth_getBlockByHash: ([hash, isFull], now) =>
      block(String(hash).length === 66 ? blockIn(chain, hash, now) : undefined, isFull, now),
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
