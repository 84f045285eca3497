import * as Either from "effect/Either"
import type { Hex } from "viem"
import { keccak256, numberToHex } from "viem/utils"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmPast from "./EvmPast.ts"
import * as EvmSent from "./EvmSent.ts"
import { gasUsed } from "./EvmTransaction.ts"
import { filters } from "./evmFilters.ts"
import { type Pool, pool } from "./evmPool.ts"

type Params = ReadonlyArray<unknown>

/** What one call returns, or the refusal of the node in an Either. */
type Method = (params: Params, now: number) => unknown

type MethodTable = Readonly<Record<string, Method>>

const wrong = (index: number, what: string) => Either.left(refused(-32602, `invalid argument ${index}: ${what}`))

/** Whom an answer is about: the address in lower case. */
const ofAddress =
  (then: (address: string, params: Params, now: number) => unknown): Method =>
  (params, now) => {
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

/** The methods of an EVM node, with its state. */
export const methods = (facts: EvmContracts.ContractFacts, past: EvmPast.Past) => {
  const sent = pool(facts)
  const table: MethodTable = {
    ...chainMethods(facts),
    ...accountMethods(facts, sent),
    ...feeMethods(facts),
    ...blockMethods(facts, past, sent),
    ...transactionMethods(facts, past, sent),
    ...logMethods(facts, sent)
  }
  return { send: sent.send, table }
}

const chainMethods = (facts: EvmContracts.ContractFacts): MethodTable => ({
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

const accountMethods = (facts: EvmContracts.ContractFacts, sent: Pool): MethodTable => ({
  // The first block has no balances.
  eth_getBalance: ofAddress((address, [, tag]) =>
    numberToHex(["0x0", "earliest"].includes(String(tag)) ? 0n : World.native(facts, address))
  ),
  eth_getCode: ofAddress((address) => EvmContracts.codeAt(facts, address)),
  eth_getStorageAt: ofAddress(() => `0x${"00".repeat(32)}`),
  eth_getTransactionCount: ofAddress((address, [, tag], now) =>
    numberToHex(sent.nonce(address, now, tag === "pending"))
  ),
  eth_call: ([request], now) => EvmContracts.call(facts, callOf(request as MethodRequest), EvmChain.newest(now)),
  eth_estimateGas: ([request], now) => {
    const call = callOf(request as MethodRequest)
    const { from, value = "0x0" } = request as MethodRequest
    if (from !== undefined && World.native(facts, call.from) < BigInt(value))
      return Either.left(refused(-32000, "insufficient funds for transfer"))
    return Either.map(EvmContracts.call(facts, call, EvmChain.newest(now)), () => numberToHex(gasUsed(facts, call)))
  }
})

const feeMethods = (facts: EvmContracts.ContractFacts): MethodTable => ({
  eth_gasPrice: (_, now) => numberToHex(EvmChain.baseFee(facts, EvmChain.newest(now)) + EvmChain.tip),
  eth_maxPriorityFeePerGas: () => numberToHex(EvmChain.tip),
  eth_blobBaseFee: () => "0x1",
  eth_feeHistory: ([count, tag, percentiles], now) => {
    if (Array.isArray(percentiles) && percentiles.length > EvmChain.maxPercentiles)
      return Either.left(refused(-32000, `over the query limit ${EvmChain.maxPercentiles}`))
    const last = EvmChain.named(tag, now)
    return last === undefined || last > EvmChain.newest(now) + 1n
      ? Either.left(refused(-32000, "request beyond head block"))
      : EvmChain.feeHistory(facts, Number(count), last, percentiles as ReadonlyArray<number> | undefined)
  }
})

const blockMethods = (facts: EvmContracts.ContractFacts, past: EvmPast.Past, sent: Pool): MethodTable => {
  const block = (number: bigint | undefined, full: unknown, now: number) => {
    if (number === undefined) return wrong(0, "hex string without 0x prefix")
    if (number > EvmChain.newest(now) + 1n) return null
    const [before, inside] = [past.inBlock(number), sent.inBlock(number)]
    const gas =
      before.reduce((sum, transaction) => sum + transaction.gas, 0n) +
      inside.reduce((sum, transaction) => sum + EvmSent.used(sent, transaction), 0n)
    const transactions =
      full === true
        ? [
            ...before.map((transaction) => EvmPast.returnedTransaction(facts, past, transaction)),
            ...inside.map((transaction) => EvmSent.returnedTransaction(sent, transaction, now))
          ]
        : [...before, ...inside].map(({ hash }) => hash)
    return EvmChain.blockOf(facts, number, gas, transactions)
  }

  return {
    eth_getBlockByNumber: ([tag, full], now) => block(EvmChain.named(tag, now), full, now),
    eth_getBlockByHash: ([hash, full], now) => {
      const number = EvmChain.withHash(facts, String(hash))
      return number === undefined ? null : block(number, full, now)
    },
    eth_getBlockTransactionCountByNumber: ([tag], now) =>
      numberToHex(sent.inBlock(EvmChain.named(tag, now) ?? -1n).length)
  }
}

const transactionMethods = (facts: EvmContracts.ContractFacts, past: EvmPast.Past, sent: Pool): MethodTable => ({
  eth_getTransactionByHash: ([hash], now) => {
    const own = sent.find(hash)
    if (own !== undefined) return EvmSent.returnedTransaction(sent, own, now)
    const before = past.by(hash)
    return before === undefined ? null : EvmPast.returnedTransaction(facts, past, before)
  },
  eth_getTransactionReceipt: ([hash], now) => {
    const own = sent.find(hash)
    if (own !== undefined) return EvmSent.receipt(sent, own, now)
    const before = past.by(hash)
    return before === undefined ? null : EvmPast.receipt(facts, past, before)
  }
})

const logMethods = (facts: EvmContracts.ContractFacts, sent: Pool): MethodTable => {
  const logFilters = filters(facts, sent)
  return {
    eth_getLogs: ([wanted], now) => logFilters.logs({ ...(wanted as object) }, now),
    eth_newFilter: ([wanted], now) => logFilters.make("logs", { ...(wanted as object) }, now),
    eth_newBlockFilter: (_, now) => logFilters.make("blocks", {}, now),
    eth_newPendingTransactionFilter: (_, now) => logFilters.make("transactions", {}, now),
    eth_getFilterChanges: ([id], now) => logFilters.changes(id, now),
    eth_getFilterLogs: ([id], now) => logFilters.all(id, now),
    eth_uninstallFilter: ([id]) => logFilters.remove(id)
  }
}

/** The error for an unknown method. */
export const missing = (method: string | undefined): Refusal =>
  refused(-32601, `the method ${method} does not exist/is not available`)
