import { cardano } from "./cardano.ts"
import { arbitrum } from "./evm/arbitrum.ts"
import { avalanche } from "./evm/avalanche.ts"
import { base } from "./evm/base.ts"
import { bsc } from "./evm/bsc.ts"
import type { EvmFacts } from "./evm/EvmFacts.ts"
import { ethereum } from "./evm/ethereum.ts"
import { ethereumClassic } from "./evm/ethereumClassic.ts"
import { linea } from "./evm/linea.ts"
import { optimism } from "./evm/optimism.ts"
import { polygon } from "./evm/polygon.ts"
import { sonic } from "./evm/sonic.ts"
import { zkevm } from "./evm/zkevm.ts"
import { additionsLast, type SingleFacts } from "./NetworkFacts.ts"
import { polkadot } from "./polkadot.ts"
import { ripple } from "./ripple.ts"
import { solana } from "./solana.ts"
import { sui } from "./sui.ts"
import { ton } from "./ton.ts"
import { tron } from "./tron.ts"
import { bch } from "./utxo/bch.ts"
import { bitcoin } from "./utxo/bitcoin.ts"
import { dogecoin } from "./utxo/dogecoin.ts"
import { litecoin } from "./utxo/litecoin.ts"
import type { UtxoFacts } from "./utxo/UtxoFacts.ts"

/** The facts of a network of any family. */
export type AnyFacts = EvmFacts | UtxoFacts | SingleFacts

/** The registered networks, in the order of `GET /networks`: one line per network. */
export const all: ReadonlyArray<AnyFacts> = [
  ethereum,
  optimism,
  bsc,
  ethereumClassic,
  polygon,
  zkevm,
  sonic,
  base,
  arbitrum,
  avalanche,
  linea,
  tron,
  bitcoin,
  bch,
  litecoin,
  dogecoin,
  cardano,
  solana,
  sui,
  ton,
  ripple,
  polkadot
]

const idsOf = (isListed: (facts: AnyFacts) => boolean): ReadonlyArray<string> =>
  all.filter(isListed).map(({ id }) => id)

/** Ids of the chains with token prices: EVM networks and Tron. */
export const pricedChains: ReadonlyArray<number> = all.flatMap(({ chainId }) =>
  chainId === undefined ? [] : [chainId]
)

/** Networks whose nodes clients may use through the proxy, and those with a test network there. */
export const proxied = idsOf(({ proxy }) => proxy !== undefined)
export const proxiedTestnets = idsOf(({ proxy }) => proxy?.testnet !== undefined)

const withRawTransactions = additionsLast(all, (facts) => facts).filter(
  ({ rawTransactions }) => rawTransactions !== undefined
)

/** Networks that send raw transactions, and those that look them up; additions to the documented API come last. */
export const rawSendNetworks = withRawTransactions
  .filter(({ rawTransactions }) => rawTransactions !== "lookUp")
  .map(({ id }) => id as string)
export const rawLookupNetworks = withRawTransactions.map(({ id }) => id as string)

/** Networks whose raw transactions are an addition to the documented API. */
export const addedRawTransactions = idsOf(({ rawTransactions }) => rawTransactions === "added")

/** Networks that look up the first transaction of an address. */
export const firstTransactions = idsOf((facts) => facts.family === "evm" && facts.firstTransactions !== false)

/** Ids of the chains on which transactions are simulated. */
export const simulated: ReadonlyArray<string> = all.flatMap((facts) =>
  facts.family === "evm" && facts.simulation === true ? [String(facts.chainId)] : []
)
