// An EVM network needs only its facts, no code.
import { CoinId, type EvmFacts, evmSupply, NetworkId, Units } from "wallet-data"

export const gnosis: EvmFacts = {
  id: NetworkId.make("gnosis"),
  name: "Gnosis",
  aliases: ["xdai"],
  family: "evm",
  chainId: 100,
  platform: "xdai",
  llama: "xdai",
  explorer: (hash) => `https://gnosisscan.io/tx/${hash}`,
  finality: 1800,
  native: { coinId: CoinId.make("xdai"), name: "xDAI", symbol: "XDAI", decimals: 18, thumbnail: "" },
  supply: evmSupply,
  maxTransferFee: 10n ** 18n,
  genesisTime: Units.seconds(1538956800),
  explorers: { etherscan: true, blockscout: "https://gnosis.blockscout.com" },
  nodes: ["https://rpc.gnosischain.com", "https://gnosis-rpc.publicnode.com"]
}
