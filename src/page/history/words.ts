import { day, foreign } from "../text/format.ts"
import type { AddressHistory, Entry } from "./histories.ts"

type Flag = NonNullable<Entry["flags"]>[number]

const flagWords: Readonly<Record<Flag, string>> = {
  "zero-value": "moves nothing: perhaps sent only to put an address in front of you",
  lookalike: "looks like an address you have dealt with: compare every character",
  "unknown-token": "of a token that is in no list: anybody can make one of any name"
}

/** What a sign of a trick means; a flag that this page does not know yet is shown as it is. */
export const flagText = (flag: Flag): string => flagWords[flag] ?? foreign(String(flag))

/** What an empty list means. */
export const emptyWords = (histories: ReadonlyArray<AddressHistory>): string =>
  histories.every(({ meta }) => meta?.complete)
    ? "No transactions."
    : "No transactions are known, though there may be some: not every history could be read."

/** How much of a history is there, as a sentence without its end. */
export const completenessOf = ({ entries, meta, state }: AddressHistory): string => {
  if (meta === undefined) return state === "waiting" ? "being read" : "not known"
  const { complete, missing, next, oldest } = meta
  const without = missing.length === 0 ? "" : `; missing: ${missing.map((text) => foreign(text, 300)).join(", ")}`
  if (oldest === null || entries.length === 0)
    return (complete ? "no transactions" : "no transactions known, though there may be some") + without
  const back =
    next === null && complete
      ? `complete, the first is of ${day(oldest)}`
      : `${complete ? "complete" : "read"} back to ${day(oldest)}`
  const open = !complete && missing.length === 0 ? "; others may be missing" : without
  return `${back}${open}`
}
