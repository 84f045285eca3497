import type { Scaling } from "../Multiplier.ts"
import type { Reason } from "../Reason.ts"

/** What a token calls itself, by its contract. Texts are as the chain has them, at most 256 bytes, and not trusted. */
export interface TokenName {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** What somebody can do to a token in other hands, or to all of it. */
export type TokenPower = "freeze" | "take" | "transfer-fee" | "transfer-hook" | "pause" | "upgrade" | "mint"

/** A contract of a token, as its chain has it now. Null numbers and texts could not be read: `unread` says why. */
export interface TokenFacts {
  /** The standard's usual name, such as ERC-20, SPL, Token-2022, TRC-20. */
  readonly standard: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  /** Stored base units. */
  readonly supply: bigint | null
  readonly scaling?: Scaling
  /** True if somebody has the power now; null if that could not be read. A power that the standard lacks is absent. */
  readonly powers: Readonly<Partial<Record<TokenPower, boolean | null>>>
  /** Whether its answers contradict those of a token, such as an allowance between two addresses that have no key. */
  readonly inconsistent?: true
  readonly unread?: { readonly reason: Reason; readonly message: string }
}
