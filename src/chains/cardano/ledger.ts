import { type Movement, numbered, type Transaction } from "../../domain/Transaction.ts"
import { type Height, height, numberOf, type Seconds } from "../../domain/units.ts"
import { feeShares } from "../kit/fees/feeShares.ts"
import { paidOf } from "../kit/history/parties.ts"
import { isStake, stakeOf } from "./CardanoAddress.ts"

// Transactions of the Cardano ledger from the perspective of one address: inputs and outputs have coins and any number
// of assets (CIP-19 addresses, Alonzo's collateral, Babbage's reference inputs).

/** An output of a transaction, spent or created. */
export interface Flow {
  readonly address: string
  /** The account of the address, if the upstream returns it. */
  readonly account?: string | undefined
  readonly lovelace: bigint
  /** With their decimals, if the upstream returns them. */
  readonly assets: ReadonlyArray<{ readonly unit: string; readonly quantity: bigint; readonly decimals?: number }>
  /** `hash#index`, if the upstream returns it. */
  readonly output?: string | undefined
}

/** A transaction in the form that both upstreams are mapped to. Reference inputs are omitted. */
export interface CardanoLedgerTransaction {
  readonly hash: string
  readonly timestamp: Seconds
  /** Null for the genesis block. */
  readonly height: Height | null
  readonly index: number
  readonly fee: bigint
  /** Deposits of registrations; negative if they are returned. */
  readonly deposit: bigint
  /** False if a script failed: then only the collateral is taken. */
  readonly valid: boolean
  readonly delegates: boolean
  readonly inputs: ReadonlyArray<Flow>
  readonly outputs: ReadonlyArray<Flow>
  readonly collateral: ReadonlyArray<Flow>
  /** Withdrawals from accounts. */
  readonly rewards: ReadonlyArray<{ readonly account: string; readonly lovelace: bigint }>
}

/** Exceeds the number of transactions in a block. */
const perBlock = 2 ** 16

/** The block height, from the sort key of a transaction. */
export const heightOf = ({ order }: Pick<Transaction, "order">): Height => height(Math.floor(order / perBlock))

/** The native coin among assets. */
const ada = ""

/** The net amount that each owner receives, by asset; negative if it sends. */
type Net = Map<string, Map<string, bigint>>

/**
 * Nets inputs and outputs for each owner and asset. All addresses of an account are one owner if the history is that of
 * the account. Rewards come from the account's stake address; deposits, donations and minted or burnt assets have no
 * counterparty. The owners of inputs share the fee in proportion to their inputs; a part that they do not pay
 * themselves is paid out of rewards or returned deposits, and is attributed to the largest sender.
 */
export const toTransaction = (holder: string, ledgered: CardanoLedgerTransaction): Transaction => {
  const owner = ownerFor(holder)
  const block = ledgered.height === null ? null : numberOf(ledgered.height)
  const common = {
    hash: ledgered.hash,
    fee: ledgered.fee,
    timestamp: ledgered.timestamp,
    ...numbered({ block }),
    order: (block ?? 0) * perBlock + ledgered.index
  }
  // A failed script costs its collateral, which upstreams return as the fee, and moves nothing.
  if (!ledgered.valid) {
    const payers = unique((ledgered.collateral.length > 0 ? ledgered.collateral : ledgered.inputs).map(owner))
    return { ...common, type: "Send", status: "Failed", from: payers.map(nothing), to: [] }
  }
  const net = netOf(ledgered, owner)
  const charges = chargeFee(net, ledgered, owner)
  const payers = [...charges.keys()]
  const parties = [...net].flatMap(([address, assets]) =>
    [...assets].map(([unit, amount]) => ({ address, unit, amount }))
  )
  const given = parties
    .filter(({ amount }) => amount < 0n)
    .map((party) => movement({ ...party, amount: -party.amount }))
  const to = parties.filter(({ amount }) => amount > 0n).map(movement)
  // The payer of the fee and the holder are listed even if they send nothing else.
  const silent = unique([...payers, holder]).filter(
    (address) => !has(given, address) && (payers.includes(address) || !has(to, address))
  )
  const from = [...given, ...silent.map(nothing)]
  // All payers send to themselves: they only pay the fee.
  const self = given.length === 0 && to.length === 0
  return {
    ...common,
    type: typeOf(holder, ledgered, owner, given, to),
    ...paidOf(holder, { fee: ledgered.fee, from }, charges.get(holder) ?? 0n),
    status: "Success",
    from,
    to: self ? payers.map(nothing) : to
  }
}

/**
 * Whether it spends at least one output (except in the genesis block), spends or creates no output twice, and creates
 * no coins.
 */
export const isSound = ({ deposit, fee, height, inputs, outputs, rewards }: CardanoLedgerTransaction) => {
  const all = [...inputs, ...outputs].flatMap(({ output }) => output ?? [])
  const sum = (rows: ReadonlyArray<{ readonly lovelace: bigint }>) => rows.reduce((sum, row) => sum + row.lovelace, 0n)
  const isFunded = sum(inputs) + sum(rewards) >= sum(outputs) + fee + deposit
  return (height === null || (inputs.length > 0 && isFunded)) && new Set(all).size === all.length
}

/**
 * Whether an address sends or receives something. An account may be involved only by a certificate, and for a failed
 * script the upstreams do not return everything.
 */
export const concerns =
  (holder: string) =>
  (ledgered: CardanoLedgerTransaction): boolean => {
    const { collateral, inputs, outputs, valid } = ledgered
    if (!valid) return true
    return (
      isSound(ledgered) &&
      (isStake(holder) || [...inputs, ...outputs, ...collateral].some(({ address }) => address === holder))
    )
  }

const ownerFor = (holder: string) => {
  if (!isStake(holder)) return ({ address }: Flow) => address
  return ({ account, address }: Flow) => ((account ?? stakeOf(address)) === holder ? holder : address)
}

const netOf = ({ inputs, outputs, rewards }: CardanoLedgerTransaction, owner: (flow: Flow) => string): Net => {
  const net: Net = new Map()
  const flows = (all: ReadonlyArray<Flow>, sign: bigint) => {
    for (const flow of all) {
      add(net, owner(flow), ada, sign * flow.lovelace)
      for (const { quantity, unit } of flow.assets) add(net, owner(flow), unit, sign * quantity)
    }
  }
  flows(inputs, -1n)
  for (const { account, lovelace } of rewards) add(net, account, ada, -lovelace)
  flows(outputs, 1n)
  return net
}

const add = (net: Net, owner: string, unit: string, amount: bigint) => {
  const assets = net.get(owner) ?? new Map<string, bigint>()
  net.set(owner, assets.set(unit, (assets.get(unit) ?? 0n) + amount))
}

/** Subtracts the fee from its payers, and returns what each of them pays. */
const chargeFee = (
  net: Net,
  { fee, inputs }: CardanoLedgerTransaction,
  owner: (flow: Flow) => string
): ReadonlyMap<string, bigint> => {
  const gave = new Map<string, bigint>()
  for (const flow of inputs) gave.set(owner(flow), (gave.get(owner(flow)) ?? 0n) + flow.lovelace)
  const lost = (name: string) => -(net.get(name)?.get(ada) ?? 0n)
  const largest = [...gave.keys()].reduce<string | undefined>(
    (best, name) => (best === undefined || lost(name) > lost(best) ? name : best),
    undefined
  )
  if (largest === undefined) return new Map()
  const givers = [...gave].flatMap(([name, gave]) => (lost(name) > 0n ? [{ name, gave, net: lost(name) }] : []))
  const shares = feeShares(givers, fee)
  const paid = shares.reduce((sum, share) => sum + share, 0n)
  const charges = new Map(givers.map(({ name }, index) => [name, shares[index] ?? 0n]))
  if (charges.size === 0 || fee > paid) charges.set(largest, (charges.get(largest) ?? 0n) + fee - paid)
  for (const [name, charge] of charges) add(net, name, ada, charge)
  return charges
}

const unique = (texts: ReadonlyArray<string>) => [...new Set(texts)]

const has = (parties: ReadonlyArray<Movement>, address: string) => parties.some((party) => party.address === address)

const nothing = (address: string): Movement => ({ address, amount: 0n })

const movement = (party: { readonly address: string; readonly amount: bigint; readonly unit: string }): Movement => ({
  address: party.address,
  amount: party.amount,
  ...(party.unit === ada ? {} : { token: party.unit })
})

/** Cardano's type names apply if only the holder is involved; otherwise the type is Send or Receive. */
const typeOf = (
  holder: string,
  { delegates, deposit, inputs, outputs, rewards }: CardanoLedgerTransaction,
  owner: (flow: Flow) => string,
  given: ReadonlyArray<Movement>,
  to: ReadonlyArray<Movement>
): string => {
  if (inputs.length > 0 && [...inputs, ...outputs].every((flow) => owner(flow) === holder)) {
    if (delegates) return "Delegation"
    if (rewards.length > 0) return "Withdrawal"
    if (deposit !== 0n) return deposit > 0n ? "Registration" : "Deregistration"
    if (to.some(({ token }) => token !== undefined)) return "Mint"
    if (given.some(({ token }) => token !== undefined)) return "Burn"
  }
  return !has(given, holder) && has(to, holder) ? "Receive" : "Send"
}
