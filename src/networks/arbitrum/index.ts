import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as Evm from "../evm/Evm.ts"

export const info: Evm.EvmInfo = {
  id: NetworkId.make("arbitrum"),
  name: "Arbitrum One",
  aliases: [],
  family: "evm",
  chainId: 42161,
  platform: "arbitrum-one",
  native: {
    coinId: CoinId.make("ethereum"),
    name: "Ethereum",
    symbol: "ETH",
    decimals: 18,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
  },
  nodes: ["https://arbitrum-one-rpc.publicnode.com", "https://arbitrum.drpc.org", "https://arb1.arbitrum.io/rpc"]
}

export const layer = Evm.layer(info)
