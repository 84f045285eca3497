import type { Chain } from "viem"
import * as definitions from "viem/chains"

/** Every chain that viem knows. Some hundred kilobytes: loaded only where EXTRA_EVM_NETWORKS names a chain. */
export const chains: ReadonlyArray<Chain> = Object.values(definitions).filter(
  (item): item is Chain & typeof item => typeof item === "object" && "rpcUrls" in item
)
