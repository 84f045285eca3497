import type { Chain } from "viem"
import * as definitions from "viem/chains"

/** Every chain that viem knows. Some hundred kilobytes: loaded only where EXTRA_EVM_NETWORKS names a chain. */
export const chains: ReadonlyArray<Chain> = Object.values(definitions).filter(
  (definition): definition is Chain & typeof definition => typeof definition === "object" && "rpcUrls" in definition
)
