import type { Parameters } from "../../chains/cardano/Parameters.ts"
import type { epochParams } from "../../chains/cardano/providers/koios/calls.ts"
import { randomOf } from "../world/World.ts"
import { digest } from "./CardanoChain.ts"

/** Number of cost model parameters per Plutus language in the simulated era. */
const counts = { PlutusV1: 166, PlutusV2: 175, PlutusV3: 297 }

const models = Object.entries(counts).map(
  ([language, count]) =>
    [
      language,
      Array.from({ length: count }, (_, index) => Math.floor(1e5 * randomOf(language, String(index))))
    ] as const
)

type KoiosParameters = (typeof epochParams.response.Encoded)[number]

/** Blockfrost's name, Koios' name if it differs, and the value in Blockfrost's format. */
const parameters: ReadonlyArray<
  readonly [
    blockfrost: keyof typeof Parameters.Encoded,
    koios: keyof KoiosParameters | "",
    value: number | string | null
  ]
> = [
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
  ...(["motion_no_confidence", "committee_normal", "committee_no_confidence", "hard_fork_initiation"] as const).map(
    (name) => [`pvt_${name}`, "", 0.51] as const
  ),
  ["dvt_motion_no_confidence", "", 0.67],
  ["dvt_committee_normal", "", 0.67],
  ["dvt_committee_no_confidence", "", 0.6],
  ["dvt_update_to_constitution", "", 0.75],
  ["dvt_hard_fork_initiation", "", 0.6],
  ...(["network", "economic", "technical"] as const).map((group) => [`dvt_p_p_${group}_group`, "", 0.67] as const),
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

/** As both write them: the price of a step with an exponent. */
export const shown = <A extends object>(row: A): A => ({ ...row, price_step: JSON.rawJSON("7.21e-05") })

/** Parameters of an epoch in Blockfrost's format. */
export const blockfrostParameters = (epoch: number) => ({
  epoch,
  ...(Object.fromEntries(parameters.map(([name, , value]) => [name, value])) as Omit<
    typeof Parameters.Encoded,
    "epoch"
  >),
  extra_entropy: null,
  min_utxo: "4310",
  nonce: digest("nonce", epoch),
  // Keys are indexes instead of Blockfrost's parameter names.
  cost_models: Object.fromEntries(models.map(([language, prices]) => [language, Object.fromEntries(prices.entries())])),
  cost_models_raw: Object.fromEntries(models),
  coins_per_utxo_word: "4310",
  pvt_p_p_security_group: 0.51
})

/** Parameters that are numbers in Koios and strings in Blockfrost. */
const isNumber = /^(max_|committee_|gov_action_lifetime|drep_activity)/

/** Row of `epoch_params`. */
export const koiosParameters = (epoch: number) => ({
  epoch_no: epoch,
  era: "Conway",
  ...(Object.fromEntries(
    parameters.map(([name, other, value]) => [other || name, isNumber.test(name) ? Number(value) : value])
  ) as Omit<KoiosParameters, "epoch_no" | "cost_models">),
  extra_entropy: null,
  min_utxo_value: "0",
  nonce: digest("nonce", epoch),
  block_hash: digest("first block", epoch),
  cost_models: Object.fromEntries(models)
})
