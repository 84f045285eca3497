import { CoinId } from "../../domain/CoinId.ts"
import type { Seconds } from "../../domain/units.ts"
import type { NetworkFacts } from "../NetworkFacts.ts"

export type DataFee = "always" | "perhaps"

/** The facts of an EVM network. */
export interface EvmFacts extends NetworkFacts {
  readonly family: "evm"
  readonly chainId: number
  /** Its short names of EIP-3770 (github.com/ethereum-lists/chains), as in `eth:0x…`. */
  readonly shortNames?: ReadonlyArray<string>
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes: ReadonlyArray<string>
  /** The address of Multicall3 if it is not the usual one. */
  readonly multicall?: `0x${string}`
  /** Contracts that represent the native coin as a token, in lower case. */
  readonly nativeTokens?: ReadonlyArray<string>
  /**
   * The contract that wraps the native coin, in lower case, if it logs no transfer when it mints and burns: no list has
   * these, so they follow from the native coin that it gets and returns.
   */
  readonly wrapped?: string
  /** Time of the first block if it allocates coins to addresses; else absent. */
  readonly genesis?: Seconds
  /** Time since which transactions may carry blobs (EIP-4844); explorers do not list blob fees. */
  readonly blobsSince?: Seconds
  /** False if POST /utils/first-tx does not serve it. */
  readonly firstTransactions?: false
  /** Whether POST /utils/simulate-tx serves it. */
  readonly simulation?: true
  /** The explorers that list the transactions of its addresses. */
  readonly explorers?: {
    /** Whether Etherscan's API V2 serves it, on any plan. */
    readonly etherscan?: boolean
    /** The public instance of Blockscout, without `/api`. */
    readonly blockscout?: string
    /** Whether Routescan has indexed all of it. */
    readonly routescan?: boolean
  }
  /**
   * Whether transactions pay a data fee for another chain in addition to gas, as on the OP stack. If `perhaps`, fees
   * are read only from receipts, and a receipt without such a fee means that none was paid.
   */
  readonly dataFee?: DataFee
  /** Minimum gas price that nodes accept for a legacy transaction, percent of the base fee; 100 if absent. */
  readonly minGasPercent?: bigint
  /** The lowest priority fee that nodes accept, wei; 0 if absent. Blocks have lower ones, of their producers. */
  readonly minTip?: bigint
}

/** Bound for the supply of EVM networks, which do not limit it; far above the supply of any of them. */
export const evmSupply = 2n ** 128n

/** The gas of a plain transfer, if data costs no gas. */
export const transferGas = 21_000n

/** Upper bound for the price of a unit of gas, wei; see `maxTransferFee`. */
export const maxGasPriceOf = ({ maxTransferFee }: Pick<EvmFacts, "maxTransferFee">): bigint =>
  maxTransferFee / transferGas

/** An address with a long history on most EVM networks: vitalik.eth. */
export const evmSample = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** The native coin of Ethereum, and of the networks that settle there. */
export const ether: NetworkFacts["native"] = {
  coinId: CoinId.make("ethereum"),
  name: "Ethereum",
  symbol: "ETH",
  slip44: 60,
  decimals: 18,
  thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
}
