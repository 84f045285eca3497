import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../catalogue/UtxoFacts.ts"
import { maxEntries } from "../../domain/transactionContext/outputs.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible, isPossible } from "../amounts.ts"

/** An output that is not spent, as an indexer returns it. */
export interface Unspent {
  readonly txid: string
  readonly vout: number
  readonly value: bigint
  /** 0 while its transaction waits in the pool. */
  readonly confirmations: number
  /** Whether it is newly mined; undefined where the indexer does not say it. */
  readonly coinbase: boolean | undefined
  /** The address that it pays; absent where it is the requested one. */
  readonly address?: string
  /** Of an extended key: where the address is derived. */
  readonly path?: string
  /** Its script in hex, where the indexer returns it. */
  readonly script?: string
}

/** The outputs of an address that are not spent, the largest first. */
export interface UnspentReading {
  readonly outputs: ReadonlyArray<Unspent>
  /** The newest block. */
  readonly height: number
  /** How many there are; undefined where there are more than were returned and no source says it. */
  readonly count: number | undefined
}

/** How a kind of indexer returns the outputs of an address. */
export interface UnspentKind {
  readonly read: (endpoint: Endpoint, facts: UtxoFacts, address: string) => Effect.Effect<UnspentReading, UpstreamError>
  /** Whether a transaction is one that brings new coins; absent where `read` returns that. */
  readonly isCoinbase?: (endpoint: Endpoint, txid: string) => Effect.Effect<boolean, UpstreamError>
}

export const TransactionId = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))

/** The value of a row, for comparison alone: it is decoded with all its digits later. */
const sizeOf = (row: unknown) => (Predicate.isRecord(row) ? Number(row.value) : Number.NaN)

/**
 * The largest rows of a list by their `value`, the largest first. An address may have a hundred thousand outputs, of
 * which only these are worth decoding.
 */
const largestRows = (rows: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const sizes = Float64Array.from(rows, sizeOf)
  // Rows that are no outputs come first, so that they are decoded and refused.
  const sorted = sizes.map((size) => (Number.isNaN(size) ? Number.POSITIVE_INFINITY : size)).sort()
  const least = sorted.at(-maxEntries) ?? Number.NEGATIVE_INFINITY
  return rows
    .flatMap((row, index) => ((sizes[index] ?? 0) < least ? [] : [{ row, size: sizes[index] ?? 0 }]))
    .sort((a, b) => b.size - a.size)
    .slice(0, maxEntries)
    .map(({ row }) => row)
}

/** Decodes a response whose outputs are rows with a `value`: the largest of them, and how many there are. */
export const decoding =
  <A, I, B>(
    { exact, list }: { readonly exact: boolean; readonly list: Schema.Schema<ReadonlyArray<unknown>, B> },
    row: Schema.Schema<A, I>
  ): ResponseDecoder.Decoder<{ readonly rows: ReadonlyArray<A>; readonly count: number }> =>
  (response) =>
    Either.gen(function* () {
      const all = yield* ResponseDecoder.fitting(list, { exact })(response)
      const rows = yield* Either.mapLeft(
        Schema.decodeUnknownEither(Schema.Array(row))(largestRows(all)),
        (): Fault => ({ reason: "bad_answer", detail: "returned outputs in an unexpected format" })
      )
      return { rows, count: all.length }
    })

/** What is wrong with outputs that cannot be those of an address. */
export const faultIn = (facts: UtxoFacts, outputs: ReadonlyArray<Unspent>): Option.Option<Fault> => {
  if (new Set(outputs.map(({ txid, vout }) => `${txid}:${vout}`)).size < outputs.length)
    return Option.some({ reason: "bad_answer", detail: "returned an output twice" })
  const all = outputs.reduce((sum, { value }) => sum + value, 0n)
  return outputs.every(({ value }) => value >= 0n) && isPossible(facts)(all) ? Option.none() : Option.some(impossible)
}

/** Transactions that are looked up for an address, to see whether they bring new coins. */
const maxLookUps = 10

/** Completes the outputs of an address, of which it matters whether they are newly mined, with whether they are. */
const withCoinbase = (
  endpoint: Endpoint,
  outputs: ReadonlyArray<Unspent>,
  maturity: number,
  isCoinbase: NonNullable<UnspentKind["isCoinbase"]>
) =>
  Effect.gen(function* () {
    const isOpen = ({ coinbase, confirmations }: Unspent) =>
      coinbase === undefined && confirmations > 0 && confirmations < maturity
    const ids = [...new Set(outputs.filter(isOpen).map(({ txid }) => txid))].slice(0, maxLookUps)
    const found = new Map(
      yield* Effect.forEach(
        ids,
        (id) => Effect.map(Effect.option(isCoinbase(endpoint, id)), (is) => [id, Option.getOrUndefined(is)] as const),
        { concurrency: 4 }
      )
    )
    return outputs.map((output) => (isOpen(output) ? { ...output, coinbase: found.get(output.txid) } : output))
  })

/** Reads the outputs of an address from one indexer of a kind. */
export const read = (
  kind: UnspentKind,
  endpoint: Endpoint,
  facts: UtxoFacts,
  address: string
): Effect.Effect<UnspentReading, UpstreamError> =>
  Effect.gen(function* () {
    const reading = yield* kind.read(endpoint, facts, address)
    const fault = faultIn(facts, reading.outputs)
    if (Option.isSome(fault)) return yield* endpoint.fault(fault.value)
    if (kind.isCoinbase === undefined) return reading
    const outputs = yield* withCoinbase(endpoint, reading.outputs, facts.transactions.coinbaseMaturity, kind.isCoinbase)
    return { ...reading, outputs }
  })

/** The height of the chain by an output that is in a block; undefined where none is. */
export const heightBy = (
  rows: ReadonlyArray<{ readonly height: number; readonly confirmations: number }>
): number | undefined => {
  const [first] = rows.filter(({ confirmations, height }) => confirmations > 0 && height > 0)
  return first === undefined ? undefined : first.height + first.confirmations - 1
}

/** The confirmations of what is in the block of a height; 0 for what is in none. */
export const confirmationsAt = (tip: number, height: number | undefined): number =>
  height === undefined ? 0 : Math.max(tip - height + 1, 1)
