import { base64 } from "@scure/base"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

// Maps Validator of 0x3::validator to SuiValidatorSummary of the old API.

const Bytes = Schema.Array(Schema.Int)
const text = Schema.String
const maybe = Schema.NullOr(text)

const Metadata = Schema.Struct({
  sui_address: text,
  protocol_pubkey_bytes: Bytes,
  network_pubkey_bytes: Bytes,
  worker_pubkey_bytes: Bytes,
  proof_of_possession: Bytes,
  name: text,
  description: text,
  image_url: text,
  project_url: text,
  net_address: text,
  p2p_address: text,
  primary_address: text,
  worker_address: text,
  next_epoch_protocol_pubkey_bytes: Schema.NullOr(Bytes),
  next_epoch_proof_of_possession: Schema.NullOr(Bytes),
  next_epoch_network_pubkey_bytes: Schema.NullOr(Bytes),
  next_epoch_worker_pubkey_bytes: Schema.NullOr(Bytes),
  next_epoch_net_address: maybe,
  next_epoch_p2p_address: maybe,
  next_epoch_primary_address: maybe,
  next_epoch_worker_address: maybe
})

const Pool = Schema.Struct({
  id: Schema.Struct({ id: text }),
  activation_epoch: maybe,
  deactivation_epoch: maybe,
  sui_balance: text,
  rewards_pool: text,
  pool_token_balance: text,
  exchange_rates: Schema.Struct({ id: Schema.Struct({ id: text }), size: text }),
  pending_stake: text,
  pending_total_sui_withdraw: text,
  pending_pool_token_withdraw: text
})

const ValidatorWire = Schema.Struct({
  metadata: Metadata,
  voting_power: text,
  operation_cap_id: text,
  gas_price: text,
  staking_pool: Pool,
  commission_rate: text,
  next_epoch_stake: text,
  next_epoch_gas_price: text,
  next_epoch_commission_rate: text
})

const encoded = (bytes: typeof Bytes.Type) => base64.encode(Uint8Array.from(bytes))
const perhaps = (bytes: typeof Bytes.Type | null) => (bytes === null ? null : encoded(bytes))

const toSummary = ({ metadata, staking_pool: pool, ...validator }: typeof ValidatorWire.Type) => ({
  suiAddress: metadata.sui_address,
  protocolPubkeyBytes: encoded(metadata.protocol_pubkey_bytes),
  networkPubkeyBytes: encoded(metadata.network_pubkey_bytes),
  workerPubkeyBytes: encoded(metadata.worker_pubkey_bytes),
  proofOfPossessionBytes: encoded(metadata.proof_of_possession),
  operationCapId: validator.operation_cap_id,
  name: metadata.name,
  description: metadata.description,
  imageUrl: metadata.image_url,
  projectUrl: metadata.project_url,
  p2pAddress: metadata.p2p_address,
  netAddress: metadata.net_address,
  primaryAddress: metadata.primary_address,
  workerAddress: metadata.worker_address,
  nextEpochProtocolPubkeyBytes: perhaps(metadata.next_epoch_protocol_pubkey_bytes),
  nextEpochProofOfPossession: perhaps(metadata.next_epoch_proof_of_possession),
  nextEpochNetworkPubkeyBytes: perhaps(metadata.next_epoch_network_pubkey_bytes),
  nextEpochWorkerPubkeyBytes: perhaps(metadata.next_epoch_worker_pubkey_bytes),
  nextEpochNetAddress: metadata.next_epoch_net_address,
  nextEpochP2pAddress: metadata.next_epoch_p2p_address,
  nextEpochPrimaryAddress: metadata.next_epoch_primary_address,
  nextEpochWorkerAddress: metadata.next_epoch_worker_address,
  votingPower: validator.voting_power,
  gasPrice: validator.gas_price,
  commissionRate: validator.commission_rate,
  nextEpochStake: validator.next_epoch_stake,
  nextEpochGasPrice: validator.next_epoch_gas_price,
  nextEpochCommissionRate: validator.next_epoch_commission_rate,
  stakingPoolId: pool.id.id,
  stakingPoolActivationEpoch: pool.activation_epoch,
  stakingPoolDeactivationEpoch: pool.deactivation_epoch,
  stakingPoolSuiBalance: pool.sui_balance,
  rewardsPool: pool.rewards_pool,
  poolTokenBalance: pool.pool_token_balance,
  pendingStake: pool.pending_stake,
  pendingTotalSuiWithdraw: pool.pending_total_sui_withdraw,
  pendingPoolTokenWithdraw: pool.pending_pool_token_withdraw,
  exchangeRatesId: pool.exchange_rates.id.id,
  exchangeRatesSize: pool.exchange_rates.size
})

export type Validator = ReturnType<typeof toSummary>

const decode = Schema.decodeUnknownEither(ValidatorWire)

export const toValidator = (validator: unknown): Either.Either<Validator, string> =>
  Either.mapBoth(decode(validator), {
    onLeft: () => "returned a validator of an unknown version",
    onRight: toSummary
  })
