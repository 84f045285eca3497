import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import * as CoinType from "../CoinType.ts"
import { chainIdentifier } from "../providers/graphql/HostReads.ts"
import { Count, Digits, maybe, Page, paged, pageOf, readAllPages, typeName } from "../SuiWire.ts"
import { invalid, query, queryFirst, queryHost, type SuiMethod, single, withFallback } from "./Method.ts"
import * as Params from "./Params.ts"

// Reads of balances, coin types, names and the chain.

const endless: Fault = { reason: "bad_answer", detail: "returned pages without an end" }

/** The id was compared with both ids of the main network, of which newer hosts return the longer. */
export const getChainIdentifier = single(
  query("", "", { chainIdentifier: Schema.NonEmptyString }),
  () => chainIdentifier
)

export const getReferenceGasPrice = single(
  query("", "epoch { referenceGasPrice }", { epoch: Schema.Struct({ referenceGasPrice: Digits }) }),
  ({ epoch }) => epoch.referenceGasPrice
)

export const getLatestCheckpointSequenceNumber = single(
  query("", "checkpoint { sequenceNumber }", { checkpoint: Schema.Struct({ sequenceNumber: Count }) }),
  ({ checkpoint }) => String(checkpoint.sequenceNumber)
)

export const getTotalTransactionBlocks = single(
  query("", "checkpoint { networkTotalTransactions }", {
    checkpoint: Schema.Struct({ networkTotalTransactions: Count })
  }),
  ({ checkpoint }) => String(checkpoint.networkTotalTransactions)
)

/** The address of a SuiNS name; null if the name is not registered. */
export const resolveNameServiceAddress = single(
  query("$name: String!", "address(name: $name) { address }", {
    address: Schema.NullOr(Schema.Struct({ address: Schema.NonEmptyString }))
  }),
  ({ address }) => address?.address ?? null,
  ([name]) => Either.all({ name: Params.text(name, "name") })
)

/** The default name of an address; there is at most one. */
export const resolveNameServiceNames = single(
  query("$address: SuiAddress!", "address(address: $address) { defaultNameRecord { domain } }", {
    address: Schema.NullOr(
      Schema.Struct({ defaultNameRecord: Schema.NullOr(Schema.Struct({ domain: Schema.NonEmptyString })) })
    )
  }),
  ({ address }) => {
    const domain = address?.defaultNameRecord?.domain
    return { data: domain === undefined ? [] : [domain], nextCursor: null, hasNextPage: false }
  },
  ([address]) => Either.all({ address: Params.address(address, "address") })
)

const text = Schema.NullOr(Schema.String)

/** Null for a coin without declared decimals; missing strings are empty, as in the old API. */
export const getCoinMetadata = single(
  query("$type: String!", "coinMetadata(coinType: $type) { address decimals name symbol description iconUrl }", {
    coinMetadata: Schema.NullOr(
      Schema.Struct({
        address: maybe(Schema.String),
        decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))),
        name: text,
        symbol: text,
        description: text,
        iconUrl: text
      })
    )
  }),
  ({ coinMetadata: coin }) => {
    if (coin === null || coin.decimals === null) return null
    const { address = null, decimals, description, iconUrl, name, symbol } = coin
    return { decimals, name: name ?? "", symbol: symbol ?? "", description: description ?? "", iconUrl, id: address }
  },
  ([coinType]) => Either.all({ type: Params.type(coinType) })
)

const supplyQuery = query("$type: String!", "coinMetadata(coinType: $type) { supply }", {
  coinMetadata: Schema.NullOr(Schema.Struct({ supply: Schema.NullOr(Digits) }))
})

export const getTotalSupply: SuiMethod = (hosts, [coinType]) =>
  Effect.gen(function* () {
    const type = yield* Params.type(coinType)
    const { coinMetadata } = yield* queryFirst(hosts, supplyQuery, { type })
    const supply = coinMetadata?.supply ?? null
    return supply === null
      ? yield* invalid(`Cannot find the supply of ${typeName(type)}: it is unknown`)
      : { value: supply }
  })

/** Page limit of coin objects; its square is the page limit of balances. */
const maxPages = 10

const amounts = "coinType { repr } totalBalance addressBalance"
const objects = `objects(first: 50, after: $after, filter: $filter) { ${pageOf("contents { type { repr } }")} }`
const balances = `balances(first: 50, after: $after) { ${pageOf(amounts)} }`

const Type = Schema.Struct({ repr: Schema.NonEmptyString })
const Amount = Schema.Struct({ coinType: Type, totalBalance: Digits, addressBalance: maybe(Digits) })
const Objects = Page(Schema.Struct({ contents: Schema.Struct({ type: Schema.Struct({ repr: Schema.String }) }) }))
const Balances = Page(Amount)

/** A query for the fields of an address. */
const ofOwner = <F extends Schema.Struct.Fields>(declared: string, fields: string, data: F) =>
  query(`$owner: SuiAddress!, $after: String${declared}`, `address(address: $owner) { ${fields} }`, {
    address: Schema.Struct(data)
  })

const objectsQuery = ofOwner(", $filter: ObjectFilter", objects, { objects: Objects })

/**
 * Counts the coin objects of an address per type; undefined if there are too many to count. GraphQL does not return the
 * count, and the last public nodes with JSON-RPC returned 1 for every coin.
 */
const counted = (
  host: Endpoint,
  variables: { readonly owner: string; readonly filter: Readonly<Record<string, unknown>> },
  first: typeof Objects.Type
) =>
  Effect.gen(function* () {
    const { last, rows } = yield* readAllPages(first, maxPages, (after) =>
      Effect.map(queryHost(host, objectsQuery, { ...variables, after }), ({ address }) => address.objects)
    )
    if (paged(last).hasNextPage) return undefined
    const counts = new Map<string, number>()
    for (const { contents } of rows) {
      const type = typeName(contents.type.repr)
      counts.set(type, (counts.get(type) ?? 0) + 1)
    }
    return counts
  })

const toBalance = (counts: ReadonlyMap<string, number> | undefined, balance: typeof Amount.Type) => {
  const type = typeName(balance.coinType.repr)
  return {
    coinType: type,
    ...(counts === undefined ? {} : { coinObjectCount: counts.get(`0x2::coin::Coin<${type}>`) ?? 0 }),
    totalBalance: balance.totalBalance,
    lockedBalance: {},
    ...(typeof balance.addressBalance === "string" ? { fundsInAddressBalance: balance.addressBalance } : {})
  }
}

const balanceQuery = ofOwner(
  ", $type: String!, $filter: ObjectFilter",
  `balance(coinType: $type) { ${amounts} } ${objects}`,
  { balance: Amount, objects: Objects }
)

export const getBalance: SuiMethod = (hosts, [given, coinType]) =>
  Effect.gen(function* () {
    const owner = yield* Params.address(given, "owner")
    const type = yield* Params.type(coinType ?? CoinType.sui)
    const variables = { owner, filter: { type: `0x2::coin::Coin<${type}>` } }
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { address } = yield* queryHost(host, balanceQuery, { ...variables, type, after: null })
        return toBalance(yield* counted(host, variables, address.objects), address.balance)
      })
    )
  })

const allBalancesQuery = ofOwner(", $filter: ObjectFilter", `${balances} ${objects}`, {
  balances: Balances,
  objects: Objects
})
const balancesQuery = ofOwner("", balances, { balances: Balances })

/** Reads all balances or fails: a partial list would look complete. */
export const getAllBalances: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const owner = yield* Params.address(given, "owner")
    const variables = { owner, filter: { type: "0x2::coin::Coin" } }
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { address } = yield* queryHost(host, allBalancesQuery, { ...variables, after: null })
        const counts = yield* counted(host, variables, address.objects)
        const all = yield* readAllPages(address.balances, maxPages * maxPages, (after) =>
          Effect.map(queryHost(host, balancesQuery, { owner, after }), (page) => page.address.balances)
        )
        return paged(all.last).hasNextPage
          ? yield* host.fault(endless)
          : all.rows.map((balance) => toBalance(counts, balance))
      })
    )
  })

/** More pages than a checkpoint can have; a faulty host may return endless pages. */
const maxTransactionPages = 250

const transactions = `transactions(first: 50, after: $after) { ${pageOf("digest")} }`

const gasCosts = ["computationCost", "storageCost", "storageRebate", "nonRefundableStorageFee"] as const

const checkpointFields = `sequenceNumber digest networkTotalTransactions previousCheckpointDigest timestamp artifactsDigest epoch { epochId } rollingGasSummary { ${gasCosts.join(" ")} } validatorSignatures { signature } ${transactions}`

const Transactions = Schema.Struct({ transactions: Page(Schema.Struct({ digest: Schema.NonEmptyString })) })

const Checkpoint = Schema.Struct({
  sequenceNumber: Count,
  digest: Schema.NonEmptyString,
  networkTotalTransactions: Count,
  previousCheckpointDigest: text,
  timestamp: Schema.String.pipe(Schema.filter((time) => !Number.isNaN(Date.parse(time)))),
  artifactsDigest: maybe(Schema.String),
  epoch: Schema.Struct({ epochId: Count }),
  rollingGasSummary: Schema.Record({
    key: Schema.Literal(...gasCosts),
    value: Schema.transform(Count, Schema.String, { strict: true, decode: String, encode: (count) => count })
  }),
  validatorSignatures: Schema.Struct({ signature: Schema.String }),
  ...Transactions.fields
})

/** Reads a checkpoint by number or digest. GraphQL does not return a checkpoint's end-of-epoch data. */
export const getCheckpoint: SuiMethod = (hosts, [id]) =>
  Effect.gen(function* () {
    const key = yield* keyOf(id)
    const read = <A, I>(host: Endpoint, fields: string, data: Schema.Schema<A, I>, after: string | null) =>
      queryHost(
        host,
        query(`$key: ${key.type}!, $after: String`, `checkpoint(${key.name}: $key) { ${fields} }`, {
          checkpoint: data
        }),
        { key: key.value, after }
      )
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { checkpoint } = yield* read(host, checkpointFields, Schema.NullOr(Checkpoint), null)
        if (checkpoint === null) return yield* invalid(`Checkpoint ${key.value} not found`)
        const { last, rows } = yield* readAllPages(checkpoint.transactions, maxTransactionPages, (after) =>
          Effect.map(read(host, transactions, Transactions, after), (page) => page.checkpoint.transactions)
        )
        return paged(last).hasNextPage
          ? yield* host.fault(endless)
          : toCheckpoint(
              checkpoint,
              rows.map(({ digest }) => digest)
            )
      })
    )
  })

const keyOf = (id: unknown) => {
  if (typeof id === "number" ? Number.isSafeInteger(id) && id >= 0 : typeof id === "string" && /^\d{1,15}$/.test(id))
    return Either.right({ name: "sequenceNumber", type: "UInt53", value: Number(id) })
  return Either.map(Params.digest(id, "id"), (value) => ({ name: "digest", type: "String", value }))
}

const toCheckpoint = (checkpoint: typeof Checkpoint.Type, digests: ReadonlyArray<string>) => {
  const { artifactsDigest = null, previousCheckpointDigest: previous } = checkpoint
  return {
    epoch: String(checkpoint.epoch.epochId),
    sequenceNumber: String(checkpoint.sequenceNumber),
    digest: checkpoint.digest,
    networkTotalTransactions: String(checkpoint.networkTotalTransactions),
    ...(previous === null ? {} : { previousDigest: previous }),
    epochRollingGasCostSummary: checkpoint.rollingGasSummary,
    timestampMs: String(Date.parse(checkpoint.timestamp)),
    transactions: digests,
    checkpointCommitments: artifactsDigest === null ? [] : [{ CheckpointArtifactsDigest: artifactsDigest }],
    validatorSignature: checkpoint.validatorSignatures.signature
  }
}
