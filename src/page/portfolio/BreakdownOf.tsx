import { useState } from "preact/hooks"
import { lazy } from "../parts/lazy.tsx"
import { foreign } from "../text/format.ts"
import type { BalanceRow } from "./Loading.ts"

const Parts = lazy(() => import("./Parts.tsx").then(({ Parts: found }) => found))

/** What of a native balance can be spent, and what cannot; read in full when it is opened. */
export const BreakdownOf = ({ row }: { readonly row: BalanceRow }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="breakdown" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary aria-label={`Breakdown of the balance of ${foreign(row.tokenSymbol, 16)}`}>Breakdown</summary>
      {isOpen && <Parts row={row} />}
    </details>
  )
}
