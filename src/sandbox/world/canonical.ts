import type * as Either from "effect/Either"
import type { Family, NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { parse as cardano } from "../../chains/cardano/CardanoAddress.ts"
import { parse as evm } from "../../chains/evm/EvmAddress.ts"
import { parse as polkadot } from "../../chains/polkadot/PolkadotAddress.ts"
import { parse as ripple } from "../../chains/ripple/RippleAddress.ts"
import { parse as solana } from "../../chains/solana/SolanaAddress.ts"
import { parse as sui } from "../../chains/sui/SuiAddress.ts"
import { parse as ton } from "../../chains/ton/TonAddress.ts"
import { parse as tron } from "../../chains/tron/TronAddress.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"

type Parse = (text: string) => Either.Either<string, string>

const parsers: Record<Exclude<Family, "utxo">, Parse> = { cardano, evm, polkadot, ripple, solana, sui, ton, tron }

/** An address in the form by which the simulated upstreams know it; left is what is wrong with the text. */
export const canonical = (facts: NetworkFacts, text: string): Either.Either<string, string> =>
  facts.family === "utxo" ? UtxoAddress.parse(facts as UtxoFacts)(text) : parsers[facts.family](text)
