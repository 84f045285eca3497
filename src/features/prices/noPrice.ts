import type { Reason } from "../../domain/Reason.ts"

/** Why a coin has no current price, for people. */
export const noPrice = (reason: Reason): string => reasons[reason] ?? reasons.no_price

const reasons: Partial<Record<Reason, string>> & { readonly no_price: string } = {
  no_price: "no source has a current price",
  timeout: "the price sources timed out",
  rate_limited: "the rate limit of the price sources is reached",
  upstream_error: "no price source could be reached",
  bad_answer: "no price source returned a usable answer"
}
