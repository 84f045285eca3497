import * as Schema from "effect/Schema"
import { AccountResources, levelFields } from "../../domain/fees/Fees.ts"
import { familyFields as fields } from "../../domain/fees/fields.ts"
import { errorCode, optional, text, textOrNull, word } from "../../domain/fields.ts"

/** What the example transfer costs. */
const Transfer = Schema.Struct({
  description: text("What the example is.", "a transfer of ETH to an account without code, at the present base fee"),
  fee: textOrNull("What it costs at the standard level, an exact decimal of the native coin.", "0.0000231"),
  feeBaseUnits: textOrNull("The same in base units (wei, satoshi …).", "23100000000000"),
  feeUsd: textOrNull("The same in US dollars, an exact decimal. Null without the fee or a price.", "0.0744975"),
  error: optional(text("Why a number is null, for people.", "no source has a current price")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "FeeExample", description: "A plain transfer of the native coin, as an example." })

const valued = {
  transferFee: textOrNull(
    "What the example transfer costs at this level, an exact decimal of the native coin.",
    "0.0000231"
  ),
  transferFeeUsd: textOrNull("The same in US dollars, an exact decimal. Null without the fee or a price.", "0.0744975")
}

/** The fees of networks of one family: what goes into a transaction at each level, and what the levels have in common. */
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
    description: `A level of the fees of ${title}.`
  })
  return Schema.Struct({
    network: text("Id of the network.", "base"),
    family: word("The kind of network, which decides the members of levels and basis.", [family]),
    updatedAt: Schema.NullOr(Schema.Number).annotations({
      description: "When the fees were read, UNIX time in milliseconds. Null where they could not be read.",
      examples: [1793450000000]
    }),
    levels: Schema.Struct({ slow: level, standard: level, fast: level }).annotations({
      identifier: `${name}FeeLevels`,
      description: "From cheap to soon. All are equal where no offer makes a transaction faster."
    }),
    basis: Schema.Struct(basis).annotations({
      identifier: `${name}FeeBasis`,
      description: "What the levels have in common, and what the example is computed from."
    }),
    transfer: Transfer,
    ...more
  }).annotations({ identifier: `${name}Fees`, description: `What transactions cost on ${title}.` })
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
    // A union by itself would be written as several responses.
    Schema.filter(() => true, { jsonSchema: {} })
  )
  .annotations({ identifier: "NetworkFees", description: "What transactions cost on a network, by its family." })
export type NetworkFees = typeof NetworkFees.Type

export const feesDescription =
  "Slow, standard and fast, each with the fields that go into a transaction of that network, the seconds after which it is to be in a block, and what a plain transfer costs (base units, decimal, US dollars). `family` decides the members; the names of fields end with their unit. EVM: the 10th, 50th and 90th percentile of the priority fees of the newest 20 blocks, and a maximum with room for one, three and six full blocks; the fee for data of an OP-stack network is told apart in `basis.l1Fee`; a gas price alone where the network is without EIP-1559. Bitcoin family: estimates for 24, 6 and 2 blocks of the operator's node, an Esplora, a Blockbook or BlockCypher; of a mempool.space its fees for no hurry, an hour and the next block. Solana: the base fee of a message, and the 25th, 50th and 90th percentile of recent priority fees. Sui, Cardano, Tron, TON and Polkadot have one price for everybody. A number that could not be read is null, with `error` and `errorCode` beside it; it is never estimated here. Read at most once for each block, and at least once a minute; 404 for a network without fees."
