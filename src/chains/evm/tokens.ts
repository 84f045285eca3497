import * as Either from "effect/Either"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as EvmAddress from "./EvmAddress.ts"

/** Definition of a platform's token list. */
export const tokensOf = (platform: string): PlatformFacts => ({
  platform,
  canonical: (address) => Either.getRight(EvmAddress.parse(address.toLowerCase()))
})
