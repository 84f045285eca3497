import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { byKeyOrFault } from "../../../kit/holdings/amounts.ts"
import type { Submission } from "../../CardanoTransaction.ts"
import { Cbor, Decimals, Deposit, Hash, Hex, hasCoins, Index, Lovelace, Quantity } from "../../formats.ts"
import { Block, Parameters } from "../../Parameters.ts"

// The calls of Blockfrost API v0 for Cardano: one address or transaction per call. The object of a path that does not
// exist is a 404.

/** The address of the documentation. @public */
export const documentation = "https://docs.blockfrost.io"

/** Rows per page; a page that is not full is the last one. */
export const pageSize = 100

/** The number of a page, from 1; the first one if undefined. */
interface PageNumber {
  readonly page?: number | undefined
}

const paged = { query: ({ page }: PageNumber) => ({ page }) }

/** The main network's magic number. */
export const genesis = Call.get("/genesis", {
  response: Schema.Struct({ network_magic: Schema.Literal(764_824_073) })
})

/** Costs by language and by name; the digits of large ones are in the text that is returned. */
const Costs = Schema.Record({
  key: Schema.String,
  value: Schema.Record({ key: Schema.String, value: Schema.Number.pipe(Schema.between(-(2 ** 63), 2 ** 63)) })
})

export const parameters = Call.get("/epochs/latest/parameters", {
  response: Schema.extend(Parameters, Schema.Struct({ cost_models: Costs }))
})

export const newestBlock = Call.get("/blocks/latest", { response: Block })

const Amounts = Schema.Array(
  Schema.Struct({
    unit: Schema.String.pipe(Schema.pattern(/^(lovelace|[0-9a-f]{56}([0-9a-f]{2}){0,32})$/)),
    quantity: Quantity,
    /** From the registry or from the asset itself, null if neither has any; only in `/extended`. */
    decimals: Schema.optional(Schema.NullOr(Decimals))
  })
).pipe(Schema.filter((amounts) => Either.isRight(byKeyOrFault(amounts.map((amount) => [amount.unit, amount])))))

export const address = Call.get("/addresses/{address}/extended", {
  perOpen: { balance: 1 },
  note: "Coins are always included, even if zero.",
  response: Schema.Struct({ address: Schema.String, amount: Amounts.pipe(Schema.filter(hasCoins)) }),
  about: (found, { address }) => found.address === address
})

export const account = Call.get("/accounts/{address}", {
  note: "`controlled_amount` is the balance of all addresses of the account, plus withdrawable rewards.",
  response: Schema.Struct({
    stake_address: Schema.String,
    controlled_amount: Lovelace,
    withdrawable_amount: Schema.optional(Lovelace)
  }),
  about: (found, { address }) => found.stake_address === address
})

export const accountAssets = Call.get("/accounts/{address}/addresses/assets", { ...paged, response: Amounts })

export const asset = Call.get("/assets/{unit}", {
  response: Schema.Struct({
    asset: Schema.String,
    /** From the registry. */
    metadata: Schema.NullishOr(
      Schema.Struct({
        name: Schema.NullishOr(Schema.String),
        ticker: Schema.NullishOr(Schema.String),
        decimals: Schema.NullishOr(Decimals)
      })
    ),
    onchain_metadata: Schema.NullishOr(Schema.Unknown),
    onchain_metadata_standard: Schema.NullishOr(Schema.String),
    /** The supply. */
    quantity: Schema.optional(Schema.Unknown)
  }),
  about: ({ asset }, { unit }) => asset === unit
})

/** Rows of both lists. */
const Outputs = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    output_index: Index,
    address: Schema.String,
    amount: Schema.Array(Schema.Struct({ unit: Schema.String, quantity: Quantity })).pipe(
      Schema.filter((amounts) => amounts.filter(({ unit }) => unit === "lovelace").length === 1)
    ),
    data_hash: Schema.NullishOr(Schema.String),
    inline_datum: Schema.NullishOr(Hex),
    reference_script_hash: Schema.NullishOr(Schema.String)
  })
)

export const addressUtxos = Call.get("/addresses/{address}/utxos", { ...paged, response: Outputs })

export const accountUtxos = Call.get("/accounts/{address}/utxos", { ...paged, response: Outputs })

export const script = Call.get("/scripts/{hash}", {
  note: "Without a size if it is no Plutus script.",
  response: Schema.Struct({ script_hash: Schema.String, serialised_size: Schema.optional(Schema.Unknown) }),
  about: ({ script_hash }, { hash }) => script_hash === hash
})

/** From the newest transaction to the oldest; none above the height `to`. */
const newestFirst = ({ page, to }: PageNumber & { readonly to?: number | undefined }) => ({
  order: "desc",
  count: pageSize,
  page,
  to
})

const Listed = Schema.Array(Schema.Struct({ tx_hash: Hash, block_time: Seconds }))

export const addressTransactions = Call.get("/addresses/{address}/transactions", {
  perOpen: { history: 1 },
  query: newestFirst,
  response: Listed
})

export const accountTransactions = Call.get("/accounts/{address}/transactions", {
  query: newestFirst,
  response: Listed
})

export const transaction = Call.get("/txs/{hash}", {
  perOpen: { history: "varies" },
  response: Schema.Struct({
    hash: Hash,
    block_height: Schema.NullOr(Schema.compose(Schema.NonNegativeInt, Height)),
    block_time: Seconds,
    index: Schema.Int,
    fees: Lovelace,
    deposit: Deposit,
    withdrawal_count: Schema.Int,
    delegation_count: Schema.Int,
    valid_contract: Schema.Boolean
  }),
  about: (found, { hash }) => found.hash === hash
})

const MovedAmounts = Schema.Array(Schema.Struct({ unit: Schema.String, quantity: Quantity })).pipe(
  Schema.filter(hasCoins)
)

export const utxos = Call.get("/txs/{hash}/utxos", {
  perOpen: { history: "varies" },
  note: "Collateral is listed even if it is not taken, and so are reference inputs.",
  response: Schema.Struct({
    hash: Hash,
    inputs: Schema.Array(
      Schema.Struct({
        address: Schema.String,
        amount: MovedAmounts,
        tx_hash: Schema.optional(Schema.String),
        output_index: Schema.optional(Schema.Int),
        collateral: Schema.Boolean,
        reference: Schema.NullishOr(Schema.Boolean)
      })
    ),
    outputs: Schema.Array(
      Schema.Struct({ address: Schema.String, amount: MovedAmounts, collateral: Schema.NullishOr(Schema.Boolean) })
    )
  }),
  about: (found, { hash }) => found.hash === hash
})

export const withdrawals = Call.get("/txs/{hash}/withdrawals", {
  response: Schema.Array(Schema.Struct({ address: Schema.String, amount: Lovelace }))
})

export const cbor = Call.get("/txs/{hash}/cbor", { response: Schema.Struct({ cbor: Cbor }) })

export const waiting = Call.get("/mempool/{hash}", {
  response: Schema.Struct({ tx: Schema.Struct({ hash: Hash }) }),
  about: ({ tx }, { hash }) => tx.hash === hash
})

export const submit = Call.post("/tx/submit", {
  note: "Forwards to `cardano-submit-api`; its refusals are in `message` of status 400.",
  body: ({ bytes }: Submission) => bytes,
  response: Hash
})
