import { counted } from "../text/format.ts"
import { t } from "../text/language.ts"
import { goneNetworks, isPartial, type Loading, type PortfolioRow } from "./holdings.ts"

/** Whether a row is a holding: an unknown balance may be a holding, zero is not. */
export const isHolding = ({ row }: PortfolioRow): boolean => row.balance !== "0"

/** Whether at least one balance was read. */
export const isAnyRead = (accounts: Loading["accounts"]): boolean =>
  accounts.some(({ rows }) => rows.some(({ balance }) => balance !== null))

/**
 * Why a list has no lines, from the state of the reading: nothing could be read, nothing matches the filter, all are
 * small, something is missing, or the addresses hold nothing. `existing` are all holdings, also those that are not shown.
 */
export const emptyText = (
  loading: Loading,
  { filter, existing, matches }: { readonly filter: string; readonly existing: number; readonly matches: number }
): string => {
  const { accounts } = loading
  if (existing === 0 && !isAnyRead(accounts)) {
    const [problem = ""] = accounts.flatMap((account) => [
      ...(account.problem === undefined ? [] : [account.problem]),
      ...account.rows.flatMap(({ error }) => (error === undefined ? [] : [`${error}.`]))
    ])
    return `${t("noneRead")} ${problem}`.trimEnd()
  }
  if (existing > 0) return matches > 0 ? t("onlySmall") : t("noneMatches", { text: filter.trim() })
  if (isPartial(loading)) return t("noneKnown")
  const read = new Set(accounts.map(({ network }) => network)).difference(new Set(goneNetworks(loading)))
  return t("noHoldings", { networks: counted(read.size, "networksCount") })
}
