import { createHash } from "node:crypto"
import { bech32 } from "@scure/base"
import { costNames } from "../../chains/cardano/koios/costNames.ts"
import { chance } from "../world/World.ts"
import { heightAt } from "./CardanoHistory.ts"

/** The first slot of Shelley: since then a slot takes a second and an epoch five days. */
const shelley = { time: 1_596_059_091, slot: 4_492_800, epoch: 208 }
const epochSeconds = 432_000

export const epochAt = (time: number): number => shelley.epoch + Math.floor((time - shelley.time) / epochSeconds)

const digest = (...words: ReadonlyArray<string | number>) => createHash("sha256").update(words.join("|")).digest("hex")

/** A block's hash ends with its height, so that the block can be found by its hash. */
const hashAt = (height: number) => `${digest("block", height).slice(0, 56)}${height.toString(16).padStart(8, "0")}`

export const heightOf = (hash: string): number | undefined => {
  const height = Number.parseInt(hash.slice(56), 16)
  return hash === hashAt(height) ? height : undefined
}

/** A block in Blockfrost's format. */
export const blockAt = (height: number, now: number) => {
  const newest = heightAt(now)
  const time = 20 * (height - heightAt(0))
  const count = Math.floor(40 * chance("transactions", String(height)))
  return {
    time,
    height,
    hash: hashAt(height),
    slot: shelley.slot + time - shelley.time,
    epoch: epochAt(time),
    epoch_slot: (time - shelley.time) % epochSeconds,
    slot_leader: bech32.encode("pool", bech32.toWords(Buffer.from(digest("pool", height % 9).slice(0, 56), "hex"))),
    size: 900 * count + 4,
    tx_count: count,
    output: count === 0 ? null : String(count * 1_234_567_890),
    fees: count === 0 ? null : String(count * 187_654),
    block_vrf: bech32.encode("vrf_vk", bech32.toWords(Buffer.from(digest("vrf", height % 9), "hex"))),
    op_cert: digest("certificate", height % 9),
    op_cert_counter: String(height % 9),
    previous_block: hashAt(height - 1),
    next_block: height < newest ? hashAt(height + 1) : null,
    confirmations: newest - height
  }
}

type CardanoBlock = ReturnType<typeof blockAt>

/** A row of `tip`. */
export const koiosTip = ({ epoch, epoch_slot, hash, height, slot, time }: CardanoBlock) => ({
  hash,
  epoch_no: epoch,
  abs_slot: slot,
  epoch_slot,
  block_height: height,
  block_no: height,
  block_time: time
})

/** A row of `block_info`. */
export const koiosBlock = (block: CardanoBlock) => ({
  ...koiosTip(block),
  block_size: block.size,
  tx_count: block.tx_count,
  vrf_key: block.block_vrf,
  op_cert: block.op_cert,
  op_cert_counter: Number(block.op_cert_counter),
  pool: block.slot_leader,
  proto_major: 10,
  proto_minor: 0,
  total_output: block.output,
  total_fees: block.fees,
  num_confirmations: block.confirmations,
  parent_hash: block.previous_block,
  child_hash: block.next_block
})

/** The number of prices per language in the simulated era. */
const counts = { PlutusV1: 166, PlutusV2: 175, PlutusV3: 297 }

const models = Object.entries(counts).map(
  ([language, count]) =>
    [language, Array.from({ length: count }, (_, index) => Math.floor(1e5 * chance(language, String(index))))] as const
)

/** Blockfrost's name, Koios's if it differs, and the value in Blockfrost's format. */
const parameters: ReadonlyArray<readonly [blockfrost: string, koios: string, value: number | string | null]> = [
  ["min_fee_a", "", 44],
  ["min_fee_b", "", 155_381],
  ["max_block_size", "", 90_112],
  ["max_tx_size", "", 16_384],
  ["max_block_header_size", "max_bh_size", 1_100],
  ["key_deposit", "", "2000000"],
  ["pool_deposit", "", "500000000"],
  ["e_max", "max_epoch", 18],
  ["n_opt", "optimal_pool_count", 500],
  ["a0", "influence", 0.3],
  ["rho", "monetary_expand_rate", 0.003],
  ["tau", "treasury_growth_rate", 0.2],
  ["decentralisation_param", "decentralisation", 0],
  ["extra_entropy", "", null],
  ["protocol_major_ver", "protocol_major", 10],
  ["protocol_minor_ver", "protocol_minor", 0],
  ["min_pool_cost", "", "170000000"],
  ["price_mem", "", 0.0577],
  ["price_step", "", 0.0000721],
  ["max_tx_ex_mem", "", "16500000"],
  ["max_tx_ex_steps", "", "10000000000"],
  ["max_block_ex_mem", "", "72000000"],
  ["max_block_ex_steps", "", "20000000000"],
  ["max_val_size", "", "5000"],
  ["collateral_percent", "", 150],
  ["max_collateral_inputs", "", 3],
  ["coins_per_utxo_size", "", "4310"],
  ...["motion_no_confidence", "committee_normal", "committee_no_confidence", "hard_fork_initiation"].map(
    (name) => [`pvt_${name}`, "", 0.51] as const
  ),
  ["dvt_motion_no_confidence", "", 0.67],
  ["dvt_committee_normal", "", 0.67],
  ["dvt_committee_no_confidence", "", 0.6],
  ["dvt_update_to_constitution", "", 0.75],
  ["dvt_hard_fork_initiation", "", 0.6],
  ...["network", "economic", "technical"].map((group) => [`dvt_p_p_${group}_group`, "", 0.67] as const),
  ["dvt_p_p_gov_group", "", 0.75],
  ["dvt_treasury_withdrawal", "", 0.67],
  ["committee_min_size", "", "7"],
  ["committee_max_term_length", "", "146"],
  ["gov_action_lifetime", "", "6"],
  ["gov_action_deposit", "", "100000000000"],
  ["drep_deposit", "", "500000000"],
  ["drep_activity", "", "20"],
  ["pvtpp_security_group", "", 0.51],
  ["min_fee_ref_script_cost_per_byte", "", 15]
]

const named = (language: string, prices: ReadonlyArray<number>) =>
  Object.fromEntries(prices.map((price, index) => [costNames[language]?.[index] ?? "", price]))

/** The parameters of an epoch in Blockfrost's format. */
export const blockfrostParameters = (epoch: number) => ({
  epoch,
  ...Object.fromEntries(parameters.map(([name, , value]) => [name, value])),
  min_utxo: "4310",
  nonce: digest("nonce", epoch),
  cost_models: Object.fromEntries(models.map(([language, prices]) => [language, named(language, prices)])),
  cost_models_raw: Object.fromEntries(models),
  coins_per_utxo_word: "4310",
  pvt_p_p_security_group: 0.51
})

/** Numbers at Koios that are texts at Blockfrost. */
const isNumber = /^(max_|committee_|gov_action_lifetime|drep_activity)/

/** A row of `epoch_params`. */
export const koiosParameters = (epoch: number) => ({
  epoch_no: epoch,
  era: "Conway",
  ...Object.fromEntries(
    parameters.map(([name, other, value]) => [other || name, isNumber.test(name) ? Number(value) : value])
  ),
  min_utxo_value: "0",
  nonce: digest("nonce", epoch),
  block_hash: digest("first block", epoch),
  cost_models: Object.fromEntries(models)
})
