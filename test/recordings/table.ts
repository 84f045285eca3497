import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Call from "../../src/upstream/Call.ts"
import type * as ResponseDecoder from "../../src/upstream/response/ResponseDecoder.ts"
import type { ListedRow } from "../../src/upstream/response/rows.ts"
import { type Exchange, exactText, fixture, recorded, sample } from "../support/fixtures.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Reads a value from the recordings of a row, or returns an Effect that may fail. */
export type Read = (recording: Exchange, ...others: ReadonlyArray<Exchange>) => unknown

/** How a recording is read, and the expected value. */
export interface Row {
  readonly read: Read
  readonly expected: unknown
  readonly shows: string
}

export const row = (read: Read, expected: unknown, shows = ""): Row => ({ read, expected, shows })

class Failure extends Data.Class<{ readonly reasons: ReadonlyArray<string | RegExp> }> {}

/** The expected value of a row that fails for this reason, or with such a message. */
export const fails = (...reasons: ReadonlyArray<string | RegExp>): Failure => new Failure({ reasons })

class FromRecording extends Data.Class<{ readonly of: (recording: Exchange) => unknown }> {}

/** The expected value of a row that is read from the recording itself. */
export const recordedAs = (of: (recording: Exchange) => unknown): FromRecording => new FromRecording({ of })

/** The response as the decoders of calls get it. */
export const responseOf = (recording: Exchange): ResponseDecoder.UpstreamResponse => {
  const pause = recording.response.headers?.["retry-after"]
  return {
    status: recording.response.status,
    text: exactText(recording),
    retryAfter: pause === undefined ? undefined : 1000 * Number(pause)
  }
}

const isListed = (value: unknown): value is ListedRow<unknown> =>
  typeof value === "object" && value !== null && "raw" in value && "row" in value

/** Rows of a list that are decoded alone become their values; null for those that cannot be read. */
const shown = (found: unknown): unknown =>
  Array.isArray(found) ? found.map((each) => (isListed(each) ? Option.getOrNull(each.row) : each)) : found

type AnyCall<P, A, I> = Pick<Call.Call<string, P, unknown, A, I>, "about"> & {
  readonly response: Schema.Schema<A, I>
}

/** Reads a recording by a call, with the decoder of a provider. */
export const by =
  (options: ResponseDecoder.DecodeOptions = {}) =>
  <P, A, I>(call: AnyCall<P, A, I>, parameters: P, convert: (found: A) => unknown = shown): Read =>
  (recording) =>
    Either.map(Call.decoding(call, parameters, options)(responseOf(recording)), convert)

/** The rows of recordings by name, or `provider/name`; several names, separated by ` + `, are read together. */
export type Rows = Readonly<Record<string, Row | ReadonlyArray<Row>>>

const check = ({ expected, read }: Row, recordings: ReadonlyArray<Exchange>) =>
  Effect.gen(function* () {
    const [first, ...others] = recordings
    if (first === undefined) return assert.fail("no recording")
    const value = read(first, ...others)
    const found = yield* Effect.either(Effect.isEffect(value) ? value : Effect.succeed(value))
    if (expected instanceof FromRecording) return assert.deepStrictEqual(Either.getOrThrow(found), expected.of(first))
    if (!(expected instanceof Failure)) return assert.deepStrictEqual(Either.getOrThrow(found), expected)
    const { detail, message = detail, reason } = Either.getOrThrow(Either.flip(found)) as Record<string, string>
    for (const each of expected.reasons)
      if (typeof each === "string") assert.strictEqual(reason, each)
      // A comparison, so that the recording counts as compared.
      else assert.strictEqual(each.test(message ?? "") ? String(each) : message, String(each))
  }) as Effect.Effect<unknown>

const declare = (table: Rows, own: string, exchange: (provider: string, name: string) => Exchange) => {
  const of = (id: string) => {
    const [name = "", provider = own] = id.split("/").reverse()
    return exchange(provider, name)
  }
  for (const [names, rows] of Object.entries(table))
    for (const one of [rows].flat())
      it.scoped([names, one.shows].filter((text) => text !== "").join(": "), () =>
        Effect.suspend(() => check(one, names.split(" + ").map(of)))
      )
}

/** Declares the table of a provider: rows of its samples, and of recordings in the folders of FIXTURES. */
export const recordingsOf = (provider: string, table: { readonly samples?: Rows; readonly recorded?: Rows }): void => {
  if (table.samples !== undefined)
    describe(`a sample of ${provider}`, () => declare(table.samples ?? {}, provider, sample))
  const rows = table.recorded
  if (rows !== undefined) recorded(`a recording of ${provider}`, () => declare(rows, provider, fixture))
}
