import type { Balance } from "../../domain/Balance.ts"
import type { Currency } from "../../domain/Currency.ts"
import type { Reason } from "../../domain/Reason.ts"
import type { UnknownNetwork } from "../reading.ts"

/** Optional content of rows. */
export interface BalanceOptions {
  /** The currency of `price` and `value`. */
  readonly currency?: Currency | undefined
  /** Whether native coins are broken down, even if that requires further calls. */
  readonly detail?: boolean | undefined
  /** Whether tokens that no list has are read too, and all tokens have a verdict. */
  readonly unlisted?: boolean | undefined
}

/** Why rows are missing: the network is unknown, or its tokens were not read. */
export interface Omission {
  readonly network: string
  /** For people. */
  readonly message: string
  readonly errorCode: Reason | UnknownNetwork["errorCode"]
}

/** The rows of addresses, and why some rows are missing. */
export interface Balances {
  readonly rows: ReadonlyArray<Balance>
  readonly omissions: ReadonlyArray<Omission>
}
