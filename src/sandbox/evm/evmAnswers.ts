import * as Either from "effect/Either"
import type { Hex } from "viem"
import { numberToHex } from "viem/utils"
import * as calls from "../../chains/evm/providers/node/calls.ts"
import { answeredRpc, type RpcAnswered, type RpcRequest } from "../world/answers.ts"
import * as World from "../world/World.ts"
import { refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import type { EvmLedger } from "./EvmLedger.ts"
import * as EvmReceipts from "./EvmReceipts.ts"
import { gasUsed } from "./EvmTransaction.ts"

// The methods that the service calls itself.

export const wrong = (index: number, what: string) => Either.left(refused(-32602, `invalid argument ${index}: ${what}`))

/** Validates the first parameter as an address and passes it on in lower case. */
export const ofAddress = <A>([address]: ReadonlyArray<unknown>, then: (address: string) => A) => {
  if (address === undefined) return Either.left(refused(-32602, "missing value for required argument 0"))
  return /^0x[0-9a-f]{40}$/i.test(String(address))
    ? Either.right(then(String(address).toLowerCase()))
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

/** Block of a parameter that is a tag, a number, or a hash; undefined if it is unknown. */
export const blockIn = ({ facts }: EvmLedger, block: unknown, now: number): bigint | undefined => {
  const isHash = typeof block === "string" && block.length === 66
  const number = isHash ? EvmChain.blockOfHash(facts, block) : EvmChain.blockOfTag(block, now)
  return number !== undefined && number <= EvmChain.newest(now) + 1n ? number : undefined
}

export const answers = (chain: EvmLedger): ReadonlyArray<RpcAnswered> => [
  ...ofAccounts(chain),
  ...ofFees(chain.facts),
  ...ofBlocks(chain),
  ...ofTransactions(chain)
]

const ofAccounts = ({ allocation, facts, nonce }: EvmLedger) => [
  answeredRpc(calls.balance, ({ params }) =>
    ofAddress(params, (address) =>
      numberToHex(
        ["0x0", "earliest"].includes(String(params[1])) ? (allocation(address) ?? 0n) : World.native(facts, address)
      )
    )
  ),
  answeredRpc(calls.code, ({ params }) => ofAddress(params, (address) => EvmContracts.codeAt(facts, address))),
  answeredRpc(calls.storage, ({ params }) => ofAddress(params, () => `0x${"00".repeat(32)}`)),
  answeredRpc(calls.transactionCount, ({ params }) =>
    ofAddress(params, (address) => numberToHex(nonce(address, params[1] === "pending")))
  ),
  answeredRpc(calls.contract, ({ now, params: [request] }) =>
    EvmContracts.call(facts, callOf(request as MethodRequest), EvmChain.newest(now))
  ),
  answeredRpc(calls.estimateGas, ({ now, params: [request] }) => {
    const call = callOf(request as MethodRequest)
    const { from, value = "0x0" } = request as MethodRequest
    if (from !== undefined && World.native(facts, call.from) < BigInt(value))
      return Either.left(refused(-32000, "insufficient funds for transfer"))
    return Either.map(EvmContracts.call(facts, call, EvmChain.newest(now)), () => numberToHex(gasUsed(facts, call)))
  }),
  // As go-ethereum: a call that reverts has a list too.
  answeredRpc(calls.accessList, ({ now, params: [request] }) => {
    const call = callOf(request as MethodRequest)
    const outcome = EvmContracts.call(facts, call, EvmChain.newest(now))
    const error = Either.isLeft(outcome) ? { error: outcome.left.message } : {}
    return { accessList: [], ...error, gasUsed: numberToHex(gasUsed(facts, call)) }
  })
]

const ofFees = (facts: EvmContracts.ContractFacts) => [
  answeredRpc(calls.gasPrice, ({ now }) => numberToHex(EvmChain.baseFee(facts, EvmChain.newest(now)) + EvmChain.tip)),
  answeredRpc(calls.maxPriorityFee, () => numberToHex(EvmChain.tip)),
  answeredRpc(calls.feeHistory, ({ now, params: [count, tag, percentiles] }) => {
    if (Array.isArray(percentiles) && percentiles.length > EvmChain.maxPercentiles)
      return Either.left(refused(-32000, `over the query limit ${EvmChain.maxPercentiles}`))
    const last = EvmChain.blockOfTag(tag, now)
    return last === undefined || last > EvmChain.newest(now) + 1n
      ? Either.left(refused(-32000, "request beyond head block"))
      : Either.right(EvmChain.feeHistory(facts, Number(count), last, percentiles))
  })
]

const ofBlocks = (chain: EvmLedger) => {
  const { facts, inBlock } = chain
  const block = (number: bigint | undefined, isFull: unknown, now: number) => {
    if (number === undefined) return undefined
    const inside = inBlock(number)
    const gas = inside.reduce((sum, transaction) => sum + transaction.gas, 0n)
    const transactions = inside.map((transaction) =>
      isFull === true ? EvmReceipts.returnedTransaction(chain, transaction, now) : transaction.hash
    )
    return EvmChain.blockOf(facts, number, gas, transactions)
  }
  const byNumber = ({ now, params: [tag, isFull] }: RpcRequest<readonly [string, boolean]>) =>
    EvmChain.blockOfTag(tag, now) === undefined
      ? wrong(0, "hex string without 0x prefix")
      : block(blockIn(chain, tag, now), isFull, now)
  return [
    answeredRpc(calls.chainId, () => numberToHex(facts.chainId ?? 0)),
    answeredRpc(calls.blockNumber, ({ now }) => numberToHex(EvmChain.newest(now))),
    answeredRpc(calls.newestBlock, byNumber),
    answeredRpc(calls.finalizedBlock, byNumber),
    answeredRpc(calls.block, ({ now, params: [hash, isFull] }) =>
      block(String(hash).length === 66 ? blockIn(chain, hash, now) : undefined, isFull, now)
    )
  ]
}

const ofTransactions = (chain: EvmLedger) => {
  const seen = ({ now, params: [hash = ""] }: RpcRequest<readonly [string]>) => {
    const found = chain.find(hash)
    return found && EvmReceipts.returnedTransaction(chain, found, now)
  }
  const receipt = ({ now, params: [hash = ""] }: RpcRequest<readonly [string]>) => {
    const found = chain.find(hash)
    return found && (EvmReceipts.receipt(chain, found, now) ?? undefined)
  }
  return [
    answeredRpc(calls.submit, ({ now, params: [raw] }) => chain.send(raw, now)),
    answeredRpc(calls.transaction, seen),
    answeredRpc(calls.pendingTransaction, seen),
    answeredRpc(calls.wholeTransaction, seen),
    answeredRpc(calls.deposit, seen),
    answeredRpc(calls.receipt, receipt),
    answeredRpc(calls.minedReceipt, receipt),
    answeredRpc(calls.wholeReceipt, receipt)
  ]
}
