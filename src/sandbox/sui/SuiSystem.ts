import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as SuiValues from "./SuiValues.ts"

// The chain itself: epochs of a day, four checkpoints a second, and one validator.

const day = 24 * 3600 * 1000

export const gasPrice = 742n

const hash = (...words: ReadonlyArray<string>) => createHash("sha256").update(words.join("|")).digest()

export const digest = (...words: ReadonlyArray<string>) => base58.encode(hash(...words))

export const objectId = (...words: ReadonlyArray<string>) => `0x${hash(...words).toString("hex")}`

export const epochAt = (now: number) => Math.floor(now / day) - 19_460

const checkpointAt = (now: number) => Math.floor(now / 250) - 6_000_000_000

/** The first checkpoint of the main network identifies the network. */
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
    epoch: { epochId: number === 0 ? 0 : epochAt(at) },
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

const text = SuiValues.string
const u64 = (number: number | bigint) => SuiValues.u64(BigInt(number))
const sui = SuiValues.system("0x2::sui::SUI")
const balance = (amount: bigint) => SuiValues.balance(sui, amount)

const table = (name: string, size = 0) =>
  SuiValues.struct(SuiValues.system("0x2::table::Table<address,u64>"), {
    id: SuiValues.uid(objectId(name)),
    size: u64(size)
  })

const bag = SuiValues.struct(SuiValues.system("0x2::bag::Bag"), { id: SuiValues.uid(objectId("bag")), size: u64(0) })

const none = SuiValues.option(text(""))
const noBytes = SuiValues.option(SuiValues.bytes([]))

const validator = SuiValues.struct(SuiValues.system("0x3::validator::Validator"), {
  metadata: SuiValues.struct(SuiValues.system("0x3::validator::ValidatorMetadata"), {
    sui_address: SuiValues.address(objectId("validator")),
    protocol_pubkey_bytes: SuiValues.bytes(new Uint8Array(96).fill(1)),
    network_pubkey_bytes: SuiValues.bytes(new Uint8Array(32).fill(2)),
    worker_pubkey_bytes: SuiValues.bytes(new Uint8Array(32).fill(3)),
    proof_of_possession: SuiValues.bytes(new Uint8Array(48).fill(4)),
    name: text("Sandbox"),
    description: text("A validator of the simulated world"),
    image_url: SuiValues.url("https://validator.example/image.png"),
    project_url: SuiValues.url("https://validator.example"),
    net_address: text("/dns/validator.example/tcp/8080/http"),
    p2p_address: text("/dns/validator.example/udp/8084"),
    primary_address: text("/dns/validator.example/udp/8081"),
    worker_address: text("/dns/validator.example/udp/8082"),
    next_epoch_protocol_pubkey_bytes: noBytes,
    next_epoch_proof_of_possession: noBytes,
    next_epoch_network_pubkey_bytes: SuiValues.option(SuiValues.bytes([]), SuiValues.bytes(new Uint8Array(32).fill(5))),
    next_epoch_worker_pubkey_bytes: noBytes,
    next_epoch_net_address: SuiValues.option(text(""), text("/dns/next.example/tcp/8080/http")),
    next_epoch_p2p_address: none,
    next_epoch_primary_address: none,
    next_epoch_worker_address: none,
    extra_fields: bag
  }),
  voting_power: u64(10_000),
  operation_cap_id: SuiValues.id(objectId("operation")),
  gas_price: u64(gasPrice),
  staking_pool: SuiValues.struct(SuiValues.system("0x3::staking_pool::StakingPool"), {
    id: SuiValues.uid(objectId("pool")),
    activation_epoch: SuiValues.option(u64(0), u64(0)),
    deactivation_epoch: SuiValues.option(u64(0)),
    sui_balance: u64(7_000_000_000_000_000n),
    rewards_pool: balance(90_000_000_000n),
    pool_token_balance: u64(6_900_000_000_000_000n),
    exchange_rates: table("rates", 900),
    pending_stake: u64(0),
    pending_total_sui_withdraw: u64(0),
    pending_pool_token_withdraw: u64(0),
    extra_fields: bag
  }),
  commission_rate: u64(200),
  next_epoch_stake: u64(7_000_000_000_000_000n),
  next_epoch_gas_price: u64(gasPrice),
  next_epoch_commission_rate: u64(200),
  extra_fields: bag
})

const entries = (name: string) =>
  SuiValues.struct(SuiValues.system("0x2::vec_map::VecMap<address,u64>"), {
    contents: SuiValues.vector(
      SuiValues.struct(name, { key: SuiValues.address(objectId(name)), value: u64(0) }).layout,
      [SuiValues.struct(name, { key: SuiValues.address(objectId(name)), value: u64(2) })]
    )
  })

const reporters = SuiValues.struct(SuiValues.system("0x2::vec_set::VecSet<address>"), {
  contents: SuiValues.vector("address", [SuiValues.address(objectId("reporter"))])
})
const report = SuiValues.struct(SuiValues.system("0x2::vec_map::Entry"), {
  key: SuiValues.address(objectId("reported")),
  value: reporters
})

/** SuiSystemStateInnerV2 of the epoch. */
const state = (now: number) =>
  SuiValues.struct(SuiValues.system("0x3::sui_system_state_inner::SuiSystemStateInnerV2"), {
    epoch: u64(epochAt(now)),
    protocol_version: u64(101),
    system_state_version: u64(2),
    validators: SuiValues.struct(SuiValues.system("0x3::validator_set::ValidatorSet"), {
      total_stake: u64(7_000_000_000_000_000n),
      active_validators: SuiValues.vector(validator.layout, [validator]),
      pending_active_validators: SuiValues.struct(SuiValues.system("0x2::table_vec::TableVec"), {
        contents: table("pending")
      }),
      pending_removals: SuiValues.vector("u64", []),
      staking_pool_mappings: table("mappings", 1),
      inactive_validators: table("inactive", 3),
      validator_candidates: table("candidates"),
      at_risk_validators: entries("risk"),
      extra_fields: bag
    }),
    storage_fund: SuiValues.struct(SuiValues.system("0x3::storage_fund::StorageFund"), {
      total_object_storage_rebates: balance(1_500_000_000_000_000n),
      non_refundable_balance: balance(90_000_000_000_000n)
    }),
    parameters: SuiValues.struct(SuiValues.system("0x3::sui_system_state_inner::SystemParametersV2"), {
      epoch_duration_ms: u64(day),
      stake_subsidy_start_epoch: u64(20),
      min_validator_count: u64(4),
      max_validator_count: u64(150),
      min_validator_joining_stake: u64(30_000_000_000_000_000n),
      validator_low_stake_threshold: u64(20_000_000_000_000_000n),
      validator_very_low_stake_threshold: u64(15_000_000_000_000_000n),
      validator_low_stake_grace_period: u64(7),
      extra_fields: bag
    }),
    reference_gas_price: u64(gasPrice),
    validator_report_records: SuiValues.struct(SuiValues.system("0x2::vec_map::VecMap"), {
      contents: SuiValues.vector(report.layout, [report])
    }),
    stake_subsidy: SuiValues.struct(SuiValues.system("0x3::stake_subsidy::StakeSubsidy"), {
      balance: balance(400_000_000_000_000n),
      distribution_counter: u64(900),
      current_distribution_amount: u64(590_490_000_000_000n),
      stake_subsidy_period_length: u64(90),
      stake_subsidy_decrease_rate: SuiValues.u16(1000n),
      extra_fields: bag
    }),
    safe_mode: SuiValues.bool(false),
    safe_mode_storage_rewards: balance(0n),
    safe_mode_computation_rewards: balance(0n),
    safe_mode_storage_rebates: u64(0),
    safe_mode_non_refundable_storage_fee: u64(0),
    epoch_start_timestamp_ms: u64(Math.floor(now / day) * day),
    extra_fields: bag
  })

/** Those of the main network that fees are computed from. */
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
  systemState: SuiValues.toWire(state(now))
})
