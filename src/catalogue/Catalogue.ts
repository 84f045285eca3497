import { arbitrum } from "./arbitrum.ts"
import { avalanche } from "./avalanche.ts"
import { base } from "./base.ts"
import { bch } from "./bch.ts"
import { bitcoin } from "./bitcoin.ts"
import { bsc } from "./bsc.ts"
import { cardano } from "./cardano.ts"
import { dogecoin } from "./dogecoin.ts"
import type { EvmFacts } from "./EvmFacts.ts"
import { ethereum } from "./ethereum.ts"
import { ethereumClassic } from "./ethereumClassic.ts"
import { litecoin } from "./litecoin.ts"
import type { SingleFacts } from "./NetworkFacts.ts"
import { optimism } from "./optimism.ts"
import { polkadot } from "./polkadot.ts"
import { polygon } from "./polygon.ts"
import { ripple } from "./ripple.ts"
import { solana } from "./solana.ts"
import { sonic } from "./sonic.ts"
import { sui } from "./sui.ts"
import { ton } from "./ton.ts"
import { tron } from "./tron.ts"
import type { UtxoFacts } from "./UtxoFacts.ts"
import { zkevm } from "./zkevm.ts"

/** The facts of a network, by which its family is known. */
export type AnyFacts = EvmFacts | UtxoFacts | SingleFacts

/** Every network that comes with the service, in the order in which `GET /networks` lists them: one line a network. */
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
