import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { queryHost, queryText, type SuiMethod, withFallback } from "../Method.ts"
import * as MoveValue from "../objects/MoveValue.ts"
import { toValidator, type Validator } from "./validator.ts"

// Maps SuiSystemStateInnerV2 of 0x3::sui_system_state_inner to SuiSystemStateSummary of the old API.

const Table = Schema.Struct({ id: Schema.Struct({ id: Schema.String }), size: Schema.String })

const Entries = <A, I>(key: Schema.Schema<A, I>) => Schema.Struct({ contents: Schema.Array(key) })

const Parameters = Schema.Struct({
  epoch_duration_ms: Schema.String,
  stake_subsidy_start_epoch: Schema.String,
  max_validator_count: Schema.String,
  min_validator_joining_stake: Schema.String,
  validator_low_stake_threshold: Schema.String,
  validator_very_low_stake_threshold: Schema.String,
  validator_low_stake_grace_period: Schema.String
})

const Validators = Schema.Struct({
  total_stake: Schema.String,
  active_validators: Schema.Array(Schema.Unknown),
  pending_active_validators: Schema.Struct({ contents: Table }),
  pending_removals: Schema.Array(Schema.String),
  staking_pool_mappings: Table,
  inactive_validators: Table,
  validator_candidates: Table,
  at_risk_validators: Entries(Schema.Struct({ key: Schema.String, value: Schema.String }))
})

const State = Schema.Struct({
  epoch: Schema.String,
  protocol_version: Schema.String,
  system_state_version: Schema.String,
  validators: Validators,
  storage_fund: Schema.Struct({ total_object_storage_rebates: Schema.String, non_refundable_balance: Schema.String }),
  parameters: Parameters,
  reference_gas_price: Schema.String,
  validator_report_records: Entries(Schema.Struct({ key: Schema.String, value: Entries(Schema.String) })),
  stake_subsidy: Schema.Struct({
    balance: Schema.String,
    distribution_counter: Schema.String,
    current_distribution_amount: Schema.String,
    stake_subsidy_period_length: Schema.String,
    stake_subsidy_decrease_rate: Schema.Int
  }),
  safe_mode: Schema.Boolean,
  safe_mode_storage_rewards: Schema.String,
  safe_mode_computation_rewards: Schema.String,
  safe_mode_storage_rebates: Schema.String,
  safe_mode_non_refundable_storage_fee: Schema.String,
  epoch_start_timestamp_ms: Schema.String
})

const SystemStateResponse = Schema.Struct({
  epoch: Schema.Struct({
    systemState: Schema.Struct({
      bcs: Schema.String,
      type: Schema.Struct({ repr: Schema.String, layout: Schema.Unknown })
    })
  })
})

/** Reads the system state, which is stored in a single object. */
export const getLatestSuiSystemState: SuiMethod = (hosts) =>
  withFallback(hosts, (host) =>
    Effect.gen(function* () {
      const { epoch } = yield* queryHost(
        host,
        queryText("", "epoch { systemState { bcs type { repr layout } } }"),
        {},
        SystemStateResponse
      )
      const summary = MoveValue.fields(epoch.systemState, false).pipe(
        Either.flatMap((fields) => Either.mapLeft(decode(fields), () => "returned a state of an unknown version")),
        Either.flatMap((state) =>
          Either.map(Either.all(state.validators.active_validators.map(toValidator)), (active) =>
            toSummary(state, active)
          )
        )
      )
      return yield* Either.mapLeft(summary, (detail) => host.fault({ reason: "bad_answer", detail }))
    })
  )

const decode = Schema.decodeUnknownEither(State)

const toSummary = (state: typeof State.Type, activeValidators: ReadonlyArray<Validator>) => {
  const { parameters, stake_subsidy: subsidy, storage_fund: fund, validators } = state
  return {
    epoch: state.epoch,
    protocolVersion: state.protocol_version,
    systemStateVersion: state.system_state_version,
    storageFundTotalObjectStorageRebates: fund.total_object_storage_rebates,
    storageFundNonRefundableBalance: fund.non_refundable_balance,
    referenceGasPrice: state.reference_gas_price,
    safeMode: state.safe_mode,
    safeModeStorageRewards: state.safe_mode_storage_rewards,
    safeModeComputationRewards: state.safe_mode_computation_rewards,
    safeModeStorageRebates: state.safe_mode_storage_rebates,
    safeModeNonRefundableStorageFee: state.safe_mode_non_refundable_storage_fee,
    epochStartTimestampMs: state.epoch_start_timestamp_ms,
    epochDurationMs: parameters.epoch_duration_ms,
    stakeSubsidyStartEpoch: parameters.stake_subsidy_start_epoch,
    maxValidatorCount: parameters.max_validator_count,
    minValidatorJoiningStake: parameters.min_validator_joining_stake,
    validatorLowStakeThreshold: parameters.validator_low_stake_threshold,
    validatorVeryLowStakeThreshold: parameters.validator_very_low_stake_threshold,
    validatorLowStakeGracePeriod: parameters.validator_low_stake_grace_period,
    stakeSubsidyBalance: subsidy.balance,
    stakeSubsidyDistributionCounter: subsidy.distribution_counter,
    stakeSubsidyCurrentDistributionAmount: subsidy.current_distribution_amount,
    stakeSubsidyPeriodLength: subsidy.stake_subsidy_period_length,
    stakeSubsidyDecreaseRate: subsidy.stake_subsidy_decrease_rate,
    totalStake: validators.total_stake,
    activeValidators,
    pendingActiveValidatorsId: validators.pending_active_validators.contents.id.id,
    pendingActiveValidatorsSize: validators.pending_active_validators.contents.size,
    pendingRemovals: validators.pending_removals,
    stakingPoolMappingsId: validators.staking_pool_mappings.id.id,
    stakingPoolMappingsSize: validators.staking_pool_mappings.size,
    inactivePoolsId: validators.inactive_validators.id.id,
    inactivePoolsSize: validators.inactive_validators.size,
    validatorCandidatesId: validators.validator_candidates.id.id,
    validatorCandidatesSize: validators.validator_candidates.size,
    atRiskValidators: validators.at_risk_validators.contents.map(({ key, value }) => [key, value]),
    validatorReportRecords: state.validator_report_records.contents.map(({ key, value }) => [key, value.contents])
  }
}
