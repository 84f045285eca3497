import * as Schema from "effect/Schema"
import { Seconds } from "../units.ts"

/**
 * A part that a history lacks.
 *
 * - `older`: all transactions before the last one that was returned
 * - `newer`: transactions after the first one that was returned
 * - `transactions`: some transactions
 * - `transfers`: some transfers, of listed or other transactions
 * - `amounts`: some amounts or fees, or the results of transactions
 * - `not_listed`: movements that no source lists
 */
export const Gap = Schema.Struct({
  what: Schema.Literal("older", "newer", "transactions", "transfers", "amounts", "not_listed"),
  /** From this second on, nothing is missing; absent if that is not known. */
  since: Schema.optionalWith(Seconds, { exact: true }),
  /** Present for movements without amounts: lists and charts of coins and tokens are complete without them. */
  of: Schema.optionalWith(Schema.Literal("collectibles"), { exact: true }),
  /** True if a later read would not return it either: the rest can be stored. */
  isFinal: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /** For people. */
  text: Schema.String
})
export type Gap = typeof Gap.Type

export const gap = (what: Gap["what"], text: string, more: Pick<Gap, "isFinal" | "of" | "since"> = {}): Gap => ({
  what,
  ...more,
  text
})

/** A part that no source lists. */
export const notListed = (text: string, since?: Seconds): Gap =>
  gap("not_listed", text, { ...(since === undefined ? {} : { since }), isFinal: true })

/** Movements of NFTs on lists that are not read. */
export const collectibles = (text: string): Gap => gap("not_listed", text, { isFinal: true, of: "collectibles" })

/** Whether amounts of coins or tokens are missing. */
export const isOfAmounts = ({ of }: Gap): boolean => of === undefined

/** Whether a later read may return more. */
export const isOpen = (gaps: ReadonlyArray<Gap>): boolean => gaps.some(({ isFinal }) => isFinal !== true)

export const textsOf = (gaps: ReadonlyArray<Pick<Gap, "text">>): ReadonlyArray<string> => gaps.map(({ text }) => text)

const keyOf = ({ since, text, what }: Gap) => `${what} ${since} ${text}`

/** Each gap once. */
export const union = (...all: ReadonlyArray<ReadonlyArray<Gap>>): ReadonlyArray<Gap> => [
  ...new Map(all.flat().map((each) => [keyOf(each), each])).values()
]
