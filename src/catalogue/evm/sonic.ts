import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, evmSupply } from "./EvmFacts.ts"

export const sonic: EvmFacts = {
  id: NetworkId.make("sonic"),
  name: "Sonic",
  aliases: [],
  family: "evm",
  explorer: (hash) => `https://sonicscan.org/tx/${hash}`,
  addressPage: (address) => `https://sonicscan.org/address/${address}`,
  finality: 120,
  blockTime: 600,
  chainId: 146,
  shortNames: ["sonic"],
  platform: "sonic",
  llama: "sonic",
  native: {
    coinId: CoinId.make("sonic-3"),
    name: "Sonic",
    symbol: "S",
    decimals: 18,
    slip44: 10007,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/sonic/info/logo.png"
  },
  supply: evmSupply,
  maxTransferFee: 5n * 10n ** 18n,
  genesisTime: seconds(1730419200),
  firstTransactions: false,
  explorers: { etherscan: true },
  minGasPercent: 105n,
  nodes: ["https://sonic.drpc.org", "https://rpc.soniclabs.com", "https://sonic-json-rpc.stakely.io"]
}
