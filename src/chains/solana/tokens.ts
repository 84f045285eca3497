import * as Either from "effect/Either"
import { solana } from "../../catalogue/solana.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as SolanaAddress from "./SolanaAddress.ts"

/** How the list of its tokens is made. */
export const tokens: PlatformFacts = {
  platform: solana.platform,
  canonical: (address) => Either.getRight(SolanaAddress.parse(address))
}
