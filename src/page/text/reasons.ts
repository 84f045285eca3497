import { type components, WalletDataError } from "../../client/Client.ts"

/** Why a value is null, as programs read it. */
export type ErrorCode = NonNullable<components["schemas"]["Balance"]["errorCode"]>

const words: Readonly<Record<ErrorCode, string>> = {
  invalid_address: "not an address of this network",
  timeout: "no answer in time",
  rate_limited: "the source accepts no more calls for now",
  upstream_error: "the source could not be reached or has failed",
  bad_answer: "the source sent something unusable",
  sunset: "the network was shut down",
  not_configured: "not set up by the operator",
  no_price: "no source has a current price"
}

/** Why a value is missing, in words; a code that this page does not know yet is shown as it is. */
export const reasonOf = (code: ErrorCode | undefined): string =>
  code === undefined ? "not available" : (words[code] ?? String(code))

/** Whether reading it again may help. */
export const mayPass = (code: ErrorCode | undefined): boolean =>
  code !== "invalid_address" && code !== "sunset" && code !== "not_configured" && code !== "no_price"

/** Why a request to the service has failed, as a sentence. */
export const problemOf = (error: unknown): string => {
  if (!(error instanceof WalletDataError)) return "Something went wrong in this page."
  switch (error.kind) {
    case "network":
      return "The service cannot be reached: the connection failed."
    case "timeout":
      return "The service did not answer in time."
    case "aborted":
      return "The request was stopped."
    case "response":
      return "The answer was cut off or cannot be read."
    default: {
      const later = error.retryAfter === undefined ? "" : ` Try again in ${error.retryAfter} s.`
      return (
        (error.detail ?? `The service answered with status ${error.status}.`) +
        (error.detail?.includes("Try again") ? "" : later)
      )
    }
  }
}
