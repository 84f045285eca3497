import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as Evm from "../evm/Evm.ts"

export const info: Evm.EvmInfo = {
  id: NetworkId.make("base"),
  name: "Base",
  aliases: [],
  family: "evm",
  chainId: 8453,
  platform: "base",
  native: {
    coinId: CoinId.make("ethereum"),
    name: "Ethereum",
    symbol: "ETH",
    decimals: 18,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
  },
  nodes: ["https://base-rpc.publicnode.com", "https://base.drpc.org", "https://mainnet.base.org"]
}

export const layer = Evm.layer(info)
