import * as Either from "effect/Either"
import { solana } from "../../catalogue/solana.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as SolanaAddress from "./SolanaAddress.ts"

/** How Solana's token list is built. */
export const tokens: PlatformFacts = {
  platform: solana.platform,
  canonical: (address) => Either.getRight(SolanaAddress.parse(address))
}
