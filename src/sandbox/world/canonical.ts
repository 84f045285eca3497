import * as Either from "effect/Either"
import type { Family, NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/UtxoFacts.ts"
import * as CardanoAddress from "../../chains/cardano/CardanoAddress.ts"
import * as EvmAddress from "../../chains/evm/EvmAddress.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import * as SolanaAddress from "../../chains/solana/SolanaAddress.ts"
import * as SuiAddress from "../../chains/sui/SuiAddress.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"

type Parse = (text: string) => Either.Either<string, string>

const isUtxo = (facts: NetworkFacts): facts is UtxoFacts => facts.family === "utxo"

const parsers: Record<Exclude<Family, "utxo">, Parse> = {
  cardano: CardanoAddress.parse,
  evm: EvmAddress.parse,
  polkadot: PolkadotAddress.parse,
  ripple: RippleAddress.parse,
  solana: SolanaAddress.parse,
  sui: SuiAddress.parse,
  ton: TonAddress.parse,
  tron: TronAddress.parse
}

/** An address in the form by which the simulated upstreams know it; left is what is wrong with the text. */
export const canonical = (facts: NetworkFacts, text: string): Either.Either<string, string> => {
  if (isUtxo(facts)) return UtxoAddress.parse(facts)(text)
  const parsed = facts.family === "utxo" ? Either.left("unknown") : parsers[facts.family](text)
  return facts.family === "evm" ? Either.map(parsed, (address) => address.toLowerCase()) : parsed
}
