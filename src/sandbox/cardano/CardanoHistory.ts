import { bech32 } from "@scure/base"
import { isStake } from "../../chains/cardano/CardanoAddress.ts"
import { type LedgerFacts, ledger, type Move } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"

/** An output with its owner, coins and assets. */
export interface CardanoOutput {
  readonly address: string
  readonly account?: string
  readonly lovelace: bigint
  /** Quantities by unit. */
  readonly assets?: ReadonlyMap<string, bigint>
}

/** A transaction, independent of an upstream's format. */
export interface SimulatedTransaction {
  readonly hash: string
  readonly time: number
  readonly height: number
  readonly index: number
  readonly fee: bigint
  readonly valid: boolean
  readonly inputs: ReadonlyArray<CardanoOutput>
  readonly outputs: ReadonlyArray<CardanoOutput>
  /** Spent if the script failed; otherwise only listed. */
  readonly collateral: ReadonlyArray<CardanoOutput>
}

/** The contents of a sent transaction. */
export type SentCardano = Pick<SimulatedTransaction, "fee" | "valid" | "inputs" | "outputs" | "collateral">

/** One block every twenty seconds. */
export const heightAt = (time: number): number => Math.floor(time / 20) - 76_000_000

/** Histories of holders. A list returns hashes for looking up the transactions. */
export const histories = (facts: LedgerFacts) => {
  const byHash = remembered<SimulatedTransaction>()
  return {
    /** Newest first. */
    of: (holder: string): ReadonlyArray<SimulatedTransaction> => {
      const moves = new Map(ledger(facts, holder).map((move) => [move.id, move]))
      const all = [...moves.values()].map((move) => transaction(holder, move))
      for (const simulated of all) byHash.set(simulated.hash, simulated)
      return all.reverse()
    },
    by: (hash: string): SimulatedTransaction | undefined => byHash.get(hash)
  }
}

const encode = (prefix: string, bytes: Uint8Array) => bech32.encode(prefix, bech32.toWords(bytes), 1023)

const otherOutput = (id: string): CardanoOutput => ({
  address: encode("addr", Uint8Array.of(0x61, ...Buffer.from(id.slice(0, 56), "hex"))),
  lovelace: 0n
})

/** The holder's address; for an account, an address with the account's credential. */
export const own = (holder: string): CardanoOutput => {
  if (!isStake(holder)) return { address: holder, lovelace: 0n }
  const [header = 0, ...hash] = bech32.fromWords(bech32.decode(holder as `${string}1${string}`).words)
  const type = header >> 4 === 14 ? 0x01 : 0x21
  const bytes = Uint8Array.of(type, ...new Uint8Array(28).fill(7), ...hash)
  return { address: encode("addr", bytes), account: holder, lovelace: 0n }
}

/** Minimum lovelace of an output with an asset, and the change of a payer. */
const [least, change] = [1_200_000n, 2_000_000n]

const transaction = (holder: string, move: Move): SimulatedTransaction => {
  const { amount, at, contract, counterparty, details, failed, fee, id } = move
  const place = { hash: id, time: at, height: heightAt(at), index: 3 + (move.ordinal ?? 0) }
  if (details !== undefined) return { ...(details as SentCardano), ...place }
  const theirs = counterparty === undefined ? otherOutput(move.seed) : own(counterparty)
  const [from, to] = move.direction === "out" ? [own(holder), theirs] : [theirs, own(holder)]
  const assets = new Map(contract === undefined ? [] : [[contract.address, amount]])
  const made = (sides: Pick<SimulatedTransaction, "inputs" | "outputs" | "collateral">): SimulatedTransaction => {
    return { ...sides, fee, valid: !failed, ...place }
  }
  if (failed) {
    const taken = [{ ...from, lovelace: fee + change }]
    return made({ inputs: taken, collateral: taken, outputs: [{ ...from, lovelace: change }] })
  }
  if (contract === undefined)
    return made({
      inputs: [{ ...from, lovelace: amount + fee + change }],
      outputs: [
        { ...to, lovelace: amount },
        { ...from, lovelace: change }
      ],
      collateral: []
    })
  // The receiver provides the minimum coins of an output with an asset.
  const paying = { ...from, lovelace: change + fee, ...(move.kind === "mint" ? {} : { assets }) }
  return made({
    inputs: [paying, { ...to, lovelace: least }],
    outputs: [
      { ...to, lovelace: least, assets },
      { ...from, lovelace: change }
    ],
    collateral: [paying]
  })
}

export const split = (unit: string) => ({ policy_id: unit.slice(0, 56), asset_name: unit.slice(56) })

type CardanoValue = Pick<CardanoOutput, "lovelace" | "assets">

/** Assets in Koios' format. */
export const koiosAssets = ({ assets = new Map() }: CardanoValue) =>
  Array.from(assets, ([unit, quantity]) => ({ ...split(unit), quantity: String(quantity) }))

/** Coins and assets in Blockfrost's format. */
export const blockfrostAmount = ({ assets = new Map(), lovelace }: CardanoValue) =>
  Array.from([["lovelace", lovelace] as const, ...assets], ([unit, quantity]) => ({ unit, quantity: String(quantity) }))

const koiosOutput = (output: CardanoOutput, index: number) => ({
  payment_addr: { bech32: output.address, cred: null },
  stake_addr: output.account ?? null,
  tx_index: index,
  value: String(output.lovelace),
  asset_list: koiosAssets(output)
})

/** Hash of the transaction whose outputs are spent by these inputs. */
const spentBy = ({ hash }: SimulatedTransaction) => [...hash].reverse().join("")

/** Row of `tx_info`. */
export const koiosRow = (simulated: SimulatedTransaction) => ({
  tx_hash: simulated.hash,
  block_height: simulated.height,
  tx_timestamp: simulated.time,
  tx_block_index: simulated.index,
  fee: String(simulated.fee),
  deposit: "0",
  inputs: simulated.inputs.map((output, index) => ({ ...koiosOutput(output, index), tx_hash: spentBy(simulated) })),
  outputs: simulated.outputs.map(koiosOutput),
  collateral_inputs: simulated.collateral.map(koiosOutput),
  collateral_output: null,
  reference_inputs: [],
  withdrawals: [],
  certificates: [],
  plutus_contracts: simulated.collateral.length === 0 ? [] : [{ valid_contract: simulated.valid }]
})

const blockfrostOutput = (output: CardanoOutput) => ({ address: output.address, amount: blockfrostAmount(output) })

/** `/txs/{hash}` and `/txs/{hash}/utxos`. */
export const blockfrostContent = (simulated: SimulatedTransaction) => ({
  hash: simulated.hash,
  block_height: simulated.height,
  block_time: simulated.time,
  index: simulated.index,
  fees: String(simulated.fee),
  deposit: "0",
  withdrawal_count: 0,
  delegation_count: 0,
  valid_contract: simulated.valid
})

export const blockfrostUtxos = (simulated: SimulatedTransaction) => ({
  hash: simulated.hash,
  inputs: [
    ...simulated.inputs.map((output, index) => ({
      tx_hash: spentBy(simulated),
      output_index: index,
      ...blockfrostOutput(output),
      collateral: !simulated.valid,
      reference: false
    })),
    ...(simulated.valid ? simulated.collateral : []).map((output) => ({
      ...blockfrostOutput(output),
      collateral: true,
      reference: false
    }))
  ],
  outputs: simulated.outputs.map((output, output_index) => ({
    ...blockfrostOutput(output),
    output_index,
    collateral: !simulated.valid
  }))
})
