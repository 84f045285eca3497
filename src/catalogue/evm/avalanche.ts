import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, evmSupply } from "./EvmFacts.ts"

export const avalanche: EvmFacts = {
  id: NetworkId.make("avalanche"),
  name: "Avalanche C-Chain",
  aliases: ["avax"],
  family: "evm",
  explorer: (hash) => `https://snowtrace.io/tx/${hash}`,
  addressPage: (address) => `https://snowtrace.io/address/${address}`,
  finality: 120,
  chainId: 43114,
  shortNames: ["avax"],
  wrapped: "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
  platform: "avalanche",
  llama: "avax",
  native: {
    coinId: CoinId.make("avalanche-2"),
    name: "Avalanche",
    symbol: "AVAX",
    decimals: 18,
    slip44: 9005,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/avalanchec/info/logo.png"
  },
  supply: evmSupply,
  maxTransferFee: 5n * 10n ** 17n,
  genesisTime: seconds(1600732800),
  explorers: { etherscan: true, routescan: true },
  // Atomic transactions (build.avax.network/docs/primary-network).
  unlisted: ["imports from and exports to the P-Chain and the X-Chain"],
  nodes: [
    "https://avalanche-c-chain-rpc.publicnode.com",
    "https://avalanche.drpc.org",
    "https://api.avax.network/ext/bc/C/rpc"
  ],
  simulation: true,
  proxy: {
    blockTime: 1000,
    testnet: {
      chainId: 43113,
      nodes: ["https://avalanche-fuji-c-chain-rpc.publicnode.com", "https://api.avax-test.network/ext/bc/C/rpc"]
    }
  }
}
