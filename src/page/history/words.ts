import { day, sanitized, wordText } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { AddressHistories, AddressHistory, Entry, Meta } from "./histories.ts"
import { type Activity, isDust, type NativePrices } from "./movements.ts"

type Flag = NonNullable<Entry["flags"]>[number]

/** Meaning of a poisoning flag. Returns an unknown flag unchanged. */
export const flagText = (flag: Flag): string => wordText("flag_", flag)

/** Why a transaction is folded: a flag, or an amount that is worth less than a cent. */
export type FoldReason = Flag | "dust"

/** Why a transaction is folded; empty if it is not. */
export const foldReason = (activity: Activity, prices: NativePrices): ReadonlyArray<FoldReason> =>
  activity.item.entry.flags ?? (isDust(activity, prices) ? ["dust"] : [])

/** What folded transactions are: `2 transactions hidden: their senders imitate addresses that you have used.` */
export const foldText = (all: ReadonlyArray<ReadonlyArray<FoldReason>>): string => {
  const reasons = [...new Set(all.flat())].map((reason) => wordText("hidden_", reason, { count: all.length }))
  return `${t("hidden", { count: all.length })} ${reasons.join("; ")}.`
}

/** True if nothing failed: the list lacks at most what no source lists. */
const isWhole = ({ complete, missing, unlisted = [] }: Meta): boolean =>
  complete || (missing.length > 0 && missing.every((text) => unlisted.includes(text)))

/** Why a list is empty, from the state of the reading: nothing could be read, a part is missing, or nothing happened yet. */
export const emptyText = ({ histories, lookups }: Pick<AddressHistories, "histories" | "lookups">): string => {
  if (histories.every(({ state }) => state === "failed")) {
    const { problem = "" } = histories.find((history) => history.problem !== undefined) ?? {}
    return `${t("noHistoryRead")} ${problem}`.trimEnd()
  }
  const isKnown =
    histories.every(({ meta }) => meta !== undefined && isWhole(meta)) &&
    lookups.every(({ state }) => state !== "failed")
  return t(isKnown ? "noTransactions" : "noKnownTransactions")
}

/** Describes the completeness of a history, as a sentence without a full stop. */
export const completenessOf = ({ entries, meta, state }: AddressHistory): string => {
  if (meta === undefined) return t(state === "waiting" ? "loading" : "unknown")
  const { complete, missing, next, oldest } = meta
  const without =
    missing.length === 0 ? "" : `; ${t("missing", { list: missing.map((text) => sanitized(text, 300)).join(", ") })}`
  if (oldest === null || entries.length === 0) return t(isWhole(meta) ? "emptyHistory" : "emptyKnownHistory") + without
  const key = !complete ? "readBackTo" : next === null ? "completeSince" : "completeBackTo"
  const open = !complete && missing.length === 0 ? `; ${t("othersMissing")}` : without
  return `${t(key, { day: day(oldest) })}${open}`
}
