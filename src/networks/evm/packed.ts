import * as Arr from "effect/Array"
import type { Address } from "viem"
import { maxTokensPerCall, packAddresses } from "./scanner/codec.ts"
import type { Question } from "./ways/Way.ts"

/** Packs a list of tokens for the scanner once, however often it is asked for: the list of the registry rarely changes. */
export const make = () => {
  let last: { readonly of: ReadonlyArray<{ readonly address: string }>; readonly packed: Packed } | undefined
  return (tokens: ReadonlyArray<{ readonly address: string }>): Packed => {
    if (last?.of === tokens) return last.packed
    const addresses = tokens.map((token) => token.address as Address)
    const packed = Arr.chunksOf(addresses, maxTokensPerCall).map((chunk) => ({
      tokens: chunk,
      hex: packAddresses(chunk)
    }))
    last = { of: tokens, packed: { tokens: addresses, packed } }
    return last.packed
  }
}

type Packed = Pick<Question, "tokens" | "packed">
