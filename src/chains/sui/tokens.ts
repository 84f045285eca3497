import { sui } from "../../catalogue/sui.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as CoinType from "./CoinType.ts"

/** How the token list of Sui is built. */
export const tokens: PlatformFacts = { platform: sui.platform, canonical: CoinType.canonical }
