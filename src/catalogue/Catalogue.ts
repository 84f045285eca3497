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

/** Every network that comes with the service, in the order of `GET /networks`: one line a network. */
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

/** The chains with prices of tokens, by their ids: EVM networks and Tron. */
export const pricedChains: ReadonlyArray<number> = all.flatMap(({ chainId }) =>
  chainId === undefined ? [] : [chainId]
)

/** The networks whose nodes clients may use through the proxy, and those with a test network there. */
export const proxied = idsOf(({ proxy }) => proxy !== undefined)
export const proxiedTestnets = idsOf(({ proxy }) => proxy?.testnet !== undefined)

const withRawTransactions = additionsLast(all, (facts) => facts).filter(
  ({ rawTransactions }) => rawTransactions !== undefined
)

/** The networks on which raw transactions are sent, and those on which they are looked up: our additions come last. */
export const sending = withRawTransactions
  .filter(({ rawTransactions }) => rawTransactions !== "lookUp")
  .map(({ id }) => id as string)
export const lookingUp = withRawTransactions.map(({ id }) => id as string)

/** Those of them that are our additions to the documented interface. */
export const addedRawTransactions = idsOf(({ rawTransactions }) => rawTransactions === "added")

/** The networks on which the first transaction of an address is looked up. */
export const firstTransactions = idsOf((facts) => facts.family === "evm" && facts.firstTransactions !== false)

/** The chains on which transactions are simulated, by their ids. */
export const simulated: ReadonlyArray<string> = all.flatMap((facts) =>
  facts.family === "evm" && facts.simulation === true ? [String(facts.chainId)] : []
)
