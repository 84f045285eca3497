import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as Evm from "../evm/Evm.ts"

export const info: Evm.EvmInfo = {
  id: NetworkId.make("ethereum"),
  name: "Ethereum",
  aliases: ["eth"],
  family: "evm",
  chainId: 1,
  platform: "ethereum",
  native: {
    coinId: CoinId.make("ethereum"),
    name: "Ethereum",
    symbol: "ETH",
    decimals: 18,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
  },
  nodes: [
    "https://ethereum-rpc.publicnode.com",
    "https://public.1rpc.io/eth",
    "https://rpc.mevblocker.io",
    "https://rpc.flashbots.net"
  ]
}

export const layer = Evm.layer(info)
