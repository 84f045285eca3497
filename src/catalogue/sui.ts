import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const sui = {
  id: NetworkId.make("sui"),
  name: "Sui",
  aliases: [],
  family: "sui",
  explorer: (hash) => `https://suiscan.xyz/mainnet/tx/${hash}`,
  addressPage: (address) => `https://suiscan.xyz/mainnet/account/${address}`,
  finality: 120,
  platform: "sui",
  llama: "sui",
  caip2: ["sui:mainnet", "sui:35834a8a"],
  native: {
    coinId: CoinId.make("sui"),
    name: "Sui",
    symbol: "SUI",
    decimals: 9,
    slip44: 784,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/sui/info/logo.png"
  },
  // All MIST were created at the start; none are added.
  supply: 10_000_000_000_000_000_000n,
  maxTransferFee: 100_000_000n,
  genesisTime: seconds(1680307200),
  // GraphQL hosts: public nodes no longer offer JSON-RPC.
  nodes: ["https://graphql.mainnet.sui.io/graphql", "https://rpc.ankr.com/http/sui_graphql"],
  proxy: { blockTime: 250, identity: "sui_getChainIdentifier" },
  sampleAddress: "0x02a212de6a9dfa3a69e22387acfbafbb1a9e591bd9d636e7895dcfc8de05f331"
} satisfies SingleFacts
