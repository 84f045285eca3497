import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, evmSupply } from "./EvmFacts.ts"

export const ethereumClassic: EvmFacts = {
  id: NetworkId.make("ethereum-classic"),
  name: "Ethereum Classic",
  aliases: ["etc", "classic"],
  family: "evm",
  explorer: (hash) => `https://etc.blockscout.com/tx/${hash}`,
  addressPage: (address) => `https://etc.blockscout.com/address/${address}`,
  finality: 21600,
  blockTime: 13_000,
  chainId: 61,
  shortNames: ["etc"],
  wrapped: "0x1953cab0e5bfa6d4a9bad6e05fd46c1cc6527a5a",
  platform: "ethereum-classic",
  native: {
    coinId: CoinId.make("ethereum-classic"),
    name: "Ethereum Classic",
    symbol: "ETC",
    decimals: 18,
    slip44: 61,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/classic/info/logo.png"
  },
  supply: evmSupply,
  maxTransferFee: 5n * 10n ** 17n,
  genesisTime: seconds(1438269973),
  // Rewards and fees are paid to the miner of a block, and to those of its uncles (ECIP-1017).
  unlisted: ["rewards of miners"],
  firstTransactions: false,
  explorers: { blockscout: "https://etc.blockscout.com" },
  nodes: ["https://etc.rivet.link", "https://0xrpc.io/etc", "https://ethereum-classic-mainnet.gateway.tatum.io"]
}
