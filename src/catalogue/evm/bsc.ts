import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, evmSupply } from "./EvmFacts.ts"

export const bsc: EvmFacts = {
  id: NetworkId.make("bsc"),
  name: "BNB Smart Chain",
  aliases: ["bnb"],
  family: "evm",
  explorer: (hash) => `https://bscscan.com/tx/${hash}`,
  addressPage: (address) => `https://bscscan.com/address/${address}`,
  finality: 120,
  chainId: 56,
  shortNames: ["bnb"],
  wrapped: "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
  platform: "binance-smart-chain",
  llama: "bsc",
  native: {
    coinId: CoinId.make("binancecoin"),
    name: "BNB",
    symbol: "BNB",
    decimals: 18,
    slip44: 714,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/smartchain/info/logo.png"
  },
  supply: evmSupply,
  maxTransferFee: 5n * 10n ** 16n,
  // bnb-chain/bsc#3255.
  minTip: 50_000_000n,
  genesisTime: seconds(1587390414),
  blobsSince: seconds(1_718_863_500),
  explorers: { etherscan: true },
  nodes: ["https://bsc-rpc.publicnode.com", "https://bsc.drpc.org", "https://bsc-dataseed1.bnbchain.org"],
  simulation: true,
  proxy: {
    blockTime: 450,
    testnet: {
      chainId: 97,
      nodes: ["https://bsc-testnet-rpc.publicnode.com", "https://data-seed-prebsc-1-s1.bnbchain.org:8545"]
    }
  }
}
