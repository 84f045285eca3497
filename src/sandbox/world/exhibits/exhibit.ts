import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import type { LandmarkFacts } from "../Landmarks.ts"
import type { Contract } from "../World.ts"

/** A transaction of a museum. The simulated upstreams of its family write it in the form of its name. */
export interface Exhibit {
  readonly exhibit: string
  readonly direction: "in" | "out"
  /** Base units of the token, or of the native coin. */
  readonly amount: bigint
  readonly failed: boolean
  /** Token that moves; absent for the native coin. */
  readonly contract?: Contract
  /** Default: a usual fee. */
  readonly fee?: bigint
  /** Amount of the native coin that the transaction also brings in. */
  readonly received?: bigint
}

export type ExhibitFacts = Pick<Partial<EvmFacts>, "genesis" | "dataFee" | "blobsSince" | "chainId"> & LandmarkFacts

/** An outgoing exhibit that moves nothing. */
export const sends = (exhibit: string, more: Partial<Exhibit> = {}): Exhibit => ({
  exhibit,
  direction: "out",
  amount: 0n,
  failed: false,
  ...more
})

/** An incoming exhibit. */
export const receives = (exhibit: string, amount: bigint, more: Partial<Exhibit> = {}): Exhibit => ({
  exhibit,
  direction: "in",
  amount,
  failed: false,
  ...more
})
