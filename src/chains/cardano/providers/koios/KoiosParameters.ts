import * as Schema from "effect/Schema"
import type { EpochJson } from "../../../Chain.ts"
import { Hash, Quantity } from "../../formats.ts"
import { Parameters as AllParameters, alike, Block as NewestBlock, quantities, thresholds } from "../../Parameters.ts"

// Koios' `epoch_params`, `tip` and `block_info` in the names and types of Blockfrost's `/epochs/latest/parameters` and
// `/blocks/latest`. Values that Koios does not return are null.

/** Integers of 64 bits whose digits must be preserved. */
const Price = Schema.Union(Schema.Int, Schema.BigIntFromSelf.pipe(Schema.betweenBigInt(-(2n ** 63n), 2n ** 63n - 1n)))

/** Prices of scripts by language, in the order of the ledger. */
const ByLanguage = Schema.Record({ key: Schema.String, value: Schema.Array(Price) })

/** JSON, or a string that contains JSON. */
const CostModels = Schema.Union(ByLanguage, Schema.parseJson(ByLanguage))

/** In the order of the languages' names. */
const sorted = (byLanguage: typeof CostModels.Type) =>
  Object.fromEntries(Object.entries(byLanguage).sort(([text], [other]) => (text < other ? -1 : 1)))

/** JSON that preserves all digits of integers. */
export const written = <A extends { readonly epoch: number }>(row: A): EpochJson => ({
  epoch: row.epoch,
  json: JSON.stringify(row, (_, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(String(member)) : member
  )
})

const [areParameters, isBlock] = [Schema.is(AllParameters, { exact: false }), Schema.is(NewestBlock, { exact: false })]
const finite = Schema.Number.pipe(Schema.finite())
const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })
export const Count = Schema.Int.pipe(Schema.nonNegative())
const Digits = Schema.transform(Quantity, Schema.String, { strict: true, decode: String, encode: BigInt })

/** A field that has another name in Koios' response. */
export const from = <const Name extends string, A, I>(name: Name, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(name))

/** Null before Conway. */
const required = [...thresholds, "min_fee_ref_script_cost_per_byte"] as const

/** Null in past epochs without scripts. */
const EpochParameters = Schema.Struct({
  epoch: from("epoch_no", Count),
  min_fee_a: Count,
  min_fee_b: Count,
  max_block_size: Count,
  max_tx_size: Count,
  max_block_header_size: from("max_bh_size", Count),
  key_deposit: Digits,
  pool_deposit: Digits,
  e_max: from("max_epoch", Count),
  n_opt: from("optimal_pool_count", Count),
  a0: from("influence", finite),
  rho: from("monetary_expand_rate", finite),
  tau: from("treasury_growth_rate", finite),
  decentralisation_param: from("decentralisation", finite),
  extra_entropy: orNull(Schema.String),
  protocol_major_ver: from("protocol_major", Count),
  protocol_minor_ver: from("protocol_minor", Count),
  min_pool_cost: Digits,
  /** Available some minutes after the start of an epoch; no transaction needs it. */
  nonce: orNull(Schema.String),
  cost_models_raw: from("cost_models", CostModels),
  price_mem: finite,
  price_step: finite,
  max_tx_ex_mem: Digits,
  max_tx_ex_steps: Digits,
  max_block_ex_mem: Digits,
  max_block_ex_steps: Digits,
  max_val_size: Digits,
  collateral_percent: Count,
  max_collateral_inputs: Count,
  coins_per_utxo_size: Digits,
  ...alike(required, orNull(finite)),
  ...alike(quantities, orNull(Digits))
})

/** Conway, the first era in which all of its fields are required. */
const conway = 9

export const Parameters = Schema.NonEmptyArray(EpochParameters.pipe(Schema.filter(areParameters))).pipe(
  Schema.filter(
    ([row]) =>
      row.protocol_major_ver < conway || [...required, ...quantities].every((name) => row[name] !== null) || "nulls"
  )
)

export const toParameters = ([row]: typeof Parameters.Type): EpochJson =>
  written({
    ...row,
    // The minimum value per output ended with Alonzo: since then Blockfrost returns the price per byte instead.
    min_utxo: row.coins_per_utxo_size,
    coins_per_utxo_word: row.coins_per_utxo_size,
    // Koios does not return the names of the prices, which change with each hard fork.
    cost_models: null,
    cost_models_raw: sorted(row.cost_models_raw),
    pvt_p_p_security_group: row.pvtpp_security_group
  })

export const Block = Schema.NonEmptyArray(
  Schema.Struct({
    time: from("block_time", Count),
    height: from("block_height", Count),
    hash: Hash,
    slot: from("abs_slot", Count),
    epoch: from("epoch_no", Count),
    epoch_slot: Count,
    slot_leader: orNull(Schema.String).pipe(Schema.fromKey("pool")),
    size: from("block_size", Count),
    tx_count: Count,
    output: orNull(Digits).pipe(Schema.fromKey("total_output")),
    fees: orNull(Digits).pipe(Schema.fromKey("total_fees")),
    block_vrf: orNull(Schema.String).pipe(Schema.fromKey("vrf_key")),
    op_cert: orNull(Schema.String),
    op_cert_counter: orNull(Digits),
    previous_block: orNull(Hash).pipe(Schema.fromKey("parent_hash")),
    next_block: orNull(Hash).pipe(Schema.fromKey("child_hash")),
    confirmations: orNull(Count).pipe(Schema.fromKey("num_confirmations"))
  }).pipe(Schema.filter(isBlock))
)
