import type { ComponentChildren } from "preact"
import { sanitized } from "../text/format.ts"
import { type ErrorCode, reasonOf } from "../text/reasons.ts"

interface MissingProps {
  readonly code: ErrorCode | undefined
  /** The message of the service. */
  readonly detail?: string | undefined
  /** The last known value. */
  readonly children?: ComponentChildren
}

/** Shows the reason instead of an unknown value. */
export const Missing = ({ children, code, detail }: MissingProps) => (
  <span class="missing">
    <span class="reason">{reasonOf(code)}</span>
    {detail !== undefined && <span class="detail">{sanitized(detail, 300)}</span>}
    {children}
  </span>
)
