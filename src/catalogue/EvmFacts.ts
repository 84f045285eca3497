import { CoinId } from "../domain/CoinId.ts"
import type { NetworkFacts } from "./NetworkFacts.ts"

export type DataFee = "always" | "perhaps"

/** The facts of an EVM network. */
export interface EvmFacts extends NetworkFacts {
  readonly family: "evm"
  readonly chainId: number
  /** Public nodes that need no key, the preferred one first. */
  readonly nodes: ReadonlyArray<string>
  /** Contracts that show the native coin as if it were a token, in lower case. */
  readonly mirrors?: ReadonlyArray<string>
  /** Since when there are the coins that its first block gave to people, UNIX seconds; absent where it gave them none. */
  readonly genesis?: number
  /** Whether its blocks pay out what validators withdraw; that is on no list of transactions. */
  readonly withdrawals?: true
  /** False where it is not among the networks whose first transactions the interface tells. */
  readonly firstTransactions?: false
  /** Who knows the transactions of its addresses. */
  readonly explorers?: {
    /** Whether Etherscan's API V2 has it, on whichever plan. */
    readonly etherscan?: boolean
    /** The public instance of Blockscout, without `/api`. */
    readonly blockscout?: string
    /** Whether Routescan has all of it. */
    readonly routescan?: boolean
  }
  /**
   * Whether transactions pay for their data on another chain beside gas, as on the OP stack, so that gas alone is not the
   * fee. Where it is `perhaps`, fees come from receipts alone, and one that names no such fee means that there is none.
   */
  readonly dataFee?: DataFee
  /** Where clients may use its nodes: between two blocks, ms, and the public nodes of its test network. */
  readonly proxy?: {
    readonly blockTime: number
    readonly testnet?: ReadonlyArray<string>
  }
}

/** Of no EVM network a last coin is known: these are more than all of them have together, by far. */
export const evmSupply = 2n ** 128n

/** The native coin of Ethereum, and of the networks that settle there. */
export const ether: NetworkFacts["native"] = {
  coinId: CoinId.make("ethereum"),
  name: "Ethereum",
  symbol: "ETH",
  decimals: 18,
  thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
}
