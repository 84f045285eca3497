import type { Chain } from "viem"
import * as definitions from "viem/chains"

/** Every chain that viem knows. Some hundred kilobytes: loaded only where EXTRA_EVM_NETWORKS asks for one. */
export const chains: ReadonlyArray<Chain> = Object.values(definitions).filter(
  (one): one is Chain & typeof one => typeof one === "object" && "rpcUrls" in one
)
