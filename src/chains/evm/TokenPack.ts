import * as Arr from "effect/Array"
import type { Address } from "viem"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import { maxTokensPerCall, packAddresses } from "./scanner/Codec.ts"
import type { BalanceQuery } from "./strategies/BalanceStrategy.ts"

/** Packs the `wanted` tokens of a list for the scanner, once per list: the list of the registry rarely changes. */
export const make = (wanted: (token: RegisteredToken) => boolean) => {
  let last: { readonly of: ReadonlyArray<RegisteredToken>; readonly packed: Packed } | undefined
  return (tokens: ReadonlyArray<RegisteredToken>): Packed => {
    if (last?.of === tokens) return last.packed
    const addresses = tokens.filter(wanted).map((token) => token.address as Address)
    const packed = Arr.chunksOf(addresses, maxTokensPerCall).map((chunk) => ({
      tokens: chunk,
      hex: packAddresses(chunk)
    }))
    last = { of: tokens, packed: { tokens: addresses, packed } }
    return last.packed
  }
}

type Packed = Pick<BalanceQuery, "tokens" | "packed">
