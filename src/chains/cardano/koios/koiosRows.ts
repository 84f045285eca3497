import * as Schema from "effect/Schema"
import type { CardanoLedgerTransaction, Flow } from "../history.ts"
import { Decimals, Deposit, Hash, Hex, Lovelace, Quantity } from "../Source.ts"

/** Rows of `address_txs` and `account_txs`, in any order. */
export const Listed = Schema.Array(
  Schema.Struct({ tx_hash: Hash, block_height: Schema.NullOr(Schema.Int), block_time: Schema.Int })
)

/** The tokens of an output, in the format of all Koios endpoints. */
export const AssetList = Schema.NullishOr(
  Schema.Array(
    Schema.Struct({
      policy_id: Hex.pipe(Schema.length(56)),
      asset_name: Schema.NullishOr(Hex),
      quantity: Quantity
    })
  )
)

const Output = Schema.Struct({
  payment_addr: Schema.Struct({ bech32: Schema.String }),
  stake_addr: Schema.NullishOr(Schema.String),
  value: Lovelace,
  asset_list: AssetList,
  tx_hash: Schema.NullishOr(Schema.String),
  tx_index: Schema.NullishOr(Schema.Int)
})

/** A row of `tx_info`. */
export const TransactionInfo = Schema.Struct({
  tx_hash: Hash,
  block_height: Schema.NullOr(Schema.Int),
  tx_timestamp: Schema.Int,
  tx_block_index: Schema.NullishOr(Schema.Int),
  fee: Lovelace,
  deposit: Schema.NullishOr(Deposit),
  inputs: Schema.Array(Output),
  outputs: Schema.Array(Output),
  collateral_inputs: Schema.NullishOr(Schema.Array(Output)),
  withdrawals: Schema.NullishOr(Schema.Array(Schema.Struct({ amount: Lovelace, stake_addr: Schema.String }))),
  certificates: Schema.NullishOr(Schema.Array(Schema.Struct({ type: Schema.String }))),
  plutus_contracts: Schema.NullishOr(Schema.Array(Schema.Struct({ valid_contract: Schema.NullishOr(Schema.Boolean) })))
})

/** A row of `asset_info`. */
export const AssetInfo = Schema.Struct({
  token_registry_metadata: Schema.NullishOr(
    Schema.Struct({
      name: Schema.NullishOr(Schema.String),
      ticker: Schema.NullishOr(Schema.String),
      decimals: Schema.NullishOr(Decimals)
    })
  ),
  cip68_metadata: Schema.NullishOr(Schema.Unknown)
})

/** The rows of `asset_info`, each with the asset that it describes. */
export const AssetInfos = Schema.Array(
  Schema.Struct(
    { policy_id: Schema.String, asset_name: Schema.NullOr(Schema.String) },
    Schema.Record({ key: Schema.String, value: Schema.Unknown })
  )
)

export const toLedgered = (row: typeof TransactionInfo.Type): CardanoLedgerTransaction => ({
  hash: row.tx_hash,
  timestamp: row.tx_timestamp,
  height: row.block_height,
  index: row.tx_block_index ?? 0,
  fee: row.fee,
  deposit: row.deposit ?? 0n,
  valid: !row.plutus_contracts?.some(({ valid_contract }) => valid_contract === false),
  delegates: row.certificates?.some(({ type }) => type.endsWith("delegation")) ?? false,
  inputs: row.inputs.map((input) => ({ ...flow(input), spends: spentBy(input) })),
  outputs: row.outputs.map(flow),
  collateral: row.collateral_inputs?.map(flow) ?? [],
  rewards: row.withdrawals?.map(({ amount, stake_addr }) => ({ account: stake_addr, lovelace: amount })) ?? []
})

const spentBy = ({ tx_hash, tx_index }: typeof Output.Type) =>
  tx_hash == null || tx_index == null ? undefined : `${tx_hash}#${tx_index}`

const flow = ({ asset_list, payment_addr, stake_addr, value }: typeof Output.Type): Flow => ({
  address: payment_addr.bech32,
  account: stake_addr ?? undefined,
  lovelace: value,
  assets:
    asset_list?.map(({ asset_name, policy_id, quantity }) => ({ unit: policy_id + (asset_name ?? ""), quantity })) ?? []
})
