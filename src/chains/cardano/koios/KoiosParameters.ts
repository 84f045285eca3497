import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { EpochJson } from "../../Chain.ts"
import { type CardanoSource, Hash, Quantity } from "../Source.ts"

// Koios' `epoch_params`, `tip` and `block_info` in the names and types of Blockfrost's `/epochs/latest/parameters` and
// `/blocks/latest`. Values that Koios does not return are null.

/** Integers whose digits must be preserved. */
const Price = Schema.Union(Schema.Int, Schema.BigIntFromSelf)

/** Prices of scripts by language, in the order of the ledger. */
const ByLanguage = Schema.Record({ key: Schema.String, value: Schema.Array(Price) })

/** JSON, or a string that contains JSON. */
const CostModels = Schema.Union(ByLanguage, Schema.parseJson(ByLanguage))

const sorted = (byLanguage: typeof CostModels.Type) =>
  Object.fromEntries(Object.entries(byLanguage).sort(([text], [other]) => (text < other ? -1 : 1)))

/** JSON that preserves all digits of integers. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? JSON.rawJSON(String(member)) : member))

const finite = Schema.Number.pipe(Schema.finite())
const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })
const Count = Schema.Int.pipe(Schema.nonNegative())

/** Null in past epochs without scripts. */
const EpochParameters = Schema.Struct({
  epoch_no: Count,
  min_fee_a: Count,
  min_fee_b: Count,
  max_block_size: Count,
  max_tx_size: Count,
  max_bh_size: Count,
  key_deposit: Quantity,
  pool_deposit: Quantity,
  max_epoch: Count,
  optimal_pool_count: Count,
  influence: finite,
  monetary_expand_rate: finite,
  treasury_growth_rate: finite,
  decentralisation: finite,
  extra_entropy: orNull(Schema.String),
  protocol_major: Count,
  protocol_minor: Count,
  min_pool_cost: Quantity,
  /** Available some minutes after the start of an epoch; no transaction needs it. */
  nonce: orNull(Schema.String),
  cost_models: CostModels,
  price_mem: finite,
  price_step: finite,
  max_tx_ex_mem: Quantity,
  max_tx_ex_steps: Quantity,
  max_block_ex_mem: Quantity,
  max_block_ex_steps: Quantity,
  max_val_size: Quantity,
  collateral_percent: Count,
  max_collateral_inputs: Count,
  coins_per_utxo_size: Quantity
})

/** Conway's governance parameters. */
const thresholds = [
  "pvt_motion_no_confidence",
  "pvt_committee_normal",
  "pvt_committee_no_confidence",
  "pvt_hard_fork_initiation",
  "dvt_motion_no_confidence",
  "dvt_committee_normal",
  "dvt_committee_no_confidence",
  "dvt_update_to_constitution",
  "dvt_hard_fork_initiation",
  "dvt_p_p_network_group",
  "dvt_p_p_economic_group",
  "dvt_p_p_technical_group",
  "dvt_p_p_gov_group",
  "dvt_treasury_withdrawal",
  "pvtpp_security_group",
  "min_fee_ref_script_cost_per_byte"
] as const
const quantities = [
  "committee_min_size",
  "committee_max_term_length",
  "gov_action_lifetime",
  "gov_action_deposit",
  "drep_deposit",
  "drep_activity"
] as const

const alike = <const Name extends string, A>(names: ReadonlyArray<Name>, schema: A) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, A>

const Governance = Schema.Struct({ ...alike(thresholds, orNull(finite)), ...alike(quantities, orNull(Quantity)) })

/** Conway, the first era in which all of its fields are required. */
const conway = 9

const Parameters = Schema.NonEmptyArray(Schema.extend(EpochParameters, Governance)).pipe(
  Schema.filter(
    ([row]) =>
      row.protocol_major < conway || [...thresholds, ...quantities].every((name) => row[name] !== null) || "nulls"
  )
)

const toParameters = ([row]: typeof Parameters.Type): EpochJson => {
  const text = (amount: bigint | null) => (amount === null ? null : String(amount))
  const least = text(row.coins_per_utxo_size)
  return {
    epoch: row.epoch_no,
    json: written({
      epoch: row.epoch_no,
      min_fee_a: row.min_fee_a,
      min_fee_b: row.min_fee_b,
      max_block_size: row.max_block_size,
      max_tx_size: row.max_tx_size,
      max_block_header_size: row.max_bh_size,
      key_deposit: text(row.key_deposit),
      pool_deposit: text(row.pool_deposit),
      e_max: row.max_epoch,
      n_opt: row.optimal_pool_count,
      a0: row.influence,
      rho: row.monetary_expand_rate,
      tau: row.treasury_growth_rate,
      decentralisation_param: row.decentralisation,
      extra_entropy: row.extra_entropy,
      protocol_major_ver: row.protocol_major,
      protocol_minor_ver: row.protocol_minor,
      // The minimum value per output ended with Alonzo: since then Blockfrost returns the price per byte instead.
      min_utxo: least,
      min_pool_cost: text(row.min_pool_cost),
      nonce: row.nonce,
      // Koios does not return the names of the prices, which change with each hard fork.
      cost_models: null,
      cost_models_raw: sorted(row.cost_models),
      price_mem: row.price_mem,
      price_step: row.price_step,
      max_tx_ex_mem: text(row.max_tx_ex_mem),
      max_tx_ex_steps: text(row.max_tx_ex_steps),
      max_block_ex_mem: text(row.max_block_ex_mem),
      max_block_ex_steps: text(row.max_block_ex_steps),
      max_val_size: text(row.max_val_size),
      collateral_percent: row.collateral_percent,
      max_collateral_inputs: row.max_collateral_inputs,
      coins_per_utxo_size: least,
      coins_per_utxo_word: least,
      ...Object.fromEntries(thresholds.map((name) => [name, row[name]])),
      pvt_p_p_security_group: row.pvtpp_security_group,
      ...Object.fromEntries(quantities.map((name) => [name, text(row[name])]))
    })
  }
}

const Tip = Schema.NonEmptyArray(Schema.Struct({ hash: Hash }))

const Block = Schema.NonEmptyArray(
  Schema.Struct({
    hash: Hash,
    epoch_no: Count,
    abs_slot: Count,
    epoch_slot: Count,
    block_height: Count,
    block_size: Count,
    block_time: Count,
    tx_count: Count,
    vrf_key: orNull(Schema.String),
    op_cert: orNull(Schema.String),
    op_cert_counter: orNull(Quantity),
    pool: orNull(Schema.String),
    total_output: orNull(Quantity),
    total_fees: orNull(Quantity),
    num_confirmations: orNull(Count),
    parent_hash: orNull(Hash),
    child_hash: orNull(Hash)
  })
)

const toBlock = ([row]: typeof Block.Type): EpochJson => ({
  epoch: row.epoch_no,
  json: written({
    time: row.block_time,
    height: row.block_height,
    hash: row.hash,
    slot: row.abs_slot,
    epoch: row.epoch_no,
    epoch_slot: row.epoch_slot,
    slot_leader: row.pool,
    size: row.block_size,
    tx_count: row.tx_count,
    output: row.total_output === null ? null : String(row.total_output),
    fees: row.total_fees === null ? null : String(row.total_fees),
    block_vrf: row.vrf_key,
    op_cert: row.op_cert,
    op_cert_counter: row.op_cert_counter === null ? null : String(row.op_cert_counter),
    previous_block: row.parent_hash,
    next_block: row.child_hash,
    confirmations: row.num_confirmations
  })
})

/** The newest epoch's parameters, and the newest block, which takes two calls. */
export const make = (upstream: Upstream): Pick<CardanoSource, "parameters" | "block"> => ({
  parameters: Effect.map(
    upstream.read(
      HttpClientRequest.get("/epoch_params").pipe(
        HttpClientRequest.setUrlParams({ order: "epoch_no.desc", limit: "1" })
      ),
      Parameters
    ),
    toParameters
  ),
  block: Effect.flatMap(upstream.read(HttpClientRequest.get("/tip"), Tip), ([{ hash }]) =>
    upstream.over((address) =>
      address.read(
        HttpClientRequest.post("/block_info").pipe(HttpClientRequest.bodyUnsafeJson({ _block_hashes: [hash] })),
        (answer) =>
          Either.map(
            Either.filterOrLeft(
              ResponseDecoder.fitting(Block, { exact: true })(answer),
              ([row]) => row.hash === hash,
              (): Fault => ({ reason: "bad_answer", detail: "returned data of a block that was not requested" })
            ),
            toBlock
          )
      )
    )
  )
})
