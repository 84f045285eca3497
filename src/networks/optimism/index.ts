import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as Evm from "../evm/Evm.ts"

export const info: Evm.EvmInfo = {
  id: NetworkId.make("optimism"),
  name: "OP Mainnet",
  aliases: [],
  family: "evm",
  chainId: 10,
  platform: "optimistic-ethereum",
  native: {
    coinId: CoinId.make("ethereum"),
    name: "Ethereum",
    symbol: "ETH",
    decimals: 18,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
  },
  nodes: ["https://optimism-rpc.publicnode.com", "https://optimism.drpc.org", "https://mainnet.optimism.io"]
}

export const layer = Evm.layer(info)
