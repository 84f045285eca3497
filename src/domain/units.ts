import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

declare const counted: unique symbol

/**
 * A number that counts one thing. It is no `number`, because TypeScript compares any two subtypes of `number` with `<`:
 * a comparison of two kinds, or of a kind with a number, does not compile.
 */
export interface Count {
  readonly [counted]: true
}

const Count = Schema.Int as unknown as Schema.Schema<Count, number>

/** A UNIX time in seconds; no block is older than 1970. */
export const Seconds = (Schema.NonNegativeInt as unknown as typeof Count).pipe(Schema.brand("Seconds"))
export type Seconds = typeof Seconds.Type

/** A UNIX time in milliseconds. */
export const Millis = Count.pipe(Schema.brand("Millis"))
export type Millis = typeof Millis.Type

/** A block height of a network, in the unit of its newest block; networks that count slots or ledgers return those. */
export const Height = Count.pipe(Schema.brand("Height"))
export type Height = typeof Height.Type

/** A slot of Cardano or Solana, which may have no block. */
export const Slot = Count.pipe(Schema.brand("Slot"))
export type Slot = typeof Slot.Type

/** The index of a ledger of XRPL. */
export const LedgerIndex = Count.pipe(Schema.brand("LedgerIndex"))
export type LedgerIndex = typeof LedgerIndex.Type

/** A logical time of TON, which orders transactions and messages. */
export const LogicalTime = Count.pipe(Schema.brand("LogicalTime"))
export type LogicalTime = typeof LogicalTime.Type

/** Where a page of a history ends, in the unit that its network counts pages by. */
export const Position = Count.pipe(Schema.brand("Position"))
export type Position = typeof Position.Type

const of =
  <A extends Count>() =>
  (value: number): A =>
    value as unknown as A

export const seconds = of<Seconds>()
export const millis = of<Millis>()
export const height = of<Height>()
export const slot = of<Slot>()
export const ledgerIndex = of<LedgerIndex>()
export const position = of<Position>()

/** The number, for the wire, texts and arithmetic within one kind. */
export const numberOf = (value: Count): number => value as unknown as number

/** The number; null if the value is absent. */
export const numberOrNull = (value: Count | undefined): number | null => (value === undefined ? null : numberOf(value))

/** The value `by` further, which may be negative. */
export const shift = <A extends Count>(value: A, by: number): A => of<A>()(numberOf(value) + by)

/** How far `to` is after `from`; negative if it is before. */
export const distance = <A extends Count>(from: A, to: A): number => numberOf(to) - numberOf(from)

/** The smallest value; positive infinity of none. */
export const least = <A extends Count>(...values: ReadonlyArray<A>): A => of<A>()(Math.min(...values.map(numberOf)))

/** The largest value; negative infinity of none. */
export const greatest = <A extends Count>(...values: ReadonlyArray<A>): A => of<A>()(Math.max(...values.map(numberOf)))

/** The second that contains a time. */
export const toSeconds = (time: Millis): Seconds => seconds(Math.floor(numberOf(time) / 1000))

/** The first millisecond of a second. */
export const toMillis = (time: Seconds): Millis => millis(numberOf(time) * 1000)

/** The second of an ISO 8601 time; NaN if the text is not a time. */
export const secondsOf = (text: string): Seconds => toSeconds(millis(Date.parse(text)))

/** The current time. */
export const now: Effect.Effect<Millis> = Effect.map(Clock.currentTimeMillis, millis)
