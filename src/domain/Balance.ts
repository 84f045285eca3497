import type { Reason } from "./Reason.ts"

/** An earlier value, to be shown as old. */
export interface LastKnown {
  readonly balance: string
  readonly balanceUsd: string | null
  /** ms */
  readonly at: number
}

/** Why a number is null, for people and for programs. */
export interface MissingBalance {
  readonly error?: string
  readonly errorCode?: Reason
}

/** What one address holds of one asset. Amounts are exact decimal strings; what could not be had is null. */
export interface Balance extends MissingBalance {
  readonly coinId: string
  readonly blockchain: string
  readonly tokenName: string
  readonly tokenSymbol: string
  readonly tokenDecimals: number
  /** Null for native coins. */
  readonly contractAddress: string | null
  /** As the client wrote it. */
  readonly holderAddress: string
  readonly tokenType: "NATIVE" | "TOKEN"
  readonly thumbnail: string
  readonly balance: string | null
  readonly balanceUsd: string | null
  readonly tokenPrice: string | null
  /** When the price was last changed, ms. */
  readonly updatedAt?: number
  readonly priceChange24h?: number
  readonly priceChangePercent24h?: number
  readonly subchain?: string
  readonly lastKnown?: LastKnown
}

/** The answer for a single asset. */
export interface TokenBalance extends MissingBalance {
  readonly balance: string | null
  readonly balanceUsd: string | null
  readonly price: string | null
  readonly lastKnown?: LastKnown
}
