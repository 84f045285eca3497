import { cardano } from "../../catalogue/cardano.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as CardanoAsset from "./CardanoAsset.ts"

/** How Cardano's token list is built. */
export const tokens: PlatformFacts = {
  platform: cardano.platform,
  canonical: CardanoAsset.parse,
  unlisted: { decimals: 0 }
}
