import type { Reason } from "../domain/Reason.ts"

/** Why a coin has no price now, for people. */
export const noPrice = (reason: Reason): string => reasons[reason] ?? reasons.no_price

const reasons: Partial<Record<Reason, string>> & { readonly no_price: string } = {
  no_price: "no source has a current price",
  timeout: "no price source answered in time",
  rate_limited: "the price sources ask for fewer calls",
  upstream_error: "no price source could be reached",
  bad_answer: "no price source gave a usable answer"
}
