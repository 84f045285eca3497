import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, ether, evmSupply } from "./EvmFacts.ts"

// The data fee is part of the priority fee, so gas is the whole fee (docs.linea.build, predictable pricing).

export const linea: EvmFacts = {
  id: NetworkId.make("linea"),
  name: "Linea",
  aliases: [],
  family: "evm",
  explorer: (hash) => `https://lineascan.build/tx/${hash}`,
  addressPage: (address) => `https://lineascan.build/address/${address}`,
  finality: 1800,
  chainId: 59144,
  shortNames: ["linea"],
  wrapped: "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
  platform: "linea",
  llama: "linea",
  native: ether,
  supply: evmSupply,
  maxTransferFee: 2n * 10n ** 16n,
  genesisTime: seconds(1688515200),
  explorers: { etherscan: true, blockscout: "https://explorer.linea.build" },
  nodes: ["https://linea-rpc.publicnode.com", "https://linea.drpc.org", "https://rpc.linea.build"],
  proxy: { blockTime: 2000, testnet: { chainId: 59141, nodes: ["https://rpc.sepolia.linea.build"] } }
}
