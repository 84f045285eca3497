import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import type { ContractFacts } from "./EvmContracts.ts"

/** The operator's own test network: its coin has no price, and almost any account holds enough of it to fund others. */
export const testnet: ContractFacts = {
  id: NetworkId.make("operator-testnet"),
  native: {
    coinId: CoinId.make("testnet-coin"),
    name: "Test coin",
    symbol: "TEST",
    decimals: 18,
    thumbnail: ""
  },
  chainId: 31337
}
