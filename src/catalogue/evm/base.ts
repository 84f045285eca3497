import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, ether, evmSupply } from "./EvmFacts.ts"

export const base: EvmFacts = {
  id: NetworkId.make("base"),
  name: "Base",
  aliases: [],
  family: "evm",
  explorer: (hash) => `https://basescan.org/tx/${hash}`,
  addressPage: (address) => `https://basescan.org/address/${address}`,
  finality: 1800,
  chainId: 8453,
  shortNames: ["base"],
  wrapped: "0x4200000000000000000000000000000000000006",
  platform: "base",
  llama: "base",
  native: ether,
  supply: evmSupply,
  maxTransferFee: 2n * 10n ** 16n,
  genesisTime: seconds(1686789347),
  explorers: { etherscan: true, blockscout: "https://base.blockscout.com" },
  dataFee: "always",
  nodes: ["https://base-rpc.publicnode.com", "https://base.drpc.org", "https://mainnet.base.org"],
  simulation: true,
  proxy: {
    blockTime: 2000,
    testnet: { chainId: 84532, nodes: ["https://base-sepolia-rpc.publicnode.com", "https://sepolia.base.org"] }
  }
}
