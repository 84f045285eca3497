import { sui } from "../../catalogue/sui.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as CoinType from "./CoinType.ts"

/** How the list of its tokens is made. */
export const tokens: PlatformFacts = { platform: sui.platform, canonical: CoinType.canonical }
