import * as Either from "effect/Either"
import { ton } from "../../catalogue/ton.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as TonAddress from "./TonAddress.ts"

/** TEP-64: a jetton that does not declare decimals has nine. */
export const standardDecimals = 9

/** How the token list of TON is built. */
export const tokens: PlatformFacts = {
  platform: ton.platform,
  canonical: (address) => Either.getRight(TonAddress.parse(address)),
  // Both indexers return the decimals that a jetton declares.
  unlisted: { decimals: standardDecimals }
}
