import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, evmSupply } from "./EvmFacts.ts"

export const polygon: EvmFacts = {
  id: NetworkId.make("polygon"),
  name: "Polygon PoS",
  aliases: ["matic"],
  family: "evm",
  explorer: (hash) => `https://polygonscan.com/tx/${hash}`,
  addressPage: (address) => `https://polygonscan.com/address/${address}`,
  finality: 600,
  chainId: 137,
  shortNames: ["pol", "matic"],
  wrapped: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
  platform: "polygon-pos",
  llama: "polygon",
  native: {
    coinId: CoinId.make("polygon-ecosystem-token"),
    name: "POL",
    symbol: "POL",
    decimals: 18,
    slip44: 966,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/polygon/info/logo.png"
  },
  supply: evmSupply,
  maxTransferFee: 5n * 10n ** 18n,
  // PIP-35 (forum.polygon.technology).
  minTip: 25_000_000_000n,
  genesisTime: seconds(1590824833),
  nativeTokens: ["0x0000000000000000000000000000000000001010"],
  explorers: { etherscan: true, blockscout: "https://polygon.blockscout.com" },
  nodes: ["https://polygon-bor-rpc.publicnode.com", "https://polygon.drpc.org"],
  simulation: true,
  proxy: {
    blockTime: 1750,
    testnet: { chainId: 80002, nodes: ["https://polygon-amoy-bor-rpc.publicnode.com", "https://polygon-amoy.drpc.org"] }
  }
}
