import * as Option from "effect/Option"
import type { Address, Hex } from "viem"

/** The call data of ERC-20 `balanceOf(holder)`. */
export const encodeBalanceOf = (holder: Address): Hex => `0x70a08231${holder.slice(2).padStart(64, "0")}`

/**
 * The first word of a response, of at most 1,024 bytes, as decoders of the ABI read it. `0x`, which an address without code
 * returns, is none and not zero.
 */
export const decodeWord = (hex: string): Option.Option<bigint> =>
  /^0x(?:[0-9a-fA-F]{2}){32,1024}$/.test(hex) ? Option.some(BigInt(hex.slice(0, 66))) : Option.none()

/** A quantity of JSON-RPC, as `eth_getBalance` returns it: `0x0` is zero, `0x` is none. */
export const decodeQuantity = (hex: string): Option.Option<bigint> =>
  /^0x[0-9a-fA-F]{1,64}$/.test(hex) ? Option.some(BigInt(hex)) : Option.none()
