import * as Either from "effect/Either"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as EvmAddress from "./EvmAddress.ts"

/** How the list of a platform's tokens is made. */
export const tokensOf = (platform: string): PlatformFacts => ({
  platform,
  canonical: (address) => Either.getRight(EvmAddress.parse(address.toLowerCase()))
})
