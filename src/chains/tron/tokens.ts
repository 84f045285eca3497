import * as Either from "effect/Either"
import { tron } from "../../catalogue/tron.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as TronAddress from "./TronAddress.ts"

/** Definition of Tron's token list. */
export const tokens: PlatformFacts = {
  platform: tron.platform,
  canonical: (address) => Either.getRight(TronAddress.parse(address))
}
