import { base64 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { query, queryHost, type SuiMethod, withFallback } from "./Method.ts"
import * as MoveValue from "./MoveValue.ts"

// Maps SuiSystemStateInnerV2 of 0x3::sui_system_state_inner to SuiSystemStateSummary of the old API, and Validator of
// 0x3::validator to SuiValidatorSummary.

const text = Schema.String
const maybe = Schema.NullOr(text)
const Id = Schema.Struct({ id: text })
const Table = Schema.Struct({ id: Id, size: text })
const Bytes = Schema.transform(Schema.Array(Schema.Int), text, {
  strict: true,
  decode: (bytes) => base64.encode(Uint8Array.from(bytes)),
  encode: (encoded) => [...base64.decode(encoded)]
})

/** Fields of one type, separated by spaces. */
const fields = <S extends Schema.Schema.Any>(schema: S, names: string): Readonly<Record<string, S>> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, schema])
  )

/** The old API writes the names of Move in camel case, and those of a nested struct with a prefix. */
const renamed = (values: Readonly<Record<string, unknown>>, prefix = "") =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      (name.startsWith(prefix) ? name : prefix + name).replace(/_([a-z0-9])/g, (_, letter: string) =>
        letter.toUpperCase()
      ),
      value
    ])
  )

const Metadata = Schema.Struct({
  ...fields(
    text,
    "sui_address name description image_url project_url net_address p2p_address primary_address worker_address"
  ),
  ...fields(Bytes, "protocol_pubkey_bytes network_pubkey_bytes worker_pubkey_bytes"),
  proof_of_possession: Bytes,
  ...fields(
    Schema.NullOr(Bytes),
    `next_epoch_protocol_pubkey_bytes next_epoch_proof_of_possession next_epoch_network_pubkey_bytes
    next_epoch_worker_pubkey_bytes`
  ),
  ...fields(maybe, "next_epoch_net_address next_epoch_p2p_address next_epoch_primary_address next_epoch_worker_address")
})

const Pool = Schema.Struct({
  id: Id,
  activation_epoch: maybe,
  deactivation_epoch: maybe,
  sui_balance: text,
  exchange_rates: Table,
  ...fields(
    text,
    "rewards_pool pool_token_balance pending_stake pending_total_sui_withdraw pending_pool_token_withdraw"
  )
})

const Validator = Schema.Struct({
  metadata: Metadata,
  staking_pool: Pool,
  ...fields(
    text,
    `voting_power operation_cap_id gas_price commission_rate next_epoch_stake next_epoch_gas_price
    next_epoch_commission_rate`
  )
})

const Entries = <A, I>(key: Schema.Schema<A, I>) => Schema.Struct({ contents: Schema.Array(key) })

const State = Schema.Struct({
  ...fields(
    text,
    `epoch protocol_version system_state_version reference_gas_price safe_mode_storage_rewards
    safe_mode_computation_rewards safe_mode_storage_rebates safe_mode_non_refundable_storage_fee
    epoch_start_timestamp_ms`
  ),
  safe_mode: Schema.Boolean,
  validators: Schema.Struct({
    total_stake: text,
    active_validators: Schema.Array(Schema.Unknown),
    pending_active_validators: Schema.Struct({ contents: Table }),
    pending_removals: Schema.Array(text),
    staking_pool_mappings: Table,
    inactive_validators: Table,
    validator_candidates: Table,
    at_risk_validators: Entries(Schema.Struct({ key: text, value: text }))
  }),
  storage_fund: Schema.Struct(fields(text, "total_object_storage_rebates non_refundable_balance")),
  parameters: Schema.Struct(
    fields(
      text,
      `epoch_duration_ms stake_subsidy_start_epoch max_validator_count min_validator_joining_stake
      validator_low_stake_threshold validator_very_low_stake_threshold validator_low_stake_grace_period`
    )
  ),
  validator_report_records: Entries(Schema.Struct({ key: text, value: Entries(text) })),
  stake_subsidy: Schema.Struct({
    ...fields(text, "balance distribution_counter current_distribution_amount stake_subsidy_period_length"),
    stake_subsidy_decrease_rate: Schema.Int
  })
})

const stateQuery = query("", "epoch { systemState { bcs type { repr layout } } }", {
  epoch: Schema.Struct({
    systemState: Schema.Struct({ bcs: text, type: Schema.Struct({ repr: text, layout: Schema.Unknown }) })
  })
})

/** Reads the system state, which is stored in a single object. */
export const getLatestSuiSystemState: SuiMethod = (hosts) =>
  withFallback(hosts, (host) =>
    Effect.gen(function* () {
      const { epoch } = yield* queryHost(host, stateQuery, {})
      const summary = Either.gen(function* () {
        const decoded = yield* MoveValue.fields(epoch.systemState, false)
        const state = yield* Either.mapLeft(decodeState(decoded), () => "returned a state of an unknown version")
        return toSummary(state, yield* Either.all(state.validators.active_validators.map(toValidator)))
      })
      return yield* Either.mapLeft(summary, (detail) => host.fault({ reason: "bad_answer", detail }))
    })
  )

const decodeState = Schema.decodeUnknownEither(State)
const decodeValidator = Schema.decodeUnknownEither(Validator)

const toSummary = (
  { parameters, stake_subsidy, storage_fund, validator_report_records, validators, ...state }: typeof State.Type,
  activeValidators: ReadonlyArray<unknown>
) => ({
  ...renamed(state),
  ...renamed(parameters),
  ...renamed(storage_fund, "storage_fund_"),
  ...renamed(stake_subsidy, "stake_subsidy_"),
  totalStake: validators.total_stake,
  activeValidators,
  ...table("pendingActiveValidators", validators.pending_active_validators.contents),
  pendingRemovals: validators.pending_removals,
  ...table("stakingPoolMappings", validators.staking_pool_mappings),
  ...table("inactivePools", validators.inactive_validators),
  ...table("validatorCandidates", validators.validator_candidates),
  atRiskValidators: validators.at_risk_validators.contents.map(({ key, value }) => [key, value]),
  validatorReportRecords: validator_report_records.contents.map(({ key, value }) => [key, value.contents])
})

const table = (name: string, { id, size }: typeof Table.Type) => ({ [`${name}Id`]: id.id, [`${name}Size`]: size })

export const toValidator = (given: unknown): Either.Either<Readonly<Record<string, unknown>>, string> =>
  Either.mapBoth(decodeValidator(given), {
    onLeft: () => "returned a validator of an unknown version",
    onRight: ({ metadata, staking_pool: pool, ...validator }) => {
      const { proof_of_possession, ...described } = metadata
      const { activation_epoch, deactivation_epoch, exchange_rates, id, sui_balance, ...amounts } = pool
      return {
        ...renamed(described),
        proofOfPossessionBytes: proof_of_possession,
        ...renamed(validator),
        ...renamed({ id: id.id, activation_epoch, deactivation_epoch, sui_balance }, "staking_pool_"),
        ...renamed(amounts),
        ...table("exchangeRates", exchange_rates)
      }
    }
  })
