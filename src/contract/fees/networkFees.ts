import * as Schema from "effect/Schema"
import { AccountResources, levelFields } from "../../domain/fees/Fees.ts"
import { familyFields as fields } from "../../domain/fees/fields.ts"
import { enumOf, errorCode, optional, text, textOrNull } from "../../domain/fields.ts"

/** Cost of the example transfer. */
const Transfer = Schema.Struct({
  description: text("Text for display.", "a transfer of ETH to an account without code, at the present base fee"),
  fee: textOrNull("Its fee at the standard level, an exact decimal in the native coin.", "0.0000231"),
  feeBaseUnits: textOrNull("Its fee in base units (wei, satoshi …).", "23100000000000"),
  feeUsd: textOrNull("The fee in US dollars, an exact decimal. Null without the fee or a price.", "0.0744975"),
  error: optional(text("Human-readable reason why a number is null.", "no source has a current price")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "FeeExample", description: "A plain transfer of the native coin, as an example." })

const valued = {
  transferFee: textOrNull(
    "Fee of the example transfer at this level, an exact decimal in the native coin.",
    "0.0000231"
  ),
  transferFeeUsd: textOrNull("The fee in US dollars, an exact decimal. Null without the fee or a price.", "0.0744975")
}

/** Schema of the fees of one family: `rates` are the fields of each level, `basis` is common to all levels. */
const feesOf = <
  Family extends string,
  Rates extends Schema.Struct.Fields,
  Basis extends Schema.Struct.Fields,
  More extends Schema.Struct.Fields
>(
  family: Family,
  title: string,
  { basis, rates }: { readonly rates: Rates; readonly basis: Basis },
  more: More
) => {
  const name = `${family.charAt(0).toUpperCase()}${family.slice(1)}`
  const level = Schema.Struct({ ...rates, ...levelFields, ...valued }).annotations({
    identifier: `${name}FeeLevel`,
    description: `A fee level of ${title}.`
  })
  return Schema.Struct({
    network: text("Id of the network.", "base"),
    family: enumOf("Family of the network, which determines the members of levels and basis.", [family]),
    updatedAt: Schema.NullOr(Schema.Number).annotations({
      description: "Time when the fees were read, UNIX time in milliseconds. Null if they could not be read.",
      examples: [1793450000000]
    }),
    levels: Schema.Struct({ slow: level, standard: level, fast: level }).annotations({
      identifier: `${name}FeeLevels`,
      description: "From cheapest to fastest. All are equal if a higher fee makes no transaction faster."
    }),
    basis: Schema.Struct(basis).annotations({
      identifier: `${name}FeeBasis`,
      description: "Values that are common to all levels, and from which the example is computed."
    }),
    transfer: Transfer,
    ...more
  }).annotations({ identifier: `${name}Fees`, description: `Transaction fees of ${title}.` })
}

const none = {}

const EvmFees = feesOf("evm", "an EVM network", fields.evm, none)
const UtxoFees = feesOf("utxo", "a network of the Bitcoin family", fields.utxo, none)
const SolanaFees = feesOf("solana", "Solana", fields.solana, none)
const SuiFees = feesOf("sui", "Sui", fields.sui, none)
const CardanoFees = feesOf("cardano", "Cardano", fields.cardano, none)
const RippleFees = feesOf("ripple", "the XRP Ledger", fields.ripple, none)
const TronFees = feesOf("tron", "Tron", fields.tron, { account: optional(AccountResources) })
const TonFees = feesOf("ton", "TON", fields.ton, none)
const PolkadotFees = feesOf("polkadot", "Polkadot Asset Hub", fields.polkadot, none)

export const NetworkFees = Schema.Union(
  EvmFees,
  UtxoFees,
  SolanaFees,
  SuiFees,
  CardanoFees,
  RippleFees,
  TronFees,
  TonFees,
  PolkadotFees
)
  .pipe(
    // The filter keeps the union from being documented as several responses.
    Schema.filter(() => true, { jsonSchema: {} })
  )
  .annotations({ identifier: "NetworkFees", description: "Transaction fees of a network, by its family." })
export type NetworkFees = typeof NetworkFees.Type

export const feesDescription =
  "Returns the fee levels slow, standard and fast. Each level has the fee fields of a transaction of that network, the expected number of seconds until the transaction is in a block, and the fee of a plain transfer (base units, decimal, US dollars). `family` determines the members; field names end with their unit. EVM: the 10th, 50th and 90th percentile of the priority fees of the latest 20 blocks, and a maximum fee with room for 1, 3 and 6 full blocks; the data fee of an OP-stack network is reported separately in `basis.l1Fee`; networks without EIP-1559 only have a gas price. Bitcoin family: estimates for 24, 6 and 2 blocks from the operator's node, an Esplora, a Blockbook or BlockCypher; a mempool.space instance returns its fees for low priority, an hour and the next block. No level is below what nodes accept: the minimum relay fee of the Bitcoin family, and the minimum priority fee of Polygon (25 gwei) and BNB Smart Chain (0.05 gwei). Solana: the base fee of a message, and the 25th, 50th and 90th percentile of recent priority fees. Sui, Cardano, Tron, TON and Polkadot have the same price at every level. A number that could not be read is null, with `error` and `errorCode`; the service never estimates it. Fees are read at most once per block and at least once per minute. The response is 404 for a network without fees."
