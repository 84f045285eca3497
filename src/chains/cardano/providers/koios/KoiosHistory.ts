import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Gap, gap } from "../../../../domain/history/Gap.ts"
import {
  type HistoryPart,
  type HistoryQuery,
  isRequested,
  newestFirst,
  type Transaction
} from "../../../../domain/Transaction.ts"
import { distance, greatest, Height, height, numberOf, Seconds, seconds, shift } from "../../../../domain/units.ts"
import { each } from "../../../../kernel/each.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import { CurrentPriority } from "../../../../upstream/Priority.ts"
import { BypassCircuit } from "../../../../upstream/Probes.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { byKey, contradictory } from "../../../amounts.ts"
import { by } from "../../../readUntil.ts"
import { isStake, paymentOf, stakeOf } from "../../CardanoAddress.ts"
import { Decimals, Deposit, Hash, Lovelace } from "../../formats.ts"
import { type CardanoLedgerTransaction, concerns, type Flow, toTransaction } from "../../ledger.ts"
import { type CardanoProvider, type LookedUp, notUnderstood } from "../../Provider.ts"
import { AssetList, bodyBytes, unitOf } from "./KoiosBalances.ts"

// Koios API v1 (api.koios.rest): `address_txs` and `account_txs` list hashes, `tx_info` returns many transactions at
// once.

/** Rows of `address_txs` and `account_txs`. */
const Listed = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    block_height: Schema.NullOr(Schema.compose(Schema.NonNegativeInt, Height)),
    block_time: Seconds
  })
)

/** Whether the rows are in the requested order, the newest block first, and have no hash in two blocks. */
const isList = (rows: typeof Listed.Type): boolean => {
  const heightsOf = rows.map(({ block_height }) => block_height ?? genesis)
  const isInOrder = heightsOf.every((block, index) => index === 0 || block <= (heightsOf[index - 1] ?? block))
  return isInOrder && ![...byKey(rows.map((row) => [row.tx_hash, row])).values()].includes(undefined)
}

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

/** A row of `tx_info`. */
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

const toLedgered = (row: typeof TransactionInfo.Type): CardanoLedgerTransaction => ({
  hash: row.tx_hash,
  timestamp: row.tx_timestamp,
  height: row.block_height,
  index: row.tx_block_index ?? 0,
  fee: row.fee,
  deposit: row.deposit ?? 0n,
  valid: isValid(row),
  delegates: row.certificates?.some(({ type }) => type.endsWith("delegation")) ?? false,
  inputs: row.inputs.map(flow),
  outputs: row.outputs.map(flow),
  collateral: row.collateral_inputs?.map(flow) ?? [],
  rewards: row.withdrawals?.map(({ amount, stake_addr }) => ({ account: stake_addr, lovelace: amount })) ?? []
})

const flow = ({ asset_list, payment_addr, stake_addr, tx_hash, tx_index, value }: typeof Output.Type): Flow => ({
  output: tx_hash == null || tx_index == null ? undefined : `${tx_hash}#${tx_index}`,
  address: payment_addr.bech32,
  account: stake_addr ?? undefined,
  lovelace: value,
  assets: asset_list?.map((asset) => ({ unit: unitOf(asset), quantity: asset.quantity, ...decimalsIn(asset) })) ?? []
})

/** Zero is also returned if the decimals are unknown. */
const decimalsIn = ({ decimals }: { readonly decimals?: unknown }) =>
  isDecimals(decimals) && decimals > 0 ? { decimals } : {}

/** The decimals of the assets in transactions. */
const decimalsOf = (all: ReadonlyArray<CardanoLedgerTransaction>) => {
  const assets = all.flatMap(({ inputs, outputs }) => [...inputs, ...outputs].flatMap((flow) => flow.assets))
  return new Map(
    assets.flatMap(({ decimals, unit }) => (decimals === undefined ? [] : [[unit, Either.right(decimals)] as const]))
  )
}

/** Additional rows, to get all transactions of the last block: within a block the list is unordered. */
const spare = 50

const pageSize = 1000

/** Without `_scripts`, Koios returns neither collateral nor the result of a contract. */
const parts = { _inputs: true, _assets: true, _withdrawals: true, _certs: true, _scripts: true }

/** Transactions per call: as many as fit into a body. */
const perCall = Math.floor((bodyBytes - JSON.stringify({ _tx_hashes: [], ...parts }).length + 1) / 67)

const columns =
  "tx_hash,block_height,tx_timestamp,tx_block_index,fee,deposit,collateral_inputs,inputs,outputs,withdrawals,certificates,plutus_contracts"

const IncludedTransaction = Schema.Struct({
  ...TransactionInfo.pick("tx_hash", "block_height", "tx_timestamp", "fee").fields,
  /** Empty without scripts. A source that does not return it does not say whether they failed. */
  plutus_contracts: Schema.Array(Schema.Struct({ valid_contract: Schema.Boolean }))
})

const included = Schema.decodeUnknownOption(IncludedTransaction)

const isValid = ({ plutus_contracts }: Pick<typeof TransactionInfo.Type, "plutus_contracts">) =>
  !plutus_contracts?.some(({ valid_contract }) => valid_contract === false)

const withScripts = { _scripts: true }

/** Transactions per look-up: as many as fit into a body. */
const perLookUp = Math.floor((bodyBytes - JSON.stringify({ _tx_hashes: [], ...withScripts }).length + 1) / 67)

/** Looks up transactions with `tx_info`: a row for each that is in a block. The mempool is not returned. */
export const lookUp =
  (upstream: Upstream): CardanoProvider["lookUp"] =>
  (ids) => {
    const read = (part: ReadonlyArray<string>) => {
      const request = HttpClientRequest.bodyUnsafeJson(
        HttpClientRequest.setUrlParam(
          HttpClientRequest.post("/tx_info"),
          "select",
          "tx_hash,block_height,tx_timestamp,fee,plutus_contracts"
        ),
        { _tx_hashes: part, ...withScripts }
      )
      return Effect.map(Effect.either(upstream.read(request, TransactionInfos)), (rows) => {
        const states = Either.map(rows, (all) => statesIn(upstream, part, all))
        return (id: string) => Either.flatMap(states, (of) => of(id))
      })
    }
    const statesOf = (part: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const first = yield* read(part)
        const open = part.filter((id) => Either.isLeft(first(id)))
        // A row that cannot be read, or is there twice, may be that of any of them.
        const second = open.length === 0 || open.length === part.length ? first : yield* read(open)
        return part.map((id) => (open.includes(id) ? second(id) : first(id)))
      })
    return Effect.map(each(Arr.chunksOf(ids, perLookUp), statesOf, 4), Arr.flatten)
  }

/** The states of transactions in a list, whose rows are decoded one by one. */
const statesIn = ({ fault }: Upstream, ids: ReadonlyArray<string>, rows: ReadonlyArray<unknown>) => {
  const all = rows.map((row) => Option.filter(included(row), ({ tx_hash }) => ids.includes(tx_hash)))
  const found = byKey(Arr.getSomes(all).map((row) => [row.tx_hash, row]))
  const isClear = all.every(Option.isSome) && ![...found.values()].includes(undefined)
  return (id: string): Either.Either<LookedUp, UpstreamError> => {
    const row = found.get(id)
    if (row === undefined) return isClear ? Either.right(undefined) : Either.left(fault(notUnderstood))
    const { block_height: height, fee, tx_timestamp: timestamp } = row
    return Either.right({ height, timestamp, fee, valid: isValid(row) })
  }
}

const TransactionInfos = Schema.Array(Schema.Unknown)
const Tip = Schema.NonEmptyArray(Schema.Struct({ block_no: Height }))
const row = Schema.decodeUnknownOption(TransactionInfo)
const isDecimals = Schema.is(Decimals)

/** An existing block with its height and time. */
const anchor = { height: height(8_129_403), time: seconds(1_670_833_300) }

/** A lower bound of the height of blocks since a time: about 0.05 blocks a second, with a margin of a tenth. */
const heightBefore = (since: Seconds) => {
  const elapsed = distance(anchor.time, since)
  return greatest(genesis, shift(anchor.height, Math.floor(elapsed * (elapsed < 0 ? 0.055 : 0.045) - 100)))
}

/** Below the first block that has a height. */
const genesis = height(0)

/** The range to read if the whole list takes too long: about a day. */
const dayOfBlocks = 4_320

/**
 * Koios allows 100 calls in 10 seconds per endpoint; a balance needs two of them. This serves 500 addresses in time.
 */
export const granted: Budget.Granted = { source: "KOIOS", keyless: { perSecond: 10, burst: 60 } }

/**
 * All calls of a history go to two endpoints, most of them to one: each endpoint has a share of the rate that never
 * exceeds a hundred calls in ten seconds.
 */
const permitsOf = ({ burst, perSecond }: Budget.Rate) =>
  Budget.make({ source: "KOIOS", perSecond: 0.45 * perSecond, burst: Math.max(1, 0.9 * burst) }).acquire

/** Blocks above the first height, up to the last one. */
const listRequest = (address: string, limit: number, above: Height, last: Height | undefined) => {
  const parameters = {
    select: "tx_hash,block_height,block_time",
    order: "block_height.desc.nullslast,tx_hash.asc",
    limit: String(Math.min(limit + spare, pageSize)),
    // The genesis block has no height.
    ...(last === undefined ? {} : { or: `(block_height.lte.${numberOf(last)},block_height.is.null)` })
  }
  const after = above > genesis ? { _after_block_height: numberOf(above) } : {}
  return isStake(address)
    ? HttpClientRequest.get("/account_txs").pipe(
        HttpClientRequest.setUrlParams({
          _stake_address: address,
          ...(above > genesis ? { _after_block_height: String(numberOf(above)) } : {}),
          ...parameters
        })
      )
    : HttpClientRequest.post("/address_txs").pipe(
        HttpClientRequest.setUrlParams(parameters),
        HttpClientRequest.bodyUnsafeJson({ _addresses: [address], ...after })
      )
}

/** `tx_info` of one transaction. */
export const transaction =
  (upstream: Upstream): CardanoProvider["transaction"] =>
  (id) => {
    const request = HttpClientRequest.post("/tx_info").pipe(
      HttpClientRequest.setUrlParams({ select: columns }),
      HttpClientRequest.bodyUnsafeJson({ _tx_hashes: [id], ...parts })
    )
    return Effect.flatMap(
      upstream.over((address) => address.read(request, ResponseDecoder.fitting(TransactionInfos, { exact: true }))),
      ([listed, ...others]) =>
        listed === undefined
          ? Effect.succeed(undefined)
          : Option.match(others.length > 0 ? Option.none() : row(listed), {
              onNone: () => Effect.fail(upstream.fault(notUnderstood)),
              onSome: (read) => Effect.succeed(toLedgered(read))
            })
    )
  }

/** The calls that a history consists of. `rate` is the service's rate. */
const calls = (upstream: Upstream, rate: Budget.Rate) => {
  const endpoints = new Map(
    ["/address_txs", "/account_txs", "/tx_info"].map((path) => [path, permitsOf(rate)] as const)
  )

  /** Acquires a permit without a reserve: only these calls go to this endpoint. */
  const permit = ({ url }: HttpClientRequest.HttpClientRequest) =>
    (endpoints.get(url) ?? Effect.void).pipe(
      Effect.mapError(upstream.fault),
      Effect.provideService(CurrentPriority, { reserve: 0 })
    )

  const query = <A, I>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Schema<A, I>) =>
    Effect.zipRight(
      permit(request),
      upstream.over((address) => address.read(request, ResponseDecoder.fitting(schema, { exact: true })))
    )

  /** The hashes of an address, the newest first. */
  const list = (address: string, limit: number, above: Height, last?: Height) =>
    query(listRequest(address, limit, above, last), Listed).pipe(
      Effect.filterOrFail(isList, () => upstream.fault(contradictory))
    )

  /**
   * Koios cannot list all transactions of a very active address in time; it can list those of the last day, or of the
   * day before a height.
   */
  const ofLastDay = (address: string, limit: number, last: Height | undefined, cause: UpstreamError) =>
    Effect.gen(function* () {
      const top = last ?? (yield* query(HttpClientRequest.get("/tip"), Tip))[0].block_no
      const rows = yield* list(address, limit, shift(top, -dayOfBlocks), last)
      return {
        rows,
        cut: [
          gap("older", `transactions before the ${last === undefined ? "last day" : "day of these"}: ${cause.message}`)
        ]
      }
    })

  /** The transactions that could be decoded, in the order of the hashes, of which there are at most {@link perCall}. */
  const transactionsOf = (hashes: ReadonlyArray<string>) =>
    query(
      HttpClientRequest.post("/tx_info").pipe(
        HttpClientRequest.setUrlParams({ select: columns }),
        HttpClientRequest.bodyUnsafeJson({ _tx_hashes: hashes, ...parts })
      ),
      TransactionInfos
    ).pipe(
      Effect.map((rows): ReadonlyArray<CardanoLedgerTransaction> => {
        const all = byKey(Arr.filterMap(rows, (listed) => Option.map(row(listed), (own) => [own.tx_hash, own])))
        return Arr.filterMap(hashes, (hash) => Option.map(Option.fromNullable(all.get(hash)), toLedgered))
      })
    )

  return { list, ofLastDay, transactionsOf }
}

/** `rate` is the service's rate; `proven` fails if an empty list may be a wrong response. */
export const make = (
  upstream: Upstream,
  rate: Budget.Rate,
  confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
): CardanoProvider["history"] => {
  const { list, ofLastDay, transactionsOf } = calls(upstream, rate)

  return (query, until) =>
    Effect.gen(function* () {
      const { address, before, limit, since } = query
      const inTime = by(upstream, until)
      // Of no response: one impossible row would hide the rows of other addresses.
      const above = since === undefined ? genesis : heightBefore(since)
      const { cut, rows } = yield* inTime(list(address, limit, above, before?.height)).pipe(
        Effect.map((rows) => ({ rows, cut: [] as ReadonlyArray<Gap> })),
        Effect.catchIf(
          (error) =>
            since === undefined && error.unsent !== true && (error.reason === "timeout" || error.status === 504),
          (error) =>
            Effect.provideService(inTime(ofLastDay(address, limit, before?.height, error)), BypassCircuit, true)
        )
      )
      if (rows.length === 0 && since === undefined && cut.length === 0) yield* inTime(confirmUse(address))
      const { hashes, wanted } = select(rows, query)
      const chunks = Arr.chunksOf(hashes, perCall)
      const answers = yield* each(chunks, (chunk) => Effect.either(inTime(transactionsOf(chunk))))
      const complete = Arr.takeWhile(answers, Either.isRight).map(({ right }) => right)
      const failed = answers.find(Either.isLeft)?.left
      if (failed !== undefined && complete.length === 0) return yield* failed
      const listed = new Map(rows.map(({ block_height, tx_hash }) => [tx_hash, block_height]))
      const isListed = ({ hash, height }: CardanoLedgerTransaction) => listed.get(hash) === height
      const found = complete.flat().filter((row) => concerns(address)(row) && isListed(row))
      const lost = chunks.slice(0, complete.length).flat().length - found.length
      if (found.length === 0 && lost > 0) return yield* upstream.fault(notUnderstood)
      const transactions = found.map((current) => toTransaction(address, current)).sort(newestFirst)
      const part = toPart(upstream, { transactions, limit, listed: wanted.length, cut, failed, lost })
      return { ...part, decimals: decimalsOf(found) }
    })
}

/**
 * The rows in the requested range, and the hashes to look up: up to the limit, and the rest of that block, or late ones.
 */
const select = (rows: typeof Listed.Type, query: HistoryQuery<Height>) => {
  const { limit, since } = query
  const isWanted = isRequested(query)
  const unique = [...new Map(rows.map((row) => [row.tx_hash, row])).values()]
  const wanted = unique.filter(({ block_time }) => since === undefined || block_time >= since)
  const last = wanted[limit - 1]?.block_height
  const listed = wanted.filter(({ block_height }, index) => index < limit || block_height === last)
  const late = unique
    .filter((row) => since !== undefined && row.block_time < since && isWanted(row.tx_hash, row.block_time))
    .slice(0, Math.max(0, limit - listed.length))
  return { wanted, hashes: [...listed, ...late].map(({ tx_hash }) => tx_hash) }
}

interface KoiosReading {
  readonly transactions: ReadonlyArray<Transaction>
  readonly limit: number
  /** The number of rows in the requested range. */
  readonly listed: number
  readonly cut: ReadonlyArray<Gap>
  readonly failed: UpstreamError | undefined
  readonly lost: number
}

const toPart = (
  { fault, name }: Upstream,
  { cut, failed, limit, listed, lost, transactions }: KoiosReading
): HistoryPart => ({
  transactions: transactions.slice(0, limit),
  more: failed !== undefined || cut.length > 0 || listed > limit || listed === pageSize,
  sources: [name],
  gaps: [
    // Reported only if the limit was not reached.
    ...(listed < limit ? cut : []),
    ...(failed === undefined ? [] : [gap("older", `older transactions: ${failed.message}`)]),
    ...(lost === 0 ? [] : [gap("transactions", `${lost} transactions: ${fault(notUnderstood).message}`)])
  ]
})
