import * as Schema from "effect/Schema"
import { errorCode, optional, text } from "../domain/fields.ts"
import { CardanoContext } from "../domain/transactionContext/CardanoContext.ts"
import { EvmContext } from "../domain/transactionContext/EvmContext.ts"
import { maxEntries } from "../domain/transactionContext/outputs.ts"
import { PolkadotContext } from "../domain/transactionContext/PolkadotContext.ts"
import { RippleContext } from "../domain/transactionContext/RippleContext.ts"
import { SolanaContext } from "../domain/transactionContext/SolanaContext.ts"
import { SuiContext } from "../domain/transactionContext/SuiContext.ts"
import { TonContext } from "../domain/transactionContext/TonContext.ts"
import { TransactionContext } from "../domain/transactionContext/TransactionContext.ts"
import { TronContext } from "../domain/transactionContext/TronContext.ts"
import { UtxoContext } from "../domain/transactionContext/UtxoContext.ts"
import { AddressesByNetwork, byKey, incoming, sampleOf } from "./wire.ts"

export const ContextRequest = Schema.Struct({ networks: AddressesByNetwork }).annotations({
  ...incoming,
  identifier: "ContextRequest",
  description: "The addresses that are to sign."
})
export type ContextRequest = typeof ContextRequest.Type

/** An example of each family, as its members have them. */
const [first, ...others] = [
  sampleOf(EvmContext),
  sampleOf(UtxoContext),
  sampleOf(CardanoContext),
  sampleOf(SolanaContext),
  sampleOf(SuiContext),
  sampleOf(TonContext),
  sampleOf(TronContext),
  sampleOf(RippleContext),
  sampleOf(PolkadotContext)
] as const

/** One address of the answer. */
export const AddressContext = Schema.Struct({
  context: Schema.NullOr(TransactionContext).annotations({
    description: "What its transactions are built from; null where that could not be read.",
    examples: [first, ...others]
  }),
  error: optional(text("Why it is null, for people.", "timed out")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "AddressContext", description: "What signing a transaction of one address needs." })
export type AddressContext = typeof AddressContext.Type

export const AddressContexts = byKey(
  "ethereum",
  byKey("0x00000000219ab540356cBB839Cbe05303d7705Fa", AddressContext, "By address, as the request gave it."),
  "By network and address; the keys are those of the request. Networks that are not supported are left out."
)
export type AddressContexts = typeof AddressContexts.Type

export const contextNote = `What a wallet needs to build a transaction and sign it itself, for every address of the request: no key and no transaction is sent here. \`family\` says which members there are: \`evm\` nonces and chain id; \`utxo\` unspent outputs with their scripts, also of an extended public key; \`cardano\` outputs with assets, the slot and the fee parameters; \`ripple\` sequence, ledger and reserves; \`ton\` seqno, state and kind of wallet; \`solana\` a recent block hash, rent and token accounts; \`sui\` gas coins, epoch and reference gas price; \`tron\` the reference block and resources; \`polkadot\` nonce, era and the versions of the runtime. Amounts are base units as texts of digits. Lists have at most ${maxEntries} entries, the largest first, with \`truncated\`. An address whose context could not be read has \`context: null\` with \`error\` and \`errorCode\`, and never fails the others. Nothing is cached: what was read is of this moment, and signed transactions of it are to be sent soon.`
