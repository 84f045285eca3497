import { bech32 } from "@scure/base"
import { isStake } from "../../chains/cardano/CardanoAddress.ts"
import { fingerprintOf } from "../../chains/cardano/providers/koios/KoiosAsset.ts"
import { type LedgerFacts, ledger, type Move } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import { digest, epochAt, epochSlotAt, hashAt, heightAt, slotAt } from "./CardanoChain.ts"
import { exhibited, genesisTime } from "./cardanoMuseum.ts"
import {
  addressBytes,
  type CardanoInput,
  type CardanoOutput,
  type CardanoParts,
  type SerialisedCardano,
  serialised,
  split
} from "./cardanoRaw.ts"

/** A transaction in a block, independent of an upstream's format. */
export interface SimulatedTransaction extends SerialisedCardano {
  readonly time: number
  /** Null for coins of the genesis block. */
  readonly height: number | null
  readonly index: number
  /** Its name in a museum: upstreams list it with rare members. */
  readonly exhibit?: string | undefined
}

/** Histories of holders. Transactions are looked up by hash after a list has returned them, sent ones always. */
export const histories = (facts: LedgerFacts, senderOf: (hash: string) => string | undefined) => {
  const byHash = remembered<SimulatedTransaction>()
  /** Newest first. */
  const of = (holder: string): ReadonlyArray<SimulatedTransaction> => {
    const all = transactionsOf(facts, holder)
    for (const simulated of all) byHash.set(simulated.hash, simulated)
    return all
  }
  return {
    of,
    by: (hash: string): SimulatedTransaction | undefined => {
      const sender = senderOf(hash)
      return byHash.get(hash) ?? (sender === undefined ? undefined : of(sender).find((other) => other.hash === hash))
    }
  }
}

const transactionsOf = memoized((facts: LedgerFacts, holder): ReadonlyArray<SimulatedTransaction> => {
  const moves = new Map(ledger(facts, holder).map((move) => [move.id, move]))
  const blocks = Map.groupBy(moves.values(), ({ at }) => at)
  return [...blocks.values()]
    .flatMap((block) => block.map((move, place) => transaction(holder, move, move.ordinal ?? place)))
    .reverse()
    .sort((a, b) => Number(a.height === null) - Number(b.height === null))
})

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

/** Slots after which the transactions of the past would have expired. */
const validity = 7_200

const transaction = (holder: string, move: Move, place: number): SimulatedTransaction => ({
  ...((move.details as SerialisedCardano | undefined) ?? serialised(partsOf(holder, move))),
  ...(move.exhibit === "genesis"
    ? { time: genesisTime, height: null, index: 0 }
    : { time: move.at, height: heightAt(move.at), index: 3 + place }),
  exhibit: move.exhibit
})

const partsOf = (holder: string, move: Move): CardanoParts => {
  const { amount, at, contract, counterparty, failed, fee, id } = move
  const theirs = counterparty === undefined ? otherOutput(move.seed) : own(counterparty)
  const [from, to] = move.direction === "out" ? [own(holder), theirs] : [theirs, own(holder)]
  const assets = new Map(contract === undefined ? [] : [[contract.address, amount]])
  const txHash = digest("spent", id)
  const made = (
    inputs: ReadonlyArray<CardanoOutput>,
    outputs: ReadonlyArray<CardanoOutput>,
    secured?: CardanoOutput
  ): CardanoParts => ({
    inputs: inputs.map((input, index) => ({ ...input, txHash, index })),
    outputs,
    collateral: secured === undefined ? [] : [{ ...secured, txHash, index: inputs.indexOf(secured) }],
    fee,
    valid: !failed,
    lastSlot: slotAt(at) + validity,
    ...(move.kind === "mint" ? { minted: assets } : {})
  })
  const rare = exhibited(move, own(holder), theirs)
  if (rare !== undefined) {
    const { isSecured, outputs, read, spent, ...more } = rare
    const references = read === undefined ? {} : { references: [{ ...read, txHash: digest("read", id), index: 0 }] }
    return { ...made(spent, outputs, isSecured ? spent[0] : undefined), ...references, ...more }
  }
  if (failed) {
    const taken = { ...from, lovelace: fee + change }
    return made([taken], [{ ...from, lovelace: change }], taken)
  }
  const returned = { ...from, lovelace: change }
  if (contract === undefined)
    return made([{ ...from, lovelace: amount + fee + change }], [{ ...to, lovelace: amount }, returned])
  // The receiver provides the minimum coins of an output with an asset.
  const paying = { ...from, lovelace: change + fee, ...(move.kind === "mint" ? {} : { assets }) }
  return made([paying, { ...to, lovelace: least }], [{ ...to, lovelace: least, assets }, returned], paying)
}

type CardanoValue = Pick<CardanoOutput, "lovelace" | "assets">

/** Assets in Koios' format. */
export const koiosAssets = ({ assets = new Map() }: CardanoValue) =>
  Array.from(assets, ([unit, quantity]) => ({
    ...split(unit),
    fingerprint: fingerprintOf(unit),
    quantity: String(quantity)
  }))

/** Coins and assets in Blockfrost's format. */
export const blockfrostAmount = ({ assets = new Map(), lovelace }: CardanoValue) =>
  Array.from([["lovelace", lovelace] as const, ...assets], ([unit, quantity]) => ({ unit, quantity: String(quantity) }))

const noScripts = { datum_hash: null, inline_datum: null, reference_script: null }

const koiosOutput = (output: CardanoOutput, txHash: string, index: number, isRare: boolean) => ({
  payment_addr: {
    bech32: output.address,
    cred: output.address.startsWith("addr1")
      ? Buffer.from(addressBytes(output.address).subarray(1, 29)).toString("hex")
      : null
  },
  stake_addr: output.account ?? null,
  tx_hash: txHash,
  tx_index: index,
  value: String(output.lovelace),
  ...noScripts,
  asset_list: isRare && output.assets === undefined ? null : koiosAssets(output)
})

const sumOf = (outputs: ReadonlyArray<CardanoOutput>) => outputs.reduce((sum, { lovelace }) => sum + lovelace, 0n)

const blockHash = (height: number | null) => (height === null ? digest("genesis") : hashAt(height))

const koiosPlace = ({ hash, height, time }: SimulatedTransaction) => ({
  tx_hash: hash,
  block_hash: blockHash(height),
  block_height: height,
  epoch_no: epochAt(time),
  absolute_slot: slotAt(time),
  tx_timestamp: time
})

/** Row of `tx_info`. */
export const koiosRow = (simulated: SimulatedTransaction) => {
  const { certificate, deposit = 0n, exhibit, withdrawn } = simulated
  const koiosInput = (input: CardanoInput) => koiosOutput(input, input.txHash, input.index, exhibit !== undefined)
  return {
    ...koiosPlace(simulated),
    epoch_slot: epochSlotAt(simulated.time),
    tx_block_index: simulated.index,
    tx_size: simulated.bytes.length,
    total_output: String(sumOf(simulated.outputs)),
    fee: String(simulated.fee),
    treasury_donation: "0",
    deposit: String(deposit),
    invalid_before: null,
    invalid_after: simulated.lastSlot === undefined ? null : String(simulated.lastSlot),
    inputs: simulated.inputs.map(koiosInput),
    outputs: simulated.outputs.map((output, index) =>
      koiosOutput(output, simulated.hash, index, exhibit !== undefined)
    ),
    collateral_inputs: simulated.collateral.map(koiosInput),
    collateral_output: null,
    reference_inputs: (simulated.references ?? []).map(koiosInput),
    withdrawals: withdrawn === undefined ? [] : [{ amount: String(withdrawn.lovelace), stake_addr: withdrawn.account }],
    assets_minted: simulated.minted === undefined ? [] : koiosAssets({ lovelace: 0n, assets: simulated.minted }),
    metadata: null,
    certificates: certificate === undefined ? [] : [{ index: 0, type: certificate.type, info: {} }],
    native_scripts: [],
    plutus_contracts: simulated.collateral.length === 0 ? [] : [{ valid_contract: simulated.valid }]
  }
}

/** Row of `tx_cbor`. */
export const koiosCbor = (simulated: SimulatedTransaction) => ({
  ...koiosPlace(simulated),
  cbor: Buffer.from(simulated.bytes).toString("hex")
})

const blockfrostOutput = (output: CardanoOutput) => ({
  address: output.address,
  amount: blockfrostAmount(output),
  data_hash: null,
  inline_datum: null,
  reference_script_hash: null
})

/** `/txs/{hash}` and `/txs/{hash}/utxos`. */
export const blockfrostContent = (simulated: SimulatedTransaction) => ({
  hash: simulated.hash,
  block: blockHash(simulated.height),
  block_height: simulated.height,
  block_time: simulated.time,
  slot: slotAt(simulated.time),
  index: simulated.index,
  output_amount: blockfrostAmount(totalOf(simulated.outputs)),
  fees: String(simulated.fee),
  deposit: String(simulated.deposit ?? 0n),
  size: simulated.bytes.length,
  invalid_before: null,
  invalid_hereafter: simulated.lastSlot === undefined ? null : String(simulated.lastSlot),
  utxo_count: simulated.inputs.length + simulated.outputs.length,
  withdrawal_count: simulated.withdrawn === undefined ? 0 : 1,
  mir_cert_count: 0,
  delegation_count: simulated.certificate?.type === "pool_delegation" ? 1 : 0,
  stake_cert_count: simulated.deposit === undefined ? 0 : 1,
  pool_update_count: 0,
  pool_retire_count: 0,
  asset_mint_or_burn_count: simulated.minted?.size ?? 0,
  redeemer_count: simulated.collateral.length,
  valid_contract: simulated.valid,
  treasury_donation: "0"
})

const totalOf = (outputs: ReadonlyArray<CardanoOutput>): CardanoValue => {
  const assets = new Map<string, bigint>()
  for (const [unit, quantity] of outputs.flatMap((output) => [...(output.assets ?? [])]))
    assets.set(unit, (assets.get(unit) ?? 0n) + quantity)
  return { lovelace: sumOf(outputs), assets }
}

const blockfrostInput = (input: CardanoInput, collateral: boolean, reference = false) => ({
  tx_hash: input.txHash,
  output_index: input.index,
  ...blockfrostOutput(input),
  collateral,
  reference
})

export const blockfrostWithdrawals = ({ withdrawn }: SimulatedTransaction) =>
  withdrawn === undefined ? [] : [{ address: withdrawn.account, amount: String(withdrawn.lovelace) }]

export const blockfrostUtxos = ({
  collateral,
  hash,
  inputs,
  outputs,
  references = [],
  valid
}: SimulatedTransaction) => ({
  hash,
  inputs: [
    ...inputs.map((input) => blockfrostInput(input, !valid)),
    ...(valid ? collateral : []).map((input) => blockfrostInput(input, true)),
    ...references.map((input) => blockfrostInput(input, false, true))
  ],
  outputs: outputs.map((output, output_index) => ({
    ...blockfrostOutput(output),
    output_index,
    collateral: !valid,
    consumed_by_tx: null
  }))
})
