import type { ComponentChildren } from "preact"
import { foreign } from "../text/format.ts"
import { type ErrorCode, reasonOf } from "../text/reasons.ts"

interface MissingProps {
  readonly code: ErrorCode | undefined
  /** What the service says about it. */
  readonly detail?: string | undefined
  /** What was known earlier. */
  readonly children?: ComponentChildren
}

/** In place of a value that is not known: why. */
export const Missing = ({ children, code, detail }: MissingProps) => (
  <span class="missing">
    <span class="reason">{reasonOf(code)}</span>
    {detail !== undefined && <span class="detail">{foreign(detail, 300)}</span>}
    {children}
  </span>
)
