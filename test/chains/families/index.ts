import type { Family } from "../../../src/catalogue/NetworkFacts.ts"
import { cardano } from "./cardano.ts"
import { evm } from "./evm.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"
import { polkadot } from "./polkadot.ts"
import { ripple } from "./ripple.ts"
import { solana } from "./solana.ts"
import { sui } from "./sui.ts"
import { ton } from "./ton.ts"
import { tron } from "./tron.ts"
import { utxo } from "./utxo.ts"

export const families: Record<Family, FamilyFacts> = { evm, cardano, polkadot, solana, sui, ripple, tron, ton, utxo }
