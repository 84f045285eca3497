import type { BalanceRow } from "./Loading.ts"

/** What a row is worth in the currency of the page. */
export interface Worth {
  readonly value: string | null
  readonly price: string | null
}

/** The one place that knows which fields of a row have its worth. The currency is USD as long as the service has no other. */
export const worthOf = ({ balanceUsd, tokenPrice }: BalanceRow): Worth => ({ value: balanceUsd, price: tokenPrice })

/** The same of what was known earlier. */
export const lastWorthOf = ({ lastKnown }: BalanceRow): string | null => lastKnown?.balanceUsd ?? null
