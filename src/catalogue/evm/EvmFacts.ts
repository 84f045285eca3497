import { CoinId } from "../../domain/CoinId.ts"
import type { NetworkFacts } from "../NetworkFacts.ts"

export type DataFee = "always" | "perhaps"

/** The facts of an EVM network. */
export interface EvmFacts extends NetworkFacts {
  readonly family: "evm"
  readonly chainId: number
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes: ReadonlyArray<string>
  /** Contracts that represent the native coin as a token, in lower case. */
  readonly mirrors?: ReadonlyArray<string>
  /** Time of the first block where it allocates coins to addresses, UNIX seconds; absent where it allocates none. */
  readonly genesis?: number
  /** Since when its transactions may carry blobs (EIP-4844), whose fee is on no list of an explorer; UNIX seconds. */
  readonly blobs?: number
  /** Whether its blocks pay out validators' withdrawals, which are on no list of transactions. */
  readonly withdrawals?: true
  /** False where POST /utils/first-tx does not serve it. */
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
   * Whether transactions pay a data fee for another chain in addition to gas, as on the OP stack. Where it is `perhaps`,
   * fees are read from receipts alone, and a receipt without such a fee means that there is none.
   */
  readonly dataFee?: DataFee
  /** The gas price that a node's pool asks of a legacy transaction at least, percent of the base fee; 100 where absent. */
  readonly leastGasPrice?: bigint
}

/** The supply of no EVM network is limited; this is far above what any of them has. */
export const evmSupply = 2n ** 128n

/** The gas of a plain transfer, where data costs no gas. */
export const transferGas = 21_000n

/** Wei that a unit of gas never costs; see `maxTransferFee`. */
export const maxGasPriceOf = ({ maxTransferFee }: Pick<EvmFacts, "maxTransferFee">): bigint =>
  maxTransferFee / transferGas

/** An address with a long past on most EVM networks: that of vitalik.eth. */
export const evmSample = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** The native coin of Ethereum, and of the networks that settle there. */
export const ether: NetworkFacts["native"] = {
  coinId: CoinId.make("ethereum"),
  name: "Ethereum",
  symbol: "ETH",
  decimals: 18,
  thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
}
