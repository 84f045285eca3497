import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { type EvmFacts, ether, evmSupply } from "./EvmFacts.ts"

export const zkevm: EvmFacts = {
  id: NetworkId.make("zkevm"),
  name: "Polygon zkEVM",
  aliases: ["polygon-zkevm"],
  family: "evm",
  explorer: (hash) => `https://zkevm.polygonscan.com/tx/${hash}`,
  addressPage: (address) => `https://zkevm.polygonscan.com/address/${address}`,
  finality: 1800,
  chainId: 1101,
  shortNames: ["zkevm"],
  platform: "polygon-zkevm",
  llama: "polygon_zkevm",
  native: ether,
  supply: evmSupply,
  maxTransferFee: 2n * 10n ** 16n,
  genesisTime: seconds(1679616000),
  /** Its sequencer was switched off on that day; balances moved to Ethereum. */
  sunset: "2026-07-01",
  nodes: []
}
