import * as Option from "effect/Option"
import type { Address, Hex } from "viem"

/** The call data of ERC-20 `balanceOf(holder)`. */
export const encodeBalanceOf = (holder: Address): Hex => `0x70a08231${holder.slice(2).padStart(64, "0")}`

/** The response of a token: exactly 32 bytes. `0x`, which an address without code returns, is none and not zero. */
export const decodeWord = (hex: string): Option.Option<bigint> =>
  /^0x[0-9a-fA-F]{64}$/.test(hex) ? Option.some(BigInt(hex)) : Option.none()

/** A quantity of JSON-RPC, as `eth_getBalance` returns it: `0x0` is zero, `0x` is none. */
export const decodeQuantity = (hex: string): Option.Option<bigint> =>
  /^0x[0-9a-fA-F]{1,64}$/.test(hex) ? Option.some(BigInt(hex)) : Option.none()
