import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const solana = {
  id: NetworkId.make("solana"),
  name: "Solana",
  aliases: ["sol"],
  family: "solana",
  explorer: (hash) => `https://solscan.io/tx/${hash}`,
  addressPage: (address) => `https://solscan.io/account/${address}`,
  finality: 120,
  platform: "solana",
  llama: "solana",
  caip2: ["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "solana:mainnet"],
  native: {
    coinId: CoinId.make("solana"),
    name: "Solana",
    symbol: "SOL",
    decimals: 9,
    slip44: 501,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/solana/info/logo.png"
  },
  // The supply is not limited: this is the maximum balance of an account.
  supply: 2n ** 64n - 1n,
  maxTransferFee: 500_000n,
  genesisTime: seconds(1584316800),
  nodes: ["https://solana-rpc.publicnode.com", "https://api.mainnet-beta.solana.com"],
  proxy: {
    blockTime: 400,
    identity: "getGenesisHash",
    testnet: { nodes: ["https://api.testnet.solana.com", "https://solana-testnet-rpc.publicnode.com"] }
  },
  sampleAddress: "86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY"
} satisfies SingleFacts
