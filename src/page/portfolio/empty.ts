import { counted } from "../text/format.ts"
import { t } from "../text/language.ts"
import { isPartial, type Loading, type PortfolioRow } from "./holdings.ts"

/** Whether a row is a holding: a balance of zero is none, an unknown one may be. */
export const isHeld = ({ row }: PortfolioRow): boolean => row.balance !== "0"

/** Whether at least one balance was read. */
export const isAnyRead = (accounts: Loading["accounts"]): boolean =>
  accounts.some(({ rows }) => rows.some(({ balance }) => balance !== null))

/**
 * Why a list has no lines, from the state of the reading: nothing could be read, nothing matches the filter, all are
 * small, something is missing, or the addresses hold nothing. `held` are all holdings, also those that are not shown.
 */
export const emptyText = (
  loading: Loading,
  { filter, held, matches }: { readonly filter: string; readonly held: number; readonly matches: number }
): string => {
  const { accounts } = loading
  if (held === 0 && !isAnyRead(accounts)) {
    const { problem = "" } = accounts.find((account) => account.problem !== undefined) ?? {}
    return `${t("noneRead")} ${problem}`.trimEnd()
  }
  if (held > 0) return matches > 0 ? t("onlySmall") : t("noneMatches", { text: filter.trim() })
  if (isPartial(loading)) return t("noneKnown")
  return t("noHoldings", { networks: counted(new Set(accounts.map(({ network }) => network)).size, "networksCount") })
}
