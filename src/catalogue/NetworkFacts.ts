import type { CoinId } from "../domain/CoinId.ts"
import type { NetworkId } from "../domain/NetworkId.ts"
import type { Seconds } from "../domain/units.ts"

/** Networks of one family have the same protocol. */
export type Family = "evm" | "tron" | "ripple" | "ton" | "utxo" | "solana" | "sui" | "cardano" | "polkadot"

/** A test network whose nodes clients may use. */
export interface TestNetwork {
  /** The id of its chain (EIP-155), if the family has such ids. */
  readonly chainId?: number
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes: ReadonlyArray<string>
}

/** Facts for the node proxy. */
export interface ProxyFacts {
  /** Time between two blocks, ms. */
  readonly blockTime: number
  readonly testnet?: TestNetwork
  /** The method without parameters whose result has the id of the chain (CAIP-2), of families without `chainId`. */
  readonly identity?: string
}

/** The facts of a network. Every list of networks in the service is derived from them. */
export interface NetworkFacts {
  readonly id: NetworkId
  /** Its name in stored keys, if an operator may give its id to another chain later. */
  readonly storedAs?: string
  /** Display name. */
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
    /** Its number in SLIP-44 (github.com/satoshilabs/slips); absent if it has none. */
    readonly slip44?: number
  }
  /** Maximum base units of the native coin that can ever exist: a response with more is wrong. */
  readonly supply: bigint
  /** Bound for the fee of a plain transfer, even in full blocks, base units: a source that returns more is wrong. */
  readonly maxTransferFee: bigint
  /** Time of its first block or shortly before: no transaction is older. */
  readonly genesisTime: Seconds
  /** URL of a transaction at a block explorer; `order` says on which chain it is, if there are several. */
  readonly explorer: (hash: string, order?: number) => string
  /** URL of an address (in canonical form) at a block explorer; absent if unknown. */
  readonly addressPage?: (address: string) => string
  /** Start of an address that people do not compare, such as the prefix of bech32; in lower case. */
  readonly addressPrefixes?: ReadonlyArray<string>
  /** Seconds after which a transaction is final; until then it is read again. */
  readonly finality: number
  /** CoinGecko's asset platform id, if its tokens are listed there. */
  readonly platform?: string
  /** The name of its chain at DefiLlama, which prices tokens by chain and address. */
  readonly llama?: string
  /** The id of the chain (EIP-155), if the family has such ids. */
  readonly chainId?: number
  /** Ids of the chain (CAIP-2), its own before those that some programs use; that of EVM follows from `chainId`. */
  readonly caip2?: ReadonlyArray<string>
  /** The subchain of its balances; only for Polkadot. */
  readonly subchain?: string
  /** Date on which the network was shut down (ISO). If set, only the operator's own nodes are called. */
  readonly sunset?: string
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes?: ReadonlyArray<string>
  /** Average time between two blocks, ms, if it differs from that of `proxy`; see {@link blockTimeOf}. */
  readonly blockTime?: number
  /** Movements of coins that no transaction list contains, in words. */
  readonly unlisted?: ReadonlyArray<string>
  /** Present if clients may use its nodes through the proxy. */
  readonly proxy?: ProxyFacts
  /**
   * `send`: raw transactions are sent and looked up; `lookUp`: only looked up; `added`: both, as an addition to the
   * documented API, which is last in every list. Absent if neither is possible.
   */
  readonly rawTransactions?: "send" | "lookUp" | "added"
}

/** The facts of a network of any family, including families that only a custom build has. */
export interface ChainFacts extends Omit<NetworkFacts, "family" | "maxTransferFee" | "genesisTime"> {
  readonly family: Family | (string & {})
  readonly genesisTime?: Seconds
}

/** The facts of a network that is the only one of its family. */
export interface SingleFacts extends NetworkFacts {
  readonly family: Exclude<Family, "evm" | "utxo">
  readonly platform: string
  /** A publicly known address in canonical form that has received something. */
  readonly sampleAddress: string
  /** Base URLs of its indexers, by their names, which are also the prefixes of their variables. */
  readonly indexers?: Readonly<Record<string, string>>
}

/** Sorts additions to the documented interface last; otherwise, networks stay in their order. */
export const additionsLast = <A>(
  networks: ReadonlyArray<A>,
  factsOf: (network: A) => Pick<ChainFacts, "rawTransactions">
) => networks.toSorted((a, b) => Number(isAdded(factsOf(a))) - Number(isAdded(factsOf(b))))

const isAdded = ({ rawTransactions }: Pick<ChainFacts, "rawTransactions">) => rawTransactions === "added"

/** Average time between two blocks, ms; undefined if unknown. */
export const blockTimeOf = ({ blockTime, proxy }: Pick<NetworkFacts, "blockTime" | "proxy">): number | undefined =>
  blockTime ?? proxy?.blockTime

/** The name of a network in stored keys. */
export const storedAs = ({ id, storedAs = id }: Pick<NetworkFacts, "id" | "storedAs">): string => storedAs
