import { useState } from "preact/hooks"
import type { AddressOn } from "../addresses/accounts.ts"
import { lazy } from "../parts/lazy.tsx"

const ValueChart = lazy(() => import("./ValueChart.tsx").then(({ ValueChart: found }) => found))

interface ValueProps {
  readonly addresses: ReadonlyArray<AddressOn>
  /** Whether these are all. */
  readonly isComplete: boolean
}

/** What addresses were worth together; read when it is opened. */
export const ValueOverTime = ({ addresses, isComplete }: ValueProps) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="panel value" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Value over time</summary>
      {isOpen && (isComplete ? <ValueChart addresses={addresses} /> : <p>Finding the networks …</p>)}
    </details>
  )
}
