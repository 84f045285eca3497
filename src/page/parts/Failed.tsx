import type { ComponentChildren } from "preact"
import { readService, service } from "../state/service.ts"
import { useStore } from "../state/useStore.ts"
import { age, sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type ErrorCode, reasonOf } from "../text/reasons.ts"
import { Skeleton } from "./lazy.tsx"

/** The reason why a part of the page could not be read, and a retry button. */
export const Failed = ({ problem, retry }: { readonly problem: string; readonly retry: () => void }) => (
  <div class="panel problems">
    <p role="alert">{problem}</p>
    <button type="button" onClick={retry}>
      {t("retry")}
    </button>
  </div>
)

/** The age of data that was read at this UNIX time in ms and could not be read again. */
export const Stale = ({ at }: { readonly at: number }) => (
  <p class="missing">{t("readAt", { age: age(at, Date.now()) })}</p>
)

/** The place of networks that are being read, or the reason why they could not be read. */
export const NoNetworks = ({ rows }: { readonly rows: number }) => {
  const { problem } = useStore(service)
  return problem === undefined ? <Skeleton kind="line" rows={rows} /> : <Failed problem={problem} retry={readService} />
}

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
