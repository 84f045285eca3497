import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Height, height, numberOf, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { paymentOf, stakeOf } from "../../CardanoAddress.ts"
import { nameOf, policyOf } from "../../CardanoAsset.ts"
import type { Submission } from "../../CardanoTransaction.ts"
import { Cbor, Decimals, Deposit, Hash, Hex, Index, Lovelace } from "../../formats.ts"
import { AssetBalance, AssetList, isOfFingerprint, keyOf } from "./KoiosAsset.ts"
import { Block, Count, from, Parameters } from "./KoiosParameters.ts"

// The calls of Koios API v1, based on PostgREST: an object that does not exist has no row. Addresses and accounts have the
// same calls with different names.

/** The address of the documentation. @public */
export const documentation = "https://api.koios.rest"

/** The body limit of the public tier. */
export const bodyBytes = 1000

/** Rows per page; a page that is not full is the last one. */
export const pageSize = 1000

interface Addresses {
  readonly addresses: ReadonlyArray<string>
}

interface Hashes {
  readonly hashes: ReadonlyArray<string>
}

interface PageIndex {
  readonly index: number
}

export const tip = Call.get("/tip", {
  response: Schema.NonEmptyArray(
    Schema.Struct({
      hash: Hash,
      height: from("block_no", Schema.compose(Count, Height)),
      time: from("block_time", Schema.compose(Count, Seconds))
    })
  )
})

export const blockInfo = Call.post("/block_info", {
  body: ({ hash }: { readonly hash: string }) => ({ _block_hashes: [hash] }),
  response: Block,
  about: ([row], { hash }) => row.hash === hash
})

export const epochParams = Call.get("/epoch_params", {
  query: () => ({ order: "epoch_no.desc", limit: 1 }),
  response: Parameters
})

/** Whether a list about several addresses is about any of them: a wrong row among others costs only its owner. */
const isAbout =
  (member: string) =>
  (rows: ReadonlyArray<{ readonly raw: Readonly<Record<string, unknown>> }>, { addresses }: Addresses) =>
    rows.length === 0 || rows.some(({ raw }) => addresses.some((address) => address === raw[member]))

export const addressInfo = Call.post("/address_info", {
  perOpen: { balance: 1 },
  query: () => ({ select: "address,balance" }),
  body: ({ addresses }: Addresses) => ({ _addresses: addresses }),
  response: rowsOf(Schema.Struct({ address: Schema.String, balance: Lovelace })),
  about: isAbout("address")
})

export const accountInfo = Call.post("/account_info", {
  note: "The balance is `utxo` and `rewards_available`: the definition of `total_balance` has changed over time.",
  query: () => ({ select: "stake_address,utxo,rewards_available" }),
  body: ({ addresses }: Addresses) => ({ _stake_addresses: addresses }),
  response: rowsOf(Schema.Struct({ stake_address: Schema.String, utxo: Lovelace, rewards_available: Lovelace })),
  about: isAbout("stake_address")
})

// Without an order a row may be on two pages, and another on none.
const page = (order: string, { index }: PageIndex) => ({ order, limit: pageSize, offset: index * pageSize })
const assetPage = (owner: string, parameters: PageIndex) => ({
  select: `${owner},policy_id,asset_name,fingerprint,decimals,quantity`,
  ...page(`${owner},policy_id,asset_name`, parameters)
})

export const addressAssets = Call.post("/address_assets", {
  perOpen: { balance: 1 },
  query: (parameters: PageIndex) => assetPage("address", parameters),
  body: ({ addresses }: Addresses & PageIndex) => ({ _addresses: addresses }),
  response: rowsOf(Schema.Struct({ address: Schema.String, ...AssetBalance }).pipe(Schema.filter(isOfFingerprint))),
  about: isAbout("address")
})

export const accountAssets = Call.post("/account_assets", {
  query: (parameters: PageIndex) => assetPage("stake_address", parameters),
  body: ({ addresses }: Addresses & PageIndex) => ({ _stake_addresses: addresses }),
  response: rowsOf(
    Schema.Struct({ stake_address: Schema.String, ...AssetBalance }).pipe(Schema.filter(isOfFingerprint))
  ),
  about: isAbout("stake_address")
})

export const assetInfo = Call.post("/asset_info", {
  perOpen: { history: "varies" },
  body: ({ units }: { readonly units: ReadonlyArray<string> }) => ({
    _asset_list: units.map((unit) => [policyOf(unit), nameOf(unit)])
  }),
  response: rowsOf(
    Schema.Struct({
      policy_id: Schema.String,
      asset_name: Schema.NullOr(Schema.String),
      token_registry_metadata: Schema.NullishOr(
        Schema.Struct({
          name: Schema.NullishOr(Schema.String),
          ticker: Schema.NullishOr(Schema.String),
          decimals: Schema.NullishOr(Decimals)
        })
      ),
      cip68_metadata: Schema.NullishOr(Schema.Unknown),
      total_supply: Schema.optional(Schema.Unknown)
    })
  ),
  about: (rows) => rows.every(({ raw }) => Option.isSome(keyOf(raw)))
})

const Outputs = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    tx_index: Index,
    address: Schema.String,
    value: Lovelace,
    datum_hash: Schema.NullishOr(Schema.String),
    inline_datum: Schema.NullishOr(Schema.Struct({ bytes: Hex })),
    reference_script: Schema.NullishOr(Schema.Struct({ hash: Schema.String, size: Schema.optional(Schema.Unknown) })),
    asset_list: AssetList,
    is_spent: Schema.optional(Schema.Boolean)
  })
)

interface Unspent extends PageIndex {
  readonly address: string
}

export const addressUtxos = Call.post("/address_utxos", {
  query: (parameters: Unspent) => page("tx_hash,tx_index", parameters),
  body: ({ address }: Unspent) => ({ _addresses: [address], _extended: true }),
  response: Outputs
})

export const accountUtxos = Call.post("/account_utxos", {
  query: (parameters: Unspent) => page("tx_hash,tx_index", parameters),
  body: ({ address }: Unspent) => ({ _stake_addresses: [address], _extended: true }),
  response: Outputs
})

const Listed = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    block_height: Schema.NullOr(Schema.compose(Schema.NonNegativeInt, Height)),
    block_time: Seconds
  })
)

/** Blocks above a height, up to the last one. */
interface BlockRange {
  readonly address: string
  readonly above: Height
  readonly last: Height | undefined
  readonly limit: number
}

const rangeQuery = ({ last, limit }: BlockRange) => ({
  select: "tx_hash,block_height,block_time",
  order: "block_height.desc.nullslast,tx_hash.asc",
  limit,
  // The genesis block has no height.
  or: last === undefined ? undefined : `(block_height.lte.${numberOf(last)},block_height.is.null)`
})

const lowerBound = ({ above }: BlockRange) => (above > height(0) ? numberOf(above) : undefined)

export const addressTxs = Call.post("/address_txs", {
  perOpen: { history: 1 },
  note: "Too slow for very active addresses without a lower bound. Within a block the list is unordered.",
  query: rangeQuery,
  body: (range: BlockRange) => ({ _addresses: [range.address], _after_block_height: lowerBound(range) }),
  response: Listed
})

export const accountTxs = Call.get("/account_txs", {
  query: (range: BlockRange) => ({
    _stake_address: range.address,
    _after_block_height: lowerBound(range),
    ...rangeQuery(range)
  }),
  response: Listed
})

const Output = Schema.Struct({
  payment_addr: Schema.Struct({ bech32: Schema.String, cred: Schema.NullishOr(Schema.String) }),
  stake_addr: Schema.NullishOr(Schema.String),
  value: Lovelace,
  asset_list: AssetList,
  tx_hash: Schema.NullishOr(Schema.String),
  tx_index: Schema.NullishOr(Schema.Int)
}).pipe(
  // An address contains its credentials; one of the Byron era has none.
  Schema.filter(
    ({ payment_addr: { bech32, cred }, stake_addr: account }) =>
      (cred == null || paymentOf(bech32) === cred || /^(Ae2|Ddz)/.test(bech32)) &&
      (account == null || (stakeOf(bech32) ?? account) === account)
  )
)

const TransactionInfo = Schema.Struct({
  tx_hash: Hash,
  block_height: Schema.NullOr(Schema.compose(Schema.NonNegativeInt, Height)),
  tx_timestamp: Seconds,
  tx_block_index: Schema.NullishOr(Schema.Int),
  fee: Lovelace,
  deposit: Schema.NullishOr(Deposit),
  inputs: Schema.Array(Output),
  outputs: Schema.Array(Output),
  collateral_inputs: Schema.NullishOr(Schema.Array(Output)),
  withdrawals: Schema.NullishOr(Schema.Array(Schema.Struct({ amount: Lovelace, stake_addr: Schema.String }))),
  certificates: Schema.NullishOr(Schema.Array(Schema.Struct({ type: Schema.String }))),
  plutus_contracts: Schema.NullishOr(Schema.Array(Schema.Struct({ valid_contract: Schema.Boolean })))
})

/** Without `_scripts`, Koios returns neither collateral nor the result of a contract. */
const parts = { _inputs: true, _assets: true, _withdrawals: true, _certs: true, _scripts: true }

/** As many hashes as fit into a body beside these members. */
const hashesBeside = (members: object) =>
  Math.floor((bodyBytes - JSON.stringify({ _tx_hashes: [], ...members }).length + 1) / 67)

export const transactionsPerCall = hashesBeside(parts)

export const txInfo = Call.post("/tx_info", {
  perOpen: { history: 1 },
  query: () => ({
    select:
      "tx_hash,block_height,tx_timestamp,tx_block_index,fee,deposit,collateral_inputs,inputs,outputs,withdrawals,certificates,plutus_contracts"
  }),
  body: ({ hashes }: Hashes) => ({ _tx_hashes: hashes, ...parts }),
  response: rowsOf(TransactionInfo)
})

const withScripts = { _scripts: true }

export const statusesPerCall = hashesBeside(withScripts)

export const txStatus = Call.post("/tx_info", {
  note: "A row for each transaction that is in a block; the mempool is not returned.",
  query: () => ({ select: "tx_hash,block_height,tx_timestamp,fee,plutus_contracts" }),
  body: ({ hashes }: Hashes) => ({ _tx_hashes: hashes, ...withScripts }),
  response: rowsOf(
    Schema.Struct({
      ...TransactionInfo.pick("tx_hash", "block_height", "tx_timestamp", "fee").fields,
      /** Empty without scripts. A source that does not return it does not say whether they failed. */
      plutus_contracts: Schema.Array(Schema.Struct({ valid_contract: Schema.Boolean }))
    })
  )
})

/** Whether no script of a transaction failed. */
export const isValid = ({ plutus_contracts }: Pick<typeof TransactionInfo.Type, "plutus_contracts">) =>
  !plutus_contracts?.some(({ valid_contract }) => valid_contract === false)

export const txCbor = Call.post("/tx_cbor", {
  body: ({ hashes }: Hashes) => ({ _tx_hashes: hashes }),
  response: Schema.Array(Schema.Struct({ tx_hash: Hash, cbor: Cbor })),
  about: (rows, { hashes }) => rows.every(({ tx_hash }) => hashes.includes(tx_hash))
})

export const submit = Call.post("/submittx", {
  note: "Forwards to `cardano-submit-api`, whose refusals have status 400.",
  body: ({ bytes }: Submission) => bytes,
  response: Hash
})
