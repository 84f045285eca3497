import * as Schema from "effect/Schema"
import type { Flow, Ledgered } from "../history.ts"
import { Deposit, Hash, hasCoins, Lovelace, Quantity } from "../Source.ts"

// What Blockfrost's API v0 returns of transactions.

/** Of `/addresses/{address}/transactions` and `/accounts/{account}/transactions`. */
export const Listed = Schema.Array(Schema.Struct({ tx_hash: Hash, block_time: Schema.Int }))

/** Of `/txs/{hash}`. */
export const Content = Schema.Struct({
  hash: Hash,
  block_height: Schema.NullOr(Schema.Int),
  block_time: Schema.Int,
  index: Schema.Int,
  fees: Lovelace,
  deposit: Deposit,
  withdrawal_count: Schema.Int,
  delegation_count: Schema.Int,
  valid_contract: Schema.Boolean
})

const Amounts = Schema.Array(Schema.Struct({ unit: Schema.String, quantity: Quantity })).pipe(Schema.filter(hasCoins))

/** Of `/txs/{hash}/utxos`. */
export const Utxos = Schema.Struct({
  hash: Hash,
  inputs: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      amount: Amounts,
      tx_hash: Schema.optional(Schema.String),
      output_index: Schema.optional(Schema.Int),
      collateral: Schema.Boolean,
      reference: Schema.NullishOr(Schema.Boolean)
    })
  ),
  outputs: Schema.Array(
    Schema.Struct({ address: Schema.String, amount: Amounts, collateral: Schema.NullishOr(Schema.Boolean) })
  )
})

/** Of `/txs/{hash}/withdrawals`. */
export const Withdrawals = Schema.Array(Schema.Struct({ address: Schema.String, amount: Lovelace }))

export const toLedgered = (
  content: typeof Content.Type,
  { inputs, outputs }: typeof Utxos.Type,
  withdrawals: typeof Withdrawals.Type
): Ledgered => ({
  hash: content.hash,
  timestamp: content.block_time,
  height: content.block_height,
  index: content.index,
  fee: content.fees,
  deposit: content.deposit,
  valid: content.valid_contract,
  delegates: content.delegation_count > 0,
  // Collateral is listed even where it is not taken, and so are reference inputs.
  inputs: inputs
    .filter(({ collateral, reference }) => !collateral && reference !== true)
    .map((input) => ({ ...flow(input), spends: spentBy(input) })),
  collateral: inputs.filter(({ collateral }) => collateral).map(flow),
  outputs: outputs.filter(({ collateral }) => collateral !== true).map(flow),
  rewards: withdrawals.map(({ address, amount }) => ({ account: address, lovelace: amount }))
})

const spentBy = ({ output_index, tx_hash }: (typeof Utxos.Type)["inputs"][number]) =>
  tx_hash === undefined || output_index === undefined ? undefined : `${tx_hash}#${output_index}`

const flow = ({ address, amount }: { readonly address: string; readonly amount: typeof Amounts.Type }): Flow => ({
  address,
  lovelace: amount.find(({ unit }) => unit === "lovelace")?.quantity ?? 0n,
  assets: amount.filter(({ unit }) => unit !== "lovelace")
})
