import * as Layer from "effect/Layer"
import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { Network, type NetworkInfo } from "../Network.ts"
import * as Cardano from "./Cardano.ts"
import { supply } from "./Source.ts"

export const info: NetworkInfo = {
  id: NetworkId.make("cardano"),
  name: "Cardano",
  aliases: ["ada"],
  family: "cardano",
  explorer: (hash) => `https://cardanoscan.io/transaction/${hash}`,
  finality: 43200,
  platform: "cardano",
  native: {
    coinId: CoinId.make("cardano"),
    name: "Cardano",
    symbol: "ADA",
    decimals: 6,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/cardano/info/logo.png"
  },
  supply
}

export const layer = Layer.effect(Network, Cardano.make(info))
