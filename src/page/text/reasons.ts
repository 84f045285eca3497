import { type components, type Failure, WalletDataError } from "../../client/Client.ts"
import { wordText } from "./format.ts"
import { t } from "./language.ts"

/** Machine-readable reason why a value is null. */
export type ErrorCode = NonNullable<components["schemas"]["Balance"]["errorCode"]>

/** Text of the reason why a value is missing. Returns an unknown code unchanged. */
export const reasonOf = (code: ErrorCode | undefined): string =>
  code === undefined ? t("reasonNone") : wordText("reason_", code)

const temporary: ReadonlyArray<Failure["errorCode"] | undefined> = [
  undefined,
  "timeout",
  "rate_limited",
  "upstream_error",
  "bad_answer"
]

/** True if a retry may help. */
export const isTemporary = (code: (typeof temporary)[number]): boolean => temporary.includes(code)

/** The reason why a request to the service failed, as a sentence. */
export const problemOf = (error: unknown): string => {
  if (!(error instanceof WalletDataError)) return t("problemPage")
  switch (error.kind) {
    case "network":
      return t("problemNetwork")
    case "timeout":
      return t("problemTimeout")
    case "aborted":
      return t("problemAborted")
    case "response":
      return t("problemResponse")
    default: {
      const later = error.retryAfter === undefined ? "" : ` ${t("tryAgainIn", { seconds: error.retryAfter })}`
      return (
        (error.detail ?? t("problemStatus", { status: String(error.status) })) +
        (error.detail?.includes("Try again") ? "" : later)
      )
    }
  }
}
