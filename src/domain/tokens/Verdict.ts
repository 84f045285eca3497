import * as Schema from "effect/Schema"
import { enumOf } from "../fields.ts"

/** Whether a token is on a list, or looks like a fraud. No word means that it is safe, which cannot be known. */
export const verdicts = ["listed", "unknown", "suspicious"] as const

/**
 * Facts of a token that are reasons for its verdict, or for caution. One of `signs` makes an unlisted token suspicious,
 * and the others are for information.
 *
 * - `not-listed`: no token list has the contract
 * - `link`: its name or symbol is or contains an address of a web page
 * - `claim`: its name or symbol demands an action of the holder: visit, claim, redeem
 * - `lookalike`: its name or symbol looks like that of a listed token of another contract, or of a coin
 * - `hidden-characters`: its name or symbol has characters without width, or control characters
 * - `direction-marks`: its name or symbol has characters that change the direction of text
 * - `source-says-scam`: a source, which is named beside it, marks it as a scam
 * - `inconsistent`: the answers of its contract contradict those of a token
 * - `no-price`: no source has a price
 * - `never-sent`: the holder has received it, and never sent it
 * - `mass-sender`: its sender sent it to thousands of addresses
 * - `frozen`: the holder cannot move it now
 * - `can-be-taken`: somebody else can take it away
 * - `no-name`: its contract says no readable name or symbol
 */
export const signs = [
  "link",
  "claim",
  "lookalike",
  "hidden-characters",
  "direction-marks",
  "source-says-scam",
  "inconsistent"
] as const

export const verdictReasons = [
  "not-listed",
  ...signs,
  "no-price",
  "never-sent",
  "mass-sender",
  "frozen",
  "can-be-taken",
  "no-name"
] as const

export const VerdictOnToken = enumOf(
  "listed: a token list has this contract; unknown: none has it, and nothing else is known against it; suspicious: it has signs of a fraud. No token is called safe.",
  verdicts
)
export type VerdictOnToken = typeof VerdictOnToken.Type

export const VerdictReason = Schema.Literal(...verdictReasons).annotations({ identifier: "VerdictReason" })
export type VerdictReason = typeof VerdictReason.Type

/** A verdict and all its reasons, in the order of `verdictReasons`. */
export interface Judgement {
  readonly verdict: VerdictOnToken
  readonly reasons: ReadonlyArray<VerdictReason>
}
