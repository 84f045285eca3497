import * as Schema from "effect/Schema"
import { sui } from "../../../../catalogue/sui.ts"
import * as Call from "../../../../upstream/Call.ts"
import { undecoded } from "../../../../upstream/response/rows.ts"
import { uint64 } from "../../../kit/holdings/amounts.ts"
import * as CoinType from "../../CoinType.ts"
import { Coin, coinFields } from "../../jsonrpc/Objects.ts"
import { Checkpoint, Count, Digits, maybe, Page, pageOf } from "../../SuiWire.ts"
import { GasEffects, SuiBalanceChanges, SuiTransaction } from "../../toTransaction.ts"

// The documents of Sui GraphQL RPC (schema.graphql of MystenLabs/sui). Each requests the id of the network. Translations
// of the old JSON-RPC have their own, in jsonrpc/.

/** The address of the documentation. @public */
export const documentation = "https://docs.sui.io/references/sui-graphql"

const none = () => ({})

export const identity = Call.graphql("chainIdentifier", {
  perOpen: { balance: 2, history: "varies" },
  document: () => "query { chainIdentifier }",
  variables: none,
  response: Schema.Struct({ chainIdentifier: Schema.String })
})

/** The time of the newest checkpoint, for responses that do not have it otherwise. */
const clock = "checkpoint { timestamp }"
export const Clock = Schema.Struct({ timestamp: Schema.String })

/** A u64 as text: no coin has a larger supply. */
const Amount = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/),
  Schema.filter((text) => BigInt(text) <= uint64)
)

const balanceFields = pageOf("coinType { repr } totalBalance")

export const BalanceRow = {
  type: Schema.Struct({ coinType: Schema.Struct({ repr: Schema.String }) }),
  /** The total balance of a coin: coin objects plus the address balance. */
  total: Schema.Struct({ totalBalance: Amount })
}

/** Each row is decoded alone: one that cannot be read costs the others nothing. */
const BalancePage = Page(undecoded(Schema.Struct({ ...BalanceRow.type.fields, ...BalanceRow.total.fields })))

/** An unused address has a page without coins. */
export const Owner = Schema.Struct({ balances: BalancePage })

/** One of several addresses; hosts may leave the address out. */
export const ListedOwner = Schema.Struct({ address: Schema.optional(Schema.String), ...Owner.fields })

export const balances = Call.graphql("multiGetAddresses", {
  perOpen: { balance: 1 },
  note: "The host runs one store query per list of balances, and allows 21 per request.",
  document: () =>
    `query ($keys: [AddressKey!]!) { chainIdentifier multiGetAddresses(keys: $keys) { address balances(first: 50) { ${balanceFields} } } ${clock} }`,
  variables: ({ owners }: { readonly owners: ReadonlyArray<string> }) => ({
    keys: owners.map((address) => ({ address }))
  }),
  response: Schema.Struct({ multiGetAddresses: Schema.Array(ListedOwner), checkpoint: Clock })
})

/** The page of a list after a cursor. */
export interface NextPage {
  readonly key: string
  readonly after: string
}

interface NextPages {
  readonly lists: ReadonlyArray<NextPage>
}

/** The document for the next page of several lists; the field of the list at index 3 is `p3`. */
const nextPages = (keyType: string, field: (key: string, after: string) => string) => ({
  document: ({ lists }: NextPages) => {
    const declared = lists.map((_, index) => `$key${index}: ${keyType}!, $after${index}: String!`)
    const fields = lists.map((_, index) => `p${index}: ${field(`$key${index}`, `$after${index}`)}`)
    return `query (${declared.join(" ")}) { ${fields.join(" ")} }`
  },
  variables: ({ lists }: NextPages) =>
    Object.fromEntries(
      lists.flatMap(({ after, key }, index) => [
        [`key${index}`, key],
        [`after${index}`, after]
      ])
    )
})

export const moreBalances = Call.graphql("address", {
  note: "A request is limited to 5,000 bytes, and page cursors are long.",
  ...nextPages(
    "SuiAddress",
    (owner, after) => `address(address: ${owner}) { balances(first: 50, after: ${after}) { ${balanceFields} } }`
  ),
  response: Schema.Record({ key: Schema.String, value: Owner })
})

/** The balance of one coin type; zero if the address does not own the coin. */
export const Balance = Schema.Struct({ balance: BalanceRow.total })

/** Null for a type without metadata, or with metadata that is not public. */
export const Metadata = Schema.NullOr(
  Schema.Struct({ decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))) })
)

const decimalsOf = (type: string) => `coinMetadata(coinType: ${type}) { decimals }`

interface CoinOfOwner {
  readonly owner: string
  readonly type: string
  readonly withDecimals: boolean
}

export const balance = Call.graphql("address", {
  document: ({ withDecimals }: CoinOfOwner) =>
    `query ($owner: SuiAddress!, $type: String!) { chainIdentifier address(address: $owner) { balance(coinType: $type) { totalBalance } }${withDecimals ? ` ${decimalsOf("$type")}` : ""} ${clock} }`,
  variables: ({ owner, type }) => ({ owner, type }),
  response: Schema.Struct({ address: Balance, coinMetadata: Schema.optional(Metadata), checkpoint: Clock })
})

export const decimals = Call.graphql("coinMetadata", {
  perOpen: { balance: 1, history: "varies" },
  note: "The host limits the length of a document, and runs one store query for each type.",
  document: ({ types }: { readonly types: ReadonlyArray<string> }) => {
    const declared = types.map((_, index) => `$t${index}: String!`).join(", ")
    const fields = types.map((_, index) => `t${index}: ${decimalsOf(`$t${index}`)}`).join(" ")
    return `query (${declared}) { chainIdentifier ${fields} ${clock} }`
  },
  variables: ({ types }) => Object.fromEntries(types.map((type, index) => [`t${index}`, type])),
  response: Schema.Record({ key: Schema.String, value: Metadata })
})

const Text = Schema.NullOr(Schema.String.pipe(Schema.maxLength(256)))
const State = Schema.NullOr(Schema.String)

/** Null for a type without metadata; members that are not known are null. */
export const CoinFacts = Schema.NullOr(
  Schema.Struct({
    name: Text,
    symbol: Text,
    decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))),
    supply: Schema.NullOr(Schema.String.pipe(Schema.pattern(/^\d{1,39}$/))),
    /** `FIXED` or `BURN_ONLY` if the supply cannot grow. */
    supplyState: State,
    /** `REGULATED` if the coin has a deny list, `UNREGULATED` if it can get none. */
    regulatedState: State,
    allowGlobalPause: Schema.NullOr(Schema.Boolean)
  })
)

export const coinFacts = Call.graphql("coinMetadata", {
  note: "The package says whether the type can exist: it has none if its coin has no metadata either.",
  document: () =>
    `query ($type: String!, $package: SuiAddress!) { chainIdentifier coinMetadata(coinType: $type) { name symbol decimals supply supplyState regulatedState allowGlobalPause } object(address: $package) { address } ${clock} }`,
  variables: (coin: { readonly type: string; readonly package: string }) => coin,
  response: Schema.Struct({
    coinMetadata: CoinFacts,
    object: Schema.NullOr(Schema.Struct({ address: Schema.String })),
    checkpoint: Clock
  })
})

export const CoinName = Schema.NullOr(
  Schema.Struct({ name: Text, symbol: Text, decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))) })
)

export const coinNames = Call.graphql("coinMetadata", {
  document: ({ types }: { readonly types: ReadonlyArray<string> }) => {
    const declared = types.map((_, index) => `$t${index}: String!`).join(", ")
    const fields = types.map((_, index) => `t${index}: coinMetadata(coinType: $t${index}) { name symbol decimals }`)
    return `query (${declared}) { chainIdentifier ${fields.join(" ")} ${clock} }`
  },
  variables: ({ types }) => Object.fromEntries(types.map((type, index) => [`t${index}`, type])),
  response: Schema.Record({ key: Schema.String, value: CoinName })
})

const stakedType = "0x3::staking_pool::StakedSui"

const StakedAmount = Schema.Union(Amount, Schema.Struct({ value: Amount }))

export const Stakes = Page(
  Schema.Struct({
    address: Schema.NonEmptyString,
    contents: Schema.Struct({ json: Schema.Struct({ principal: StakedAmount }) })
  })
)

interface OwnerPage {
  readonly owner: string
  readonly after: string | null
}

export const stakes = Call.graphql("address", {
  note: "The principal of a stake is a Move `Balance`: either the bare value or an object that contains it.",
  document: () => `query ($owner: SuiAddress!, $coin: String!, $stake: ObjectFilter, $after: String) {
  chainIdentifier
  address(address: $owner) {
    balance(coinType: $coin) { totalBalance }
    objects(first: 50, after: $after, filter: $stake) {
      ${pageOf("address contents { json }")}
    }
  }
}`,
  variables: ({ after, owner }: OwnerPage) => ({ owner, coin: CoinType.sui, stake: { type: stakedType }, after }),
  response: Schema.Struct({ address: Schema.Struct({ ...Balance.fields, objects: Stakes }) })
})

const BigIntDigits = Schema.Union(Schema.String.pipe(Schema.pattern(/^\d{1,15}$/)), Schema.NonNegativeInt).pipe(
  Schema.transform(Schema.BigIntFromSelf, { strict: true, decode: BigInt, encode: String })
)

/** MIST per computation unit; the cheapest transaction is charged 1,000 units. */
export const GasPrice = BigIntDigits.pipe(Schema.filter((price) => price > 0n && price * 1_000n <= sui.maxTransferFee))

/** Rows per page of coin objects. */
export const coinsPerPage = 50

export const context = Call.graphql("address", {
  document: () =>
    `query ($owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter, $type: String!) { chainIdentifier checkpoint { timestamp } epoch { epochId referenceGasPrice } address(address: $owner) { balance(coinType: $type) { totalBalance addressBalance } objects(first: $first, after: $after, filter: $filter) { ${pageOf(coinFields)} } } }`,
  variables: ({ after, owner }: OwnerPage) => ({
    owner,
    first: coinsPerPage,
    after,
    filter: { type: `0x2::coin::Coin<${CoinType.sui}>` },
    type: CoinType.sui
  }),
  response: Schema.Struct({
    chainIdentifier: Schema.String,
    checkpoint: Clock,
    epoch: Schema.Struct({ epochId: Count, referenceGasPrice: GasPrice }),
    address: Schema.Struct({
      balance: Schema.Struct({ totalBalance: Digits, addressBalance: Schema.NullOr(Digits) }),
      objects: Page(Coin)
    })
  })
})

const Config = Schema.Struct({ value: BigIntDigits })
export const Configs = Schema.Struct({ computation: Config, byte: Config, storage: Config, rebate: Config })

export const fees = Call.graphql("epoch", {
  document: () =>
    `query { chainIdentifier epoch { referenceGasPrice protocolConfigs { computation: config(key: "base_tx_cost_fixed") { value } byte: config(key: "obj_data_cost_refundable") { value } storage: config(key: "storage_gas_price") { value } rebate: config(key: "storage_rebate_rate") { value } } } }`,
  variables: none,
  response: Schema.Struct({ epoch: Schema.Struct({ referenceGasPrice: GasPrice, protocolConfigs: Configs }) })
})

export const Newest = Schema.Struct({
  sequenceNumber: Checkpoint,
  timestamp: Schema.String,
  epoch: Schema.NullishOr(Schema.Struct({ epochId: Schema.NonNegativeInt, startTimestamp: Schema.String }))
})

const checkpoint = "checkpoint { sequenceNumber timestamp epoch { epochId startTimestamp } }"

export const newest = Call.graphql("checkpoint", {
  perOpen: { balance: 2, history: "varies" },
  document: () => `query { chainIdentifier ${checkpoint} }`,
  variables: none,
  response: Schema.Struct({ checkpoint: Newest })
})

export const Checkpointed = Schema.NullOr(
  Schema.Struct({
    digest: Schema.String,
    effects: Schema.Struct({
      status: Schema.Literal("SUCCESS", "FAILURE"),
      timestamp: Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text)))),
      checkpoint: Schema.NullOr(Schema.Struct({ sequenceNumber: Checkpoint })),
      gasEffects: GasEffects
    })
  })
)

export const statuses = Call.graphql("multiGetTransactions", {
  note: "Checkpoints are final. A host may index transactions later than checkpoints. Hosts limit the size of a response.",
  document: () =>
    `query ($keys: [String!]!) { chainIdentifier multiGetTransactions(keys: $keys) { digest effects { status timestamp checkpoint { sequenceNumber } gasEffects { gasSummary { computationCost storageCost storageRebate } } } } ${checkpoint} }`,
  variables: ({ digests }: { readonly digests: ReadonlyArray<string> }) => ({ keys: digests }),
  response: Schema.Struct({ multiGetTransactions: Schema.Array(Checkpointed), checkpoint: Newest })
})

/** Page limit of transactions, and of balance changes per transaction. */
export const transactionsPerPage = 50

const changeFields = pageOf("owner { address } coinType { repr } amount")

const transactionFields = `digest sender { address } gasInput { gasSponsor { address } } kind { __typename } effects { status timestamp checkpoint { sequenceNumber } gasEffects { gasSummary { computationCost storageCost storageRebate } } balanceChanges(first: ${transactionsPerPage}) { ${changeFields} } }`

const rows = `transactions(last: $last, before: $before, filter: $filter) { nodes { ${transactionFields} } pageInfo { hasPreviousPage startCursor } }`

/** A page of the newest transactions, with the oldest of them first. */
export const TransactionPage = Schema.Struct({
  nodes: Schema.Array(undecoded(SuiTransaction)),
  pageInfo: Schema.Struct({ hasPreviousPage: Schema.Boolean, startCursor: maybe(Schema.String) })
})

/** The oldest checkpoint at which a host can filter by address. */
export const Range = Schema.Struct({
  first: Schema.NullOr(
    Schema.Struct({ sequenceNumber: Schema.NonNegativeInt, timestamp: Schema.NullOr(Schema.String) })
  )
})

interface SuiHistoryPage {
  readonly address: string
  readonly last: number
  /** The cursor before which the page ends. */
  readonly before: string | null
  readonly beforeCheckpoint: number | undefined
}

const pageVariables = ({ address, before, beforeCheckpoint, last }: SuiHistoryPage) => ({
  last,
  before,
  filter: { affectedAddress: address, ...(beforeCheckpoint === undefined ? {} : { beforeCheckpoint }) }
})

export const firstTransactions = Call.graphql("transactions", {
  document: () =>
    `query ($last: Int!, $before: String, $filter: TransactionFilter!, $filters: [String!]) { chainIdentifier serviceConfig { availableRange(type: "Query", field: "transactions", filters: $filters) { first { sequenceNumber timestamp } } } ${rows} ${clock} }`,
  variables: (page: SuiHistoryPage) => ({ ...pageVariables(page), filters: ["affectedAddress"] }),
  response: Schema.Struct({
    serviceConfig: Schema.Struct({ availableRange: Range }),
    transactions: TransactionPage,
    checkpoint: Clock
  })
})

export const transactions = Call.graphql("transactions", {
  perOpen: { history: 1 },
  document: () => `query ($last: Int!, $before: String, $filter: TransactionFilter!) { ${rows} }`,
  variables: pageVariables,
  response: Schema.Struct({ transactions: TransactionPage })
})

export const transaction = Call.graphql("transaction", {
  note: "The checkpoint is null for a transaction that was executed, but is in none yet.",
  document: () => `query ($digest: String!) { chainIdentifier transaction(digest: $digest) { ${transactionFields} } }`,
  variables: ({ digest }: { readonly digest: string }) => ({ digest }),
  response: Schema.Struct({ transaction: Schema.NullOr(undecoded(SuiTransaction)) })
})

export const moreChanges = Call.graphql("transactionEffects", {
  ...nextPages(
    "String",
    (digest, after) =>
      `transactionEffects(digest: ${digest}) { balanceChanges(first: ${transactionsPerPage}, after: ${after}) { ${changeFields} } }`
  ),
  response: Schema.Record({ key: Schema.String, value: Schema.Struct({ balanceChanges: SuiBalanceChanges }) })
})
