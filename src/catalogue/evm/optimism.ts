import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, ether, evmSupply } from "./EvmFacts.ts"

export const optimism: EvmFacts = {
  id: NetworkId.make("optimism"),
  name: "OP Mainnet",
  aliases: [],
  family: "evm",
  explorer: (hash) => `https://optimistic.etherscan.io/tx/${hash}`,
  addressPage: (address) => `https://optimistic.etherscan.io/address/${address}`,
  finality: 1800,
  chainId: 10,
  shortNames: ["oeth"],
  wrapped: "0x4200000000000000000000000000000000000006",
  platform: "optimistic-ethereum",
  llama: "optimism",
  native: ether,
  supply: evmSupply,
  maxTransferFee: 2n * 10n ** 16n,
  genesisTime: seconds(1610582400),
  explorers: { etherscan: true, blockscout: "https://explorer.optimism.io", routescan: true },
  dataFee: "always",
  nodes: ["https://optimism-rpc.publicnode.com", "https://optimism.drpc.org", "https://mainnet.optimism.io"],
  simulation: true,
  proxy: {
    blockTime: 2000,
    testnet: {
      chainId: 11155420,
      nodes: ["https://sepolia.optimism.io", "https://optimism-sepolia-rpc.publicnode.com"]
    }
  }
}
