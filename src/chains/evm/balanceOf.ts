import * as Option from "effect/Option"
import type { Address, Hex } from "viem"

/** The call data of ERC-20 `balanceOf(holder)`. */
export const encodeBalanceOf = (holder: Address): Hex => `0x70a08231${holder.slice(2).padStart(64, "0")}`

/**
 * The first word of a response of 32 to 1,024 bytes, as ABI decoders read it. `0x`, which an address without code
 * returns, decodes to none, not to zero.
 */
export const decodeWord = (hex: string): Option.Option<bigint> =>
  /^0x(?:[0-9a-fA-F]{2}){32,1024}$/.test(hex) ? Option.some(BigInt(hex.slice(0, 66))) : Option.none()

/** A quantity of JSON-RPC, as `eth_getBalance` returns it: `0x0` decodes to zero, `0x` to none. */
export const decodeQuantity = (hex: string): Option.Option<bigint> =>
  /^0x[0-9a-fA-F]{1,64}$/.test(hex) ? Option.some(BigInt(hex)) : Option.none()
