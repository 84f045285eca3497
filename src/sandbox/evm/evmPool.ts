import * as Either from "effect/Either"
import type { Hex } from "viem"
import { remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmTransaction from "./EvmTransaction.ts"
import { dataFeeOf, hasOperatorFee, operatorFeeOf, operatorMembers } from "./rollupFees.ts"

/** A past or sent transaction of the chain; addresses in lower case. */
export interface LedgerTransaction {
  readonly hash: Hex
  readonly type: EvmTransaction.Signed["type"] | "eip4844" | "deposit"
  readonly block: bigint
  readonly nonce: number
  readonly from: string
  readonly to: string | undefined
  readonly value: bigint
  readonly input: Hex
  readonly failed: boolean
  /** Gas used, and the price per unit in wei. */
  readonly gas: bigint
  readonly price: bigint
  /** Fee on networks with data fees in addition to gas, wei. */
  readonly dataFee: bigint
  /** Fields of the receipt about a further fee for the operator of the network. */
  readonly operator?: Readonly<Record<string, string>>
  /** Of a deposit: the amount that its sender gets from the other chain. */
  readonly mint?: bigint
  /** Root of the state in receipts before Byzantium, which have no status. */
  readonly stateRoot?: Hex
  /** Whether Etherscan lists it without its input. */
  readonly isDeprecated?: true
  /** Maximum gas; by default, that of the signed transaction, or twice the gas used. */
  readonly gasLimit?: bigint
  /** Movements by contracts. */
  readonly moved: ReadonlyArray<EvmContracts.Moved>
  /** Allowance of a token that the transaction sets. */
  readonly approved?: {
    readonly contract: World.Contract
    readonly owner: string
    readonly spender: string
    readonly amount: bigint
  }
  /** Absent for transactions of the past. */
  readonly signed?: EvmTransaction.Signed
}

/** Minimum price of a replacement, percent of the replaced price. */
const bump = 110n

/** Time of transactions that no block includes, UNIX seconds; used if there is no world. */
const never = 1e12

const idOf = (hash: string) => hash.slice(2)

/** Transactions sent to a simulated chain: each is in the next block, or in that of the transaction it replaces. */
export const pool = (facts: EvmContracts.ContractFacts) => {
  const byHash = remembered<LedgerTransaction & { readonly signed: EvmTransaction.Signed }>()
  const bySlot = remembered<Hex>()
  const state = facts.world?.state

  /** Sets the block that includes the transaction. */
  const placed = (transaction: LedgerTransaction): LedgerTransaction => {
    const id = idOf(transaction.hash)
    const at = state?.finalSince(facts.id, id) ?? state?.pendingOf(facts.id, id)?.due ?? never
    return { ...transaction, block: EvmChain.blockAt(at) }
  }

  const problemOf = (signed: EvmTransaction.Signed, waiting: EvmTransaction.Signed | undefined, block: bigint) => {
    const wrong = EvmTransaction.fault(facts, signed)
    if (wrong !== undefined) return wrong
    if (byHash.has(signed.hash)) return refused(-32000, "already known")
    const { call, maxFee, nonce } = signed
    const [next, pending] = [Submit.sequenceOf(facts, call.from), Submit.sequenceOf(facts, call.from, true)]
    if (nonce < next) return refused(-32000, `nonce too low: next nonce ${next}, tx nonce ${nonce}`)
    if (nonce > pending) return refused(-32000, `nonce too high: address ${call.from}, tx: ${nonce} state: ${pending}`)
    const fee = EvmChain.baseFee(facts, block)
    if (maxFee < fee)
      return refused(
        -32000,
        `max fee per gas less than block base fee: address ${call.from}, maxFeePerGas: ${maxFee}, baseFee: ${fee}`
      )
    return unaffordable(facts, signed, waiting !== undefined) ?? underpriced(signed, waiting)
  }

  return {
    nonce: (address: string, withPending: boolean) => Submit.sequenceOf(facts, address, withPending),
    send: (raw: unknown, now: number): Either.Either<Hex, Refusal> =>
      Either.flatMap(EvmTransaction.signed(raw), (signed) => {
        const [slot, block] = [`${signed.call.from} ${signed.nonce}`, EvmChain.newest(now) + 1n]
        const waiting = byHash.get(bySlot.get(slot) ?? "")
        const problem = problemOf(signed, waiting?.signed, block)
        if (problem !== undefined) return Either.left(problem)
        const transaction = transactionOf(facts, signed, block)
        const event = eventOf(facts, transaction, now)
        if (waiting === undefined) state?.wait(facts.id, event)
        else {
          state?.replace(facts.id, idOf(waiting.hash), event)
          byHash.delete(waiting.hash)
        }
        byHash.set(signed.hash, transaction)
        bySlot.set(slot, signed.hash)
        return Either.right(signed.hash)
      }),
    find: (hash: string): LedgerTransaction | undefined => {
      const found = byHash.get(hash)
      return found && placed(found)
    },
    /** Blocks with transactions. */
    blocks: (): ReadonlyArray<bigint> => byHash.entries().map(([, transaction]) => placed(transaction).block),
    inBlock: (block: bigint): ReadonlyArray<LedgerTransaction> =>
      byHash
        .entries()
        .map(([, transaction]) => placed(transaction))
        .filter((transaction) => transaction.block === block)
        .toSorted((a, b) => a.nonce - b.nonce)
  }
}

const transactionOf = (
  facts: EvmContracts.ContractFacts,
  signed: EvmTransaction.Signed,
  block: bigint
): LedgerTransaction & { readonly signed: EvmTransaction.Signed } => {
  const { call, gas, hash, maxFee, maxTip, nonce, value } = signed
  const [needed, moved] = [EvmTransaction.gasUsed(facts, call), EvmContracts.transferred(facts, call)]
  const isDone =
    gas >= EvmTransaction.ownGas(facts, call) &&
    Either.isRight(EvmContracts.call(facts, call, block)) &&
    (moved === undefined || (value === 0n && moved.amount <= Submit.available(facts, call.from, moved.contract)))
  const offered = EvmChain.baseFee(facts, block) + maxTip
  const approved = EvmContracts.approvedBy(facts, call)
  return {
    hash,
    type: signed.type,
    block,
    nonce,
    from: call.from,
    to: call.to,
    value,
    input: call.data,
    failed: !isDone,
    gas: needed < gas ? needed : gas,
    price: offered < maxFee ? offered : maxFee,
    dataFee: ownDataFee(facts, signed),
    ...(hasOperatorFee(facts) ? { operator: operatorMembers() } : {}),
    signed,
    moved: moved === undefined ? [] : [moved],
    ...(approved === undefined ? {} : { approved })
  }
}

const eventOf = (
  facts: EvmContracts.ContractFacts,
  { block, dataFee, failed, from, gas, hash, moved: [moved], price, to, value }: LedgerTransaction,
  now: number
) => ({
  id: idOf(hash),
  from,
  ...(to === undefined ? {} : { to }),
  amount: value,
  ...moved,
  fee: gas * price + dataFee + operatorFeeOf(facts, gas),
  failed,
  seen: Math.floor(now / 1000),
  due: Number(EvmChain.timeOf(block))
})

/** The data fee of a transaction; 0 on networks without data fees. */
const ownDataFee = ({ dataFee }: EvmContracts.ContractFacts, { bytes }: EvmTransaction.Signed) =>
  dataFee === "always" ? dataFeeOf(bytes) : 0n

/** Insufficient funds error. Pending sends reduce the balance, unless the transaction is a replacement. */
const unaffordable = (facts: EvmContracts.ContractFacts, signed: EvmTransaction.Signed, isReplacement: boolean) => {
  const { call, gas, maxFee, value } = signed
  const balance = isReplacement ? World.native(facts, call.from) : Submit.available(facts, call.from)
  const cost = gas * maxFee + value + ownDataFee(facts, signed) + operatorFeeOf(facts, gas)
  return balance < cost
    ? refused(
        -32000,
        `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`
      )
    : undefined
}

/** Underpriced error for the replacement of a pending transaction with the same nonce. */
const underpriced = ({ maxFee, maxTip }: EvmTransaction.Signed, waiting: EvmTransaction.Signed | undefined) =>
  waiting !== undefined && (maxFee * 100n < waiting.maxFee * bump || maxTip * 100n < waiting.maxTip * bump)
    ? refused(-32000, "replacement transaction underpriced")
    : undefined
