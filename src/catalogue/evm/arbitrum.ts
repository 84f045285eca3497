import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, ether, evmSupply } from "./EvmFacts.ts"

export const arbitrum: EvmFacts = {
  id: NetworkId.make("arbitrum"),
  name: "Arbitrum One",
  aliases: [],
  family: "evm",
  explorer: (hash) => `https://arbiscan.io/tx/${hash}`,
  addressPage: (address) => `https://arbiscan.io/address/${address}`,
  finality: 1800,
  chainId: 42161,
  shortNames: ["arb1"],
  platform: "arbitrum-one",
  llama: "arbitrum",
  native: ether,
  supply: evmSupply,
  maxTransferFee: 2n * 10n ** 16n,
  genesisTime: seconds(1622160000),
  explorers: { etherscan: true, blockscout: "https://arbitrum.blockscout.com" },
  nodes: ["https://arbitrum-one-rpc.publicnode.com", "https://arbitrum.drpc.org", "https://arb1.arbitrum.io/rpc"],
  simulation: true,
  proxy: {
    blockTime: 250,
    testnet: {
      chainId: 421614,
      nodes: ["https://arbitrum-sepolia-rpc.publicnode.com", "https://sepolia-rollup.arbitrum.io/rpc"]
    }
  }
}
