import * as Option from "effect/Option"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

/**
 * Parses the id of an asset of the Assets pallet to its canonical form. None for contracts of other chains and empty
 * strings, which CoinGecko also lists, and for assets of other pallets, which have no numeric id.
 */
export const parse = (text: string): Option.Option<string> =>
  /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) < 2 ** 32 ? Option.some(text) : Option.none()

/** How the token list of Polkadot is built. */
export const tokens: PlatformFacts = {
  platform: polkadot.platform,
  canonical: parse,
  unlisted: { decimals: 0 },
  confirms: true
}
