import { type components, WalletDataError } from "../../client/Client.ts"

/** Machine-readable reason why a value is null. */
export type ErrorCode = NonNullable<components["schemas"]["Balance"]["errorCode"]>

const words: Readonly<Record<ErrorCode, string>> = {
  invalid_address: "not an address of this network",
  timeout: "no response in time",
  rate_limited: "the source accepts no more calls for now",
  upstream_error: "the source could not be reached or has failed",
  bad_answer: "the source returned an unusable response",
  sunset: "the network was shut down",
  not_configured: "not configured by the operator",
  no_price: "no source has a current price"
}

/** Text of the reason why a value is missing. Returns an unknown code unchanged. */
export const reasonOf = (code: ErrorCode | undefined): string =>
  code === undefined ? "not available" : (words[code] ?? String(code))

/** True if a retry may help. */
export const isTemporary = (code: ErrorCode | undefined): boolean =>
  code !== "invalid_address" && code !== "sunset" && code !== "not_configured" && code !== "no_price"

/** The reason why a request to the service failed, as a sentence. */
export const problemOf = (error: unknown): string => {
  if (!(error instanceof WalletDataError)) return "Something went wrong in this page."
  switch (error.kind) {
    case "network":
      return "The service cannot be reached: the connection failed."
    case "timeout":
      return "The service did not respond in time."
    case "aborted":
      return "The request was stopped."
    case "response":
      return "The response was cut off or is not readable."
    default: {
      const later = error.retryAfter === undefined ? "" : ` Try again in ${error.retryAfter} s.`
      return (
        (error.detail ?? `The service responded with status ${error.status}.`) +
        (error.detail?.includes("Try again") ? "" : later)
      )
    }
  }
}
