import { day, sanitized } from "../text/format.ts"
import type { AddressHistory, Entry } from "./histories.ts"

type Flag = NonNullable<Entry["flags"]>[number]

const flagWords: Readonly<Record<Flag, string>> = {
  "zero-value": "transfers nothing: perhaps sent only to show you a false address",
  lookalike: "looks like an address that you have used: compare every character",
  "unknown-token": "the token is in no list: anyone can create a token with any name"
}

/** Meaning of a poisoning flag. Returns an unknown flag unchanged. */
export const flagText = (flag: Flag): string => flagWords[flag] ?? sanitized(String(flag))

/** Explains an empty list. */
export const emptyText = (histories: ReadonlyArray<AddressHistory>): string =>
  histories.every(({ meta }) => meta?.complete)
    ? "No transactions."
    : "No transactions are known, though there may be some: not every history could be read."

/** Describes the completeness of a history, as a sentence without a full stop. */
export const completenessOf = ({ entries, meta, state }: AddressHistory): string => {
  if (meta === undefined) return state === "waiting" ? "still loading" : "not known"
  const { complete, missing, next, oldest } = meta
  const without = missing.length === 0 ? "" : `; missing: ${missing.map((text) => sanitized(text, 300)).join(", ")}`
  if (oldest === null || entries.length === 0)
    return (complete ? "no transactions" : "no transactions known, though there may be some") + without
  const back =
    next === null && complete
      ? `complete, first transaction on ${day(oldest)}`
      : `${complete ? "complete" : "read"} back to ${day(oldest)}`
  const open = !complete && missing.length === 0 ? "; others may be missing" : without
  return `${back}${open}`
}
