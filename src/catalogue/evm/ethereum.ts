import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, ether, evmSupply } from "./EvmFacts.ts"

export const ethereum: EvmFacts = {
  id: NetworkId.make("ethereum"),
  name: "Ethereum",
  aliases: ["eth"],
  family: "evm",
  explorer: (hash) => `https://etherscan.io/tx/${hash}`,
  addressPage: (address) => `https://etherscan.io/address/${address}`,
  finality: 1200,
  chainId: 1,
  shortNames: ["eth"],
  wrapped: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  platform: "ethereum",
  llama: "ethereum",
  native: ether,
  supply: evmSupply,
  // Five times what was paid in 2022 (ethgasprice.com).
  maxTransferFee: 5n * 10n ** 17n,
  genesisTime: seconds(1438269973),
  genesis: seconds(1_438_269_973),
  unlisted: ["beacon chain withdrawals and tips of block proposers"],
  blobsSince: seconds(1_710_338_135),
  explorers: { etherscan: true, blockscout: "https://eth.blockscout.com", routescan: true },
  nodes: [
    "https://ethereum-rpc.publicnode.com",
    "https://public.1rpc.io/eth",
    "https://rpc.mevblocker.io",
    "https://rpc.flashbots.net"
  ],
  simulation: true,
  proxy: { blockTime: 12000 }
}
