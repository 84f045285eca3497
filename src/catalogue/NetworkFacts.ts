import type { CoinId } from "../domain/CoinId.ts"
import type { NetworkId } from "../domain/NetworkId.ts"

/** Networks of one family speak the same language. */
export type Family = "evm" | "tron" | "ripple" | "ton" | "utxo" | "solana" | "sui" | "cardano" | "polkadot"

/** The facts of a network: the one place where each of them stands. */
export interface NetworkFacts {
  readonly id: NetworkId
  /** For people. */
  readonly name: string
  /** Other ids that requests may use, lower case. */
  readonly aliases: ReadonlyArray<string>
  readonly family: Family
  readonly native: {
    readonly coinId: CoinId
    readonly name: string
    readonly symbol: string
    readonly decimals: number
    readonly thumbnail: string
  }
  /** More base units of the native coin than these can never exist: an answer with more is wrong. */
  readonly supply: bigint
  /** The page of a transaction at a block explorer. */
  readonly explorer: (hash: string) => string
  /** After so many seconds a transaction is never undone; until then it is asked for anew. */
  readonly finality: number
  /** CoinGecko's asset platform id, where its tokens are listed. */
  readonly platform?: string
  /** The name of its chain at DefiLlama, which prices tokens by chain and address. */
  readonly llama?: string
  /** The id of the chain, where the family has such ids (EIP-155). */
  readonly chainId?: number
  /** As balances name it; only Polkadot has one. */
  readonly subchain?: string
  /** Since when the network is shut down (ISO date). Without addresses of the operator's no upstream is asked. */
  readonly sunset?: string
}

/** The facts of a network that is the only one of its family. */
export interface SingleFacts extends NetworkFacts {
  readonly family: Exclude<Family, "evm" | "utxo">
  readonly platform: string
}
