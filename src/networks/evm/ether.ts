import { CoinId } from "../../domain/CoinId.ts"
import type { NetworkInfo } from "../Network.ts"

/** Of no EVM network a last coin is known: these are more than all of them have together, by far. */
export const evmSupply = 2n ** 128n

/** The native coin of Ethereum, and of the networks that settle there. */
export const ether: NetworkInfo["native"] = {
  coinId: CoinId.make("ethereum"),
  name: "Ethereum",
  symbol: "ETH",
  decimals: 18,
  thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/info/logo.png"
}
