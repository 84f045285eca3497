import { bech32 } from "@scure/base"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { isStake } from "../../chains/cardano/CardanoAddress.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { raw } from "./cardanoRaw.ts"

type CardanoWorldFacts = Pick<NetworkFacts, "id" | "native" | "platform">

/** An output: its owner, coins, and at most one asset. */
export interface Output {
  readonly address: string
  readonly account: string | null
  readonly lovelace: bigint
  readonly asset?: { readonly unit: string; readonly quantity: bigint }
}

/** A transaction before an upstream words it. */
export interface Simulated {
  readonly hash: string
  /** The transaction itself, in hexadecimal digits. */
  readonly cbor: string
  readonly time: number
  readonly height: number
  readonly index: number
  readonly fee: bigint
  readonly valid: boolean
  readonly inputs: ReadonlyArray<Output>
  readonly outputs: ReadonlyArray<Output>
  /** Taken where the script failed; else only named. */
  readonly collateral: ReadonlyArray<Output>
}

/** So many transactions are remembered between a list and the questions about what is on it. */
const most = 50_000

/** A block every twenty seconds. */
export const heightAt = (time: number): number => Math.floor(time / 20) - 76_000_000

/** What happened to holders: a list tells hashes, by which transactions are asked for afterwards. */
export const histories = (info: CardanoWorldFacts) => {
  const known = BoundedMap.make<string, Simulated>({ capacity: most })
  return {
    /** The newest first. */
    of: (holder: string): ReadonlyArray<Simulated> => {
      const all = ledger(info, holder).map((move) => transaction(holder, move))
      for (const simulated of all) known.set(simulated.hash, simulated)
      return all.reverse()
    },
    by: (hash: string): Simulated | undefined => known.get(hash)
  }
}

const encode = (prefix: string, bytes: Uint8Array) => bech32.encode(prefix, bech32.toWords(bytes), 1023)

const stranger = (id: string): Output => ({
  address: encode("addr", Uint8Array.of(0x61, ...Buffer.from(id.slice(0, 56), "hex"))),
  account: null,
  lovelace: 0n
})

/** The holder's address; an account has one with its own credential. */
const own = (holder: string): Output => {
  if (!isStake(holder)) return { address: holder, account: null, lovelace: 0n }
  const [header = 0, ...hash] = bech32.fromWords(bech32.decode(holder as `${string}1${string}`).words)
  const type = header >> 4 === 14 ? 0x01 : 0x21
  const bytes = Uint8Array.of(type, ...new Uint8Array(28).fill(7), ...hash)
  return { address: encode("addr", bytes), account: holder, lovelace: 0n }
}

/** What an output has to hold beside an asset, and the change of a payer. */
const [least, change] = [1_200_000n, 2_000_000n]

const transaction = (holder: string, { amount, at, contract, direction, failed, fee, id, other }: Move): Simulated => {
  const [from, to] = direction === "out" ? [own(holder), stranger(other)] : [stranger(other), own(holder)]
  const asset = contract === undefined ? undefined : { unit: contract.address, quantity: amount }
  const made = (sides: Pick<Simulated, "inputs" | "outputs" | "collateral">): Simulated => {
    const parts = { ...sides, fee, valid: !failed }
    return { ...parts, ...raw(id, parts), time: at, height: heightAt(at), index: 3 }
  }
  if (failed) {
    const taken = [{ ...from, lovelace: fee + change }]
    return made({ inputs: taken, collateral: taken, outputs: [{ ...from, lovelace: change }] })
  }
  if (asset === undefined)
    return made({
      inputs: [{ ...from, lovelace: amount + fee + change }],
      outputs: [
        { ...to, lovelace: amount },
        { ...from, lovelace: change }
      ],
      collateral: []
    })
  // The receiver brings the coins that an output with an asset must hold.
  return made({
    inputs: [
      { ...from, lovelace: change + fee, asset },
      { ...to, lovelace: least }
    ],
    outputs: [
      { ...to, lovelace: least, asset },
      { ...from, lovelace: change }
    ],
    collateral: [{ ...from, lovelace: change + fee, asset }]
  })
}

const split = (unit: string) => ({ policy_id: unit.slice(0, 56), asset_name: unit.slice(56) })

const koiosOutput = ({ account, address, asset, lovelace }: Output, index: number) => ({
  payment_addr: { bech32: address, cred: null },
  stake_addr: account,
  tx_index: index,
  value: String(lovelace),
  asset_list: asset === undefined ? [] : [{ ...split(asset.unit), quantity: String(asset.quantity) }]
})

/** A row of `tx_info`. */
export const koiosRow = (simulated: Simulated) => ({
  tx_hash: simulated.hash,
  block_height: simulated.height,
  tx_timestamp: simulated.time,
  tx_block_index: simulated.index,
  fee: String(simulated.fee),
  deposit: "0",
  inputs: simulated.inputs.map(koiosOutput),
  outputs: simulated.outputs.map(koiosOutput),
  collateral_inputs: simulated.collateral.map(koiosOutput),
  collateral_output: null,
  reference_inputs: [],
  withdrawals: [],
  certificates: [],
  plutus_contracts: simulated.collateral.length === 0 ? [] : [{ valid_contract: simulated.valid }]
})

const blockfrostOutput = ({ address, asset, lovelace }: Output) => ({
  address,
  amount: [
    { unit: "lovelace", quantity: String(lovelace) },
    ...(asset === undefined ? [] : [{ unit: asset.unit, quantity: String(asset.quantity) }])
  ]
})

/** `/txs/{hash}` and `/txs/{hash}/utxos`. */
export const blockfrostContent = (simulated: Simulated) => ({
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

export const blockfrostUtxos = (simulated: Simulated) => ({
  hash: simulated.hash,
  inputs: [
    ...simulated.inputs.map((output) => ({
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
