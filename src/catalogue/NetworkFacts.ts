import type { CoinId } from "../domain/CoinId.ts"
import type { NetworkId } from "../domain/NetworkId.ts"

/** Networks of one family have the same protocol. */
export type Family = "evm" | "tron" | "ripple" | "ton" | "utxo" | "solana" | "sui" | "cardano" | "polkadot"

/** A test network whose nodes clients may use. */
export interface TestNetwork {
  /** The id of its chain, where the family has such ids (EIP-155). */
  readonly chainId?: number
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes: ReadonlyArray<string>
}

/** What the node proxy needs to know of a network. */
export interface ProxyFacts {
  /** Between two blocks, ms. */
  readonly blockTime: number
  readonly testnet?: TestNetwork
}

/** The facts of a network. Every list of networks in the service is derived from them. */
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
  /** Base units of the native coin that can ever exist: an answer with more is wrong. */
  readonly supply: bigint
  /** Base units that a plain transfer never costs, however full the blocks are: a source that returns more is wrong. */
  readonly maxTransferFee: bigint
  /** Time of its first block or shortly before, UNIX seconds: nothing on it is older. */
  readonly began: number
  /** The page of a transaction at a block explorer; its `order` says on which chain it is, where a network has several. */
  readonly explorer: (hash: string, order?: number) => string
  /** The page of an address (in canonical form) at a block explorer; absent where none is known. */
  readonly addressPage?: (address: string) => string
  /** What addresses begin with that people do not compare, such as the prefix of bech32; in lower case. */
  readonly addressPrefixes?: ReadonlyArray<string>
  /** Seconds after which a transaction is never undone; until then it is read again. */
  readonly finality: number
  /** CoinGecko's asset platform id, where its tokens are listed. */
  readonly platform?: string
  /** The name of its chain at DefiLlama, which prices tokens by chain and address. */
  readonly llama?: string
  /** The id of the chain, where the family has such ids (EIP-155). */
  readonly chainId?: number
  /** The subchain of its balances; only Polkadot has one. */
  readonly subchain?: string
  /** Since when the network is shut down (ISO date). Then only the operator's own nodes are called. */
  readonly sunset?: string
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes?: ReadonlyArray<string>
  /** Average time between two blocks, ms, where it is not that of `proxy`; see {@link blockTimeOf}. */
  readonly blockTime?: number
  /** Present where clients may use its nodes through the proxy. */
  readonly proxy?: ProxyFacts
  /**
   * Whether raw transactions are sent and looked up, or only looked up; absent where neither is possible. `added`: both, as an
   * addition of ours to the documented interface, which is last in every list.
   */
  readonly rawTransactions?: "send" | "lookUp" | "added"
}

/** The facts of a network of any family; one of an own build may be of a family that the service does not have. */
export interface ChainFacts extends Omit<NetworkFacts, "family" | "maxTransferFee" | "began"> {
  readonly family: Family | (string & {})
  readonly began?: number
}

/** The facts of a network that is the only one of its family. */
export interface SingleFacts extends NetworkFacts {
  readonly family: Exclude<Family, "evm" | "utxo">
  readonly platform: string
  /** An address in canonical form that has received something, known to the public. */
  readonly sample: string
  /** Base addresses of the services that index it, by their names. */
  readonly indexers?: Readonly<Record<string, string>>
}

/** The networks of the documented interface first, then our additions to it; else in their order. */
export const additionsLast = <A>(
  networks: ReadonlyArray<A>,
  factsOf: (network: A) => Pick<ChainFacts, "rawTransactions">
) => networks.toSorted((a, b) => Number(isAdded(factsOf(a))) - Number(isAdded(factsOf(b))))

const isAdded = ({ rawTransactions }: Pick<ChainFacts, "rawTransactions">) => rawTransactions === "added"

/** Average time between two blocks, ms; undefined where it is not known. */
export const blockTimeOf = ({ blockTime, proxy }: Pick<NetworkFacts, "blockTime" | "proxy">): number | undefined =>
  blockTime ?? proxy?.blockTime
