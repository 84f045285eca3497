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
import { distance, greatest, type Height, height, type Seconds, seconds, shift } from "../../../../domain/units.ts"
import { each } from "../../../../kernel/each.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as Call from "../../../../upstream/Call.ts"
import { CurrentPriority } from "../../../../upstream/Priority.ts"
import { BypassCircuit } from "../../../../upstream/Probes.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { by } from "../../../kit/history/readUntil.ts"
import { byKey, contradictory } from "../../../kit/holdings/amounts.ts"
import { isStake } from "../../CardanoAddress.ts"
import { Decimals } from "../../formats.ts"
import { type CardanoLedgerTransaction, concerns, type Flow, toTransaction } from "../../ledger.ts"
import { type CardanoProvider, notUnderstood } from "../../Provider.ts"
import * as calls from "./calls.ts"
import { unitOf } from "./KoiosAsset.ts"

// Koios API v1 (api.koios.rest): `address_txs` and `account_txs` list hashes, `tx_info` returns many transactions at
// once.

type ListedRows = typeof calls.addressTxs.response.Type
type Info = Option.Option.Value<(typeof calls.txInfo.response.Type)[number]["row"]>

/** Whether the rows are in the requested order, the newest block first, and have no hash in two blocks. */
const isList = (rows: ListedRows): boolean => {
  const heightsOf = rows.map(({ block_height }) => block_height ?? genesis)
  const isInOrder = heightsOf.every((block, index) => index === 0 || block <= (heightsOf[index - 1] ?? block))
  return isInOrder && ![...byKey(rows.map((row) => [row.tx_hash, row])).values()].includes(undefined)
}

const toLedgered = (row: Info): CardanoLedgerTransaction => ({
  hash: row.tx_hash,
  timestamp: row.tx_timestamp,
  height: row.block_height,
  index: row.tx_block_index ?? 0,
  fee: row.fee,
  deposit: row.deposit ?? 0n,
  valid: calls.isValid(row),
  delegates: row.certificates?.some(({ type }) => type.endsWith("delegation")) ?? false,
  inputs: row.inputs.map(flow),
  outputs: row.outputs.map(flow),
  collateral: row.collateral_inputs?.map(flow) ?? [],
  rewards: row.withdrawals?.map(({ amount, stake_addr }) => ({ account: stake_addr, lovelace: amount })) ?? []
})

const flow = ({ asset_list, payment_addr, stake_addr, tx_hash, tx_index, value }: Info["outputs"][number]): Flow => ({
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

const isDecimals = Schema.is(Decimals)

/** Additional rows, to get all transactions of the last block: within a block the list is unordered. */
const spare = 50

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
 * All calls of a history go to two endpoints, most of them to one: each endpoint has a share of the rate that never
 * exceeds a hundred calls in ten seconds.
 */
const permitsOf = ({ burst, perSecond }: Budget.Rate) =>
  Budget.make({ source: "KOIOS", perSecond: 0.45 * perSecond, burst: Math.max(1, 0.9 * burst) }).acquire

/** Looks up one transaction, without a permit of histories. */
export const transaction =
  (upstream: Upstream): CardanoProvider["transaction"] =>
  (id) =>
    Effect.flatMap(Call.reading(upstream, { exact: true })(calls.txInfo, { hashes: [id] }), ([listed, ...others]) =>
      listed === undefined
        ? Effect.succeed(undefined)
        : Option.match(others.length > 0 ? Option.none() : listed.row, {
            onNone: () => Effect.fail(upstream.fault(notUnderstood)),
            onSome: (row) => Effect.succeed(toLedgered(row))
          })
    )

/** The calls that a history consists of. `rate` is the service's rate. */
const limited = (upstream: Upstream, rate: Budget.Rate) => {
  const endpoints = new Map(
    [calls.addressTxs, calls.accountTxs, calls.txInfo].map(({ path }) => [path as string, permitsOf(rate)] as const)
  )
  const unlimited = Call.reading(upstream, { exact: true })

  /** Makes a call with a permit, without a reserve: only these calls go to this endpoint. */
  const read: typeof unlimited = (call, parameters) =>
    (endpoints.get(call.path) ?? Effect.void).pipe(
      Effect.mapError(upstream.fault),
      Effect.provideService(CurrentPriority, { reserve: 0 }),
      Effect.zipRight(unlimited(call, parameters))
    )

  /** The hashes of an address, the newest first. */
  const list = (address: string, limit: number, above: Height, last?: Height) =>
    read(isStake(address) ? calls.accountTxs : calls.addressTxs, {
      address,
      above,
      last,
      limit: Math.min(limit + spare, calls.pageSize)
    }).pipe(Effect.filterOrFail(isList, () => upstream.fault(contradictory)))

  /**
   * Koios cannot list all transactions of a very active address in time; it can list those of the last day, or of the
   * day before a height.
   */
  const ofLastDay = (address: string, limit: number, last: Height | undefined, cause: UpstreamError) =>
    Effect.gen(function* () {
      const top = last ?? (yield* read(calls.tip, {}))[0].height
      const rows = yield* list(address, limit, shift(top, -dayOfBlocks), last)
      return {
        rows,
        cut: [
          gap("older", `transactions before the ${last === undefined ? "last day" : "day of these"}: ${cause.message}`)
        ]
      }
    })

  /** The transactions that could be decoded, in the order of the hashes, of which there are at most `transactionsPerCall`. */
  const transactionsOf = (hashes: ReadonlyArray<string>) =>
    Effect.map(read(calls.txInfo, { hashes }), (rows): ReadonlyArray<CardanoLedgerTransaction> => {
      const all = byKey(Arr.filterMap(rows, ({ row }) => Option.map(row, (own) => [own.tx_hash, own])))
      return Arr.filterMap(hashes, (hash) => Option.map(Option.fromNullable(all.get(hash)), toLedgered))
    })

  return { list, ofLastDay, transactionsOf }
}

/** `rate` is the service's rate; `proven` fails if an empty list may be a wrong response. */
export const make = (
  upstream: Upstream,
  rate: Budget.Rate,
  confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
): CardanoProvider["history"] => {
  const { list, ofLastDay, transactionsOf } = limited(upstream, rate)

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
      const chunks = Arr.chunksOf(hashes, calls.transactionsPerCall)
      const answers = yield* each(chunks, (chunk) => Effect.either(inTime(transactionsOf(chunk))))
      const complete = Arr.takeWhile(answers, Either.isRight).map(({ right }) => right)
      const failed = answers.find(Either.isLeft)?.left
      if (failed !== undefined && complete.length === 0) return yield* failed
      const listed = new Map(rows.map(({ block_height, tx_hash }) => [tx_hash, block_height]))
      const isListed = ({ hash, height }: CardanoLedgerTransaction) => listed.get(hash) === height
      const found = complete.flat().filter((row) => concerns(address)(row) && isListed(row))
      const lost = chunks.slice(0, complete.length).flat().length - found.length
      if (found.length === 0 && lost > 0) return yield* upstream.fault(notUnderstood)
      const transactions = found.map((row) => toTransaction(address, row)).sort(newestFirst)
      const part = toPart(upstream, { transactions, limit, listed: wanted.length, cut, failed, lost })
      return { ...part, decimals: decimalsOf(found) }
    })
}

/**
 * The rows in the requested range, and the hashes to look up: up to the limit, and the rest of that block, or late ones.
 */
const select = (rows: ListedRows, query: HistoryQuery<Height>) => {
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
  more: failed !== undefined || cut.length > 0 || listed > limit || listed === calls.pageSize,
  sources: [name],
  gaps: [
    // Reported only if the limit was not reached.
    ...(listed < limit ? cut : []),
    ...(failed === undefined ? [] : [gap("older", `older transactions: ${failed.message}`)]),
    ...(lost === 0 ? [] : [gap("transactions", `${lost} transactions: ${fault(notUnderstood).message}`)])
  ]
})
