import type { Chain } from "viem"
import * as definitions from "viem/chains"

/** All chains of viem. Some hundred kilobytes, so it is loaded only if EXTRA_EVM_NETWORKS names a chain. */
export const chains: ReadonlyArray<Chain> = Object.values(definitions).filter(
  (definition): definition is Chain & typeof definition => typeof definition === "object" && "rpcUrls" in definition
)
