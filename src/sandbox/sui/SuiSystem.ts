import { createHash } from "node:crypto"
import { base58, base64, hex } from "@scure/base"

// The chain: one epoch per day, four checkpoints per second.

const day = 24 * 3600 * 1000

const gasPrice = 742n

const hash = (...words: ReadonlyArray<string>) => createHash("sha256").update(words.join("|")).digest()

export const digest = (...words: ReadonlyArray<string>) => base58.encode(hash(...words))

export const objectId = (...words: ReadonlyArray<string>) => `0x${hash(...words).toString("hex")}`

export const epochAt = (now: number) => Math.floor(now / day) - 19_460

export const checkpointAt = (now: number) => Math.floor(now / 250) - 6_000_000_000

/** Digest of the main network's first checkpoint, which identifies the network. */
const mainnet = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S"

const checkpointDigest = (number: number) => (number === 0 ? mainnet : digest("checkpoint", String(number)))

export const checkpoint = (now: number, requested?: number) => {
  const newest = checkpointAt(now)
  const number = requested ?? newest
  if (number > newest || number < 0) return null
  const at = (number + 6_000_000_000) * 250
  return {
    sequenceNumber: number,
    digest: checkpointDigest(number),
    networkTotalTransactions: number * 8 + 1,
    previousCheckpointDigest: number === 0 ? null : checkpointDigest(number - 1),
    timestamp: new Date(at).toISOString(),
    artifactsDigest: null,
    epoch: {
      epochId: number === 0 ? 0 : epochAt(at),
      startTimestamp: new Date(Math.floor(at / day) * day).toISOString()
    },
    rollingGasSummary: {
      computationCost: 8_000_000,
      storageCost: 16_000_000,
      storageRebate: 7_900_000,
      nonRefundableStorageFee: 79_000
    },
    validatorSignatures: { signature: Buffer.alloc(48, 7).toString("base64") },
    transactions: {
      nodes: Array.from({ length: 8 }, (_, index) => ({ digest: digest("checkpoint", String(number), String(index)) })),
      pageInfo: { hasNextPage: false, endCursor: "OA==" }
    }
  }
}

// Move values: their BCS bytes and their layout in GraphQL's format.

interface MoveBytes {
  readonly layout: unknown
  readonly bytes: ReadonlyArray<number>
}

/** Encodes little-endian: a u64 from a bigint, a u16 from a number. Booleans are false, vectors are empty. */
const encoded = (value: MoveBytes | bigint | number | false | ReadonlyArray<never>): MoveBytes => {
  if (value === false) return { layout: "bool", bytes: [0] }
  if (typeof value !== "bigint" && typeof value !== "number")
    return "layout" in value ? value : { layout: { vector: "u64" }, bytes: [0] }
  const size = typeof value === "bigint" ? 8 : 2
  const bytes = Array.from({ length: size }, (_, index) => Number((BigInt(value) >> BigInt(8 * index)) & 0xffn))
  return { layout: `u${size * 8}`, bytes }
}

/** A struct of a type, whose short address is expanded like in GraphQL. */
const struct = (type: string, fields: Readonly<Record<string, Parameters<typeof encoded>[0]>>): MoveBytes => {
  const all = Object.entries(fields).map(([name, value]) => ({ name, ...encoded(value) }))
  const full = type.replace(/0x(\d)(?=::)/g, (_, digit) => `0x${"0".repeat(63)}${digit}`)
  return {
    layout: { struct: { type: full, fields: all.map(({ layout, name }) => ({ name, layout })) } },
    bytes: all.flatMap(({ bytes }) => bytes)
  }
}

const uid = (id: string) => {
  const bytes = { layout: "address", bytes: [...hex.decode(id.slice(2))] }
  return struct("0x2::object::UID", { id: struct("0x2::object::ID", { bytes }) })
}

const balance = (type: string, amount: bigint) => struct(`0x2::balance::Balance<${type}>`, { value: amount })

/** Converts a value to GraphQL's MoveValue. */
const toWire = ({ bytes, layout }: MoveBytes) => ({
  bcs: base64.encode(Uint8Array.from(bytes)),
  type: { repr: (layout as { readonly struct: { readonly type: string } }).struct.type, layout },
  display: null
})

/** Coin object as GraphQL's MoveValue. */
export const coin = (type: string, object: string, amount: bigint) =>
  toWire(struct(`0x2::coin::Coin<${type}>`, { id: uid(object), balance: balance(type, amount) }))

const table = (name: string) => struct("0x2::table::Table", { id: uid(objectId(name)), size: 0n })
const none = struct("0x2::vec_map::VecMap", { contents: [] })
const sui = (amount: bigint) => balance("0x2::sui::SUI", amount)

/** SuiSystemStateInnerV2 of the epoch, with the data for building transactions; the list of validators is empty. */
const state = (now: number) =>
  struct("0x3::sui_system_state_inner::SuiSystemStateInnerV2", {
    epoch: BigInt(epochAt(now)),
    protocol_version: 101n,
    system_state_version: 2n,
    validators: struct("0x3::validator_set::ValidatorSet", {
      total_stake: 7_000_000_000_000_000n,
      active_validators: [],
      pending_active_validators: struct("0x2::table_vec::TableVec", { contents: table("pending") }),
      pending_removals: [],
      staking_pool_mappings: table("mappings"),
      inactive_validators: table("inactive"),
      validator_candidates: table("candidates"),
      at_risk_validators: none
    }),
    storage_fund: struct("0x3::storage_fund::StorageFund", {
      total_object_storage_rebates: sui(1_500_000_000_000_000n),
      non_refundable_balance: sui(90_000_000_000_000n)
    }),
    parameters: struct("0x3::sui_system_state_inner::SystemParametersV2", {
      epoch_duration_ms: BigInt(day),
      stake_subsidy_start_epoch: 20n,
      max_validator_count: 150n,
      min_validator_joining_stake: 30_000_000_000_000_000n,
      validator_low_stake_threshold: 20_000_000_000_000_000n,
      validator_very_low_stake_threshold: 15_000_000_000_000_000n,
      validator_low_stake_grace_period: 7n
    }),
    reference_gas_price: gasPrice,
    validator_report_records: none,
    stake_subsidy: struct("0x3::stake_subsidy::StakeSubsidy", {
      balance: sui(400_000_000_000_000n),
      distribution_counter: 900n,
      current_distribution_amount: 590_490_000_000_000n,
      stake_subsidy_period_length: 90n,
      stake_subsidy_decrease_rate: 1000
    }),
    safe_mode: false,
    safe_mode_storage_rewards: sui(0n),
    safe_mode_computation_rewards: sui(0n),
    safe_mode_storage_rebates: 0n,
    safe_mode_non_refundable_storage_fee: 0n,
    epoch_start_timestamp_ms: BigInt(Math.floor(now / day) * day)
  })

/** Protocol configs of the main network that determine fees. */
const protocolConfigs: ReadonlyMap<string, string> = new Map([
  ["base_tx_cost_fixed", "1000"],
  ["obj_data_cost_refundable", "100"],
  ["storage_gas_price", "76"],
  ["storage_rebate_rate", "9900"]
])

export const epoch = (now: number) => ({
  epochId: epochAt(now),
  referenceGasPrice: String(gasPrice),
  protocolConfigs: {
    protocolVersion: 101,
    config: ({ key }: { readonly key?: unknown }) => {
      const value = protocolConfigs.get(String(key))
      return value === undefined ? null : { key, value }
    }
  },
  systemState: toWire(state(now))
})
