import * as Schema from "effect/Schema"
import { CardanoContext } from "./CardanoContext.ts"
import { EvmContext } from "./EvmContext.ts"
import { PolkadotContext } from "./PolkadotContext.ts"
import { RippleContext } from "./RippleContext.ts"
import { SolanaContext } from "./SolanaContext.ts"
import { SuiContext } from "./SuiContext.ts"
import { TonContext } from "./TonContext.ts"
import { TronContext } from "./TronContext.ts"
import { UtxoContext } from "./UtxoContext.ts"

/** Data for signing a transaction of an address. Amounts are base units as strings; `family` is the discriminator. */
export const TransactionContext = Schema.Union(
  EvmContext,
  UtxoContext,
  CardanoContext,
  SolanaContext,
  SuiContext,
  TonContext,
  TronContext,
  RippleContext,
  PolkadotContext
)
export type TransactionContext = typeof TransactionContext.Type
