import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Rules, UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { maxEntries } from "../../domain/TransactionContext.ts"
import { distance, type Height, height, numberOf } from "../../domain/units.ts"
import { readOnce } from "../../kernel/madeOnce.ts"
import {
  closeBrace,
  closeBracket,
  comma,
  endOfString,
  openBrace,
  openBracket,
  quote
} from "../../kernel/text/jsonText.ts"
import * as Call from "../../upstream/Call.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../upstream/response/ResponseSize.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible, isPossible, isWithin } from "../kit/holdings/amounts.ts"
import { requireCurrent, requireHeight } from "../kit/status/currentHead.ts"
import type { Heads, Origin, ReadHead, Unspent, UnspentReading } from "./Provider.ts"

/** Characters per slice: parsing one takes well under a millisecond. */
const sliceLength = 32_768

/** Maximum characters of an element, because an element is always parsed as a whole. */
const maxElement = 65_536

/**
 * Splits a long JSON array into shorter arrays with the same elements in the same order, so that it can be parsed in
 * steps. Yields undefined, and ends, if the text is not an array or has an element that is too long.
 */
export function* jsonSlices(text: string): Generator<string | undefined> {
  let at = text.search(/\S/)
  if (text.charCodeAt(at) !== openBracket) return yield undefined
  let depth = 1
  let from = at + 1
  let begin = from
  for (at = from; at < text.length && depth > 0; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end === -1) return yield undefined
      at = end - 1
    } else if (code === openBracket || code === openBrace) depth++
    else if (code === closeBracket || code === closeBrace) depth--
    else if (code === comma && depth === 1) {
      if (at - begin > maxElement) return yield undefined
      begin = at + 1
      if (at - from >= sliceLength) {
        yield `[${text.slice(from, at)}]`
        from = at + 1
      }
    }
  }
  if (depth > 0 || text.charCodeAt(at - 1) !== closeBracket || at - begin > maxElement) return yield undefined
  if (text.slice(at).trim() !== "") return yield undefined
  yield `[${text.slice(from, at - 1)}]`
}

/** For one request. */
export const sharedHeads: Effect.Effect<Heads> = Effect.sync(() => {
  const heads = new Map<Endpoint, ReadHead>()
  return (endpoint, read) =>
    Effect.suspend(() => {
      const existing = heads.get(endpoint)
      if (existing !== undefined) return existing
      return Effect.flatMap(readOnce(read), (head) => {
        heads.set(endpoint, head)
        return head
      })
    })
})

/** How a kind of indexer returns the outputs of an address. */
export interface UnspentKind {
  readonly head: (endpoint: Endpoint) => ReadHead
  /** `head` is shared by all addresses. */
  readonly read: (
    endpoint: Endpoint,
    facts: UtxoFacts,
    address: string,
    head: ReadHead
  ) => Effect.Effect<UnspentReading, UpstreamError>
  /** The origin of the outputs of a transaction; absent where `read` returns it. */
  readonly originOf?: (endpoint: Endpoint, txid: string) => Effect.Effect<Origin, UpstreamError>
  /** Completes outputs whose scripts `read` does not return. */
  readonly withScripts?: (
    endpoint: Endpoint,
    facts: UtxoFacts,
    address: string,
    outputs: ReadonlyArray<Unspent>
  ) => Effect.Effect<LookedUp>
}

/** Outputs after a look-up of their transactions, and why some of these could not be read. */
interface LookedUp {
  readonly outputs: ReadonlyArray<Unspent>
  readonly failure: UpstreamError | undefined
}

/** The value of a row, only for sorting: it is decoded exactly later. Rows that are not outputs sort first. */
const sizeOf = (row: unknown): number => {
  const size = Predicate.isRecord(row) ? Number(row.value) : Number.NaN
  return Number.isNaN(size) ? Number.POSITIVE_INFINITY : size
}

interface SizedRow {
  readonly row: unknown
  readonly size: number
}

/** The rows with the largest `value`, largest first. */
const largestRows = (rows: ReadonlyArray<SizedRow>): ReadonlyArray<SizedRow> =>
  rows.toSorted((a, b) => b.size - a.size || 0).slice(0, maxEntries)

const sized = (row: unknown): SizedRow => ({ row, size: sizeOf(row) })

/** The largest outputs of a list, and the length of the list. */
interface LargestRows<A> {
  readonly rows: ReadonlyArray<A>
  readonly count: number
}

const decoded = <A, I>(
  list: Schema.Schema<ReadonlyArray<A>, I>,
  largest: ReadonlyArray<SizedRow>
): Either.Either<ReadonlyArray<A>, Fault> =>
  Either.mapLeft(Schema.decodeUnknownEither(list)(largest.map(({ row }) => row)), () => notOutputs)

/** The rows of a response, and whether the source has more of them. */
interface ListedRows {
  readonly rows: ReadonlyArray<unknown>
  readonly more: boolean
}

/** The rows of a list of outputs, of which only the largest are decoded later. */
export const undecoded = <A, I>(_: Schema.Schema<A, I>) =>
  Schema.Array(Schema.Unknown) as unknown as Schema.Schema<ReadonlyArray<unknown>, ReadonlyArray<I>>

/** Decodes a response whose outputs are rows with a `value`; their count is undefined if there are more. */
export const decoding =
  <A, I, L, B>(
    list: Schema.Schema<L, B>,
    row: Schema.Schema<A, I>,
    rowsOf: (listed: L) => ListedRows
  ): ResponseDecoder.Decoder<Pick<LargestRows<A>, "rows"> & { readonly count: number | undefined }> =>
  (response) =>
    Either.flatMap(ResponseDecoder.fitting(list, { exact: true })(response), (listed) => {
      const { more, rows: all } = rowsOf(listed)
      return Either.map(decoded(Schema.Array(row), largestRows(all.map(sized))), (rows) => ({
        rows,
        count: more ? undefined : all.length
      }))
    })

/** Rows that are collected before the largest ones are selected. */
const batch = 4 * maxEntries

/** The text of a response. The number of its JSON values is not limited, because it is parsed in slices. */
const text: ResponseDecoder.Decoder<string> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  return fault === undefined ? Either.right(response.text) : Either.left(fault)
}

const parsed = Option.liftThrowable((slice: string) => JSON.parse(slice) as ReadonlyArray<unknown>)

/**
 * Makes a call whose response is an array of rows with a `value`. An address may have a hundred thousand outputs: they are
 * parsed in slices between other work, and only the largest ones are decoded.
 */
export const readRows = <P, A, I>(
  endpoint: Endpoint,
  call: Call.Call<string, P, unknown, ReadonlyArray<A>, I>,
  parameters: P
): Effect.Effect<LargestRows<A>, UpstreamError> =>
  Effect.gen(function* () {
    const body = yield* endpoint.read(Call.requestOf(call, parameters), text, ResponseSize.proxied)
    let largest: ReadonlyArray<SizedRow> = []
    let count = 0
    let waiting: Array<SizedRow> = []
    for (const slice of jsonSlices(body)) {
      const rows = slice === undefined ? Option.none() : parsed(slice)
      if (Option.isNone(rows)) return yield* endpoint.fault(notOutputs)
      count += rows.value.length
      waiting.push(...rows.value.map(sized))
      if (waiting.length > batch) {
        largest = largestRows([...largest, ...waiting])
        waiting = []
      }
      yield* Effect.yieldNow()
    }
    const rows = yield* Effect.mapError(decoded(call.response, largestRows([...largest, ...waiting])), endpoint.fault)
    return { rows, count }
  })

const notOutputs: Fault = { reason: "bad_answer", detail: "returned outputs in an unexpected format" }

/** The fault of outputs that one address cannot have; none if they are plausible. */
export const faultIn = (facts: UtxoFacts, outputs: ReadonlyArray<Unspent>): Option.Option<Fault> => {
  if (new Set(outputs.map(({ txid, vout }) => `${txid}:${vout}`)).size < outputs.length)
    return Option.some({ reason: "bad_answer", detail: "returned an output twice" })
  const all = outputs.reduce((sum, { value }) => sum + value, 0n)
  return outputs.every(({ value }) => isWithin(facts.transactions.maxAmount)(value)) && isPossible(facts)(all)
    ? Option.none()
    : Option.some(impossible)
}

const older: Fault = { reason: "bad_answer", detail: "returned an output that is older than the chain" }

/** Maximum transactions looked up per address for the same purpose. */
const maxLookUps = 10

/** Reads the transactions of outputs, as far as they can be read; the failure is the first one. */
export const lookUp = <A>(
  outputs: ReadonlyArray<Unspent>,
  read: (txid: string) => Effect.Effect<A, UpstreamError>
): Effect.Effect<{ readonly found: ReadonlyMap<string, A>; readonly failure: UpstreamError | undefined }> =>
  Effect.map(
    Effect.forEach(
      [...new Set(outputs.map(({ txid }) => txid))].slice(0, maxLookUps),
      (txid) => Effect.either(Effect.map(read(txid), (found) => [txid, found] as const)),
      { concurrency: 4 }
    ),
    (read) => {
      const [[failure], found] = Arr.separate(read)
      return { found: new Map(found), failure }
    }
  )

/** The confirmations that an output needs before it can be spent. */
export const maturityOf = ({ coinbaseMaturity, pegOutMaturity = 0 }: Rules, origin: Origin | undefined): number =>
  origin === "other" ? 0 : origin === "pegOut" ? pegOutMaturity : coinbaseMaturity

/**
 * The origin of the outputs of a transaction. The one that moves coins out of the extension block has an output with a
 * witness of version 8 first (LIP-0003).
 */
export const originOf = (isCoinbase: boolean, firstScript: string): Origin =>
  isCoinbase ? "coinbase" : firstScript.startsWith("5820") ? "pegOut" : "other"

/** The origin of an output if only is known whether it is newly mined. */
export const originBy = ({ pegOutMaturity = 0 }: Rules, isCoinbase: boolean, confirmations: number) =>
  isCoinbase ? "coinbase" : confirmations < pegOutMaturity ? undefined : "other"

/** Adds the origin of outputs that may be immature. */
const withOrigins = (
  endpoint: Endpoint,
  outputs: ReadonlyArray<Unspent>,
  rules: Rules,
  originOf: NonNullable<UnspentKind["originOf"]>
): Effect.Effect<LookedUp> =>
  Effect.gen(function* () {
    const isOpen = ({ confirmations, origin }: Unspent) =>
      origin === undefined && confirmations > 0 && confirmations < rules.coinbaseMaturity
    const { failure, found } = yield* lookUp(outputs.filter(isOpen), (txid) => originOf(endpoint, txid))
    const known = outputs.map((output) => (isOpen(output) ? { ...output, origin: found.get(output.txid) } : output))
    return { outputs: known, failure }
  })

/** Adds unknown scripts; `scripts` has those of all outputs of a transaction, by hash. */
export const completed = (
  outputs: ReadonlyArray<Unspent>,
  scripts: ReadonlyMap<string, ReadonlyArray<string> | undefined>
): ReadonlyArray<Unspent> =>
  outputs.map((output) =>
    output.script === null ? { ...output, script: scripts.get(output.txid)?.[output.vout] ?? null } : output
  )

/** Reads the outputs of an address from one indexer of a kind. */
export const read = (
  kind: UnspentKind,
  endpoint: Endpoint,
  facts: UtxoFacts,
  address: string,
  heads: Heads
): Effect.Effect<UnspentReading, UpstreamError> =>
  Effect.gen(function* () {
    const head = heads(endpoint, kind.head(endpoint))
    const [reading, newest] = yield* Effect.all([kind.read(endpoint, facts, address, head), Effect.option(head)], {
      concurrency: 2
    })
    yield* requireHeight(endpoint, facts, reading.height)
    // Not checked if it cannot be read.
    if (Option.isSome(newest)) yield* requireCurrent(endpoint, facts, newest.value.time)
    const fault = faultIn(facts, reading.outputs)
    if (Option.isSome(fault)) return yield* endpoint.fault(fault.value)
    if (reading.outputs.some(({ confirmations }) => confirmations > numberOf(reading.height) + 1))
      return yield* endpoint.fault(older)
    const { originOf, withScripts } = kind
    const listed: LookedUp = { outputs: reading.outputs, failure: undefined }
    const dated =
      originOf === undefined ? listed : yield* withOrigins(endpoint, listed.outputs, facts.transactions, originOf)
    const { failure, outputs } =
      withScripts === undefined || dated.outputs.every(({ script }) => script !== null)
        ? { outputs: dated.outputs, failure: undefined }
        : yield* withScripts(endpoint, facts, address, dated.outputs)
    return { ...reading, outputs, failures: { origin: dated.failure, script: failure } }
  })

/** The height of the chain, derived from a confirmed output; undefined without one. */
export const heightBy = (
  rows: ReadonlyArray<{ readonly height: number; readonly confirmations: number }>
): Height | undefined => {
  const [first] = rows.filter(({ confirmations, height }) => confirmations > 0 && height > 0)
  return first === undefined ? undefined : height(first.height + first.confirmations - 1)
}

/** The confirmations of a transaction in the block of this height; 0 without a block. */
export const confirmationsAt = (tip: Height, block: Height | undefined): number =>
  block === undefined ? 0 : Math.max(distance(block, tip) + 1, 1)
