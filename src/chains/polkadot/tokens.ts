import { polkadot } from "../../catalogue/polkadot.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as PolkadotAsset from "./PolkadotAsset.ts"

/** How the token list of Polkadot is built. */
export const tokens: PlatformFacts = {
  platform: polkadot.platform,
  canonical: PolkadotAsset.parse,
  unlisted: { decimals: 0 }
}
