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
import { AddressesByNetwork, inRequest, recordOf, sampleOf } from "./wire.ts"

export const ContextRequest = Schema.Struct({ networks: AddressesByNetwork }).annotations({
  ...inRequest,
  identifier: "ContextRequest",
  description: "The addresses that will sign."
})
export type ContextRequest = typeof ContextRequest.Type

/** An example per family, made of the examples of its members. */
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

/** The result of one address. */
export const AddressContext = Schema.Struct({
  context: Schema.NullOr(TransactionContext).annotations({
    description: "Data to build transactions of the address; null if it could not be read.",
    examples: [first, ...others]
  }),
  error: optional(text("Human-readable reason why it is null.", "timed out")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "AddressContext", description: "Data to build and sign transactions of one address." })
export type AddressContext = typeof AddressContext.Type

export const AddressContexts = recordOf(
  "ethereum",
  recordOf("0x00000000219ab540356cBB839Cbe05303d7705Fa", AddressContext, "By address, spelled as in the request."),
  "By network and address; the keys are those of the request. Unsupported networks are left out."
)
export type AddressContexts = typeof AddressContexts.Type

export const contextNote = `Returns the data that a wallet needs to build and sign a transaction itself, for every address of the request. The service receives no key and no transaction. \`family\` determines the members: \`evm\` nonces and chain id; \`utxo\` unspent outputs with their scripts, also of an extended public key; \`cardano\` outputs with assets, the slot and the fee parameters; \`ripple\` sequence, ledger and reserves; \`ton\` seqno, state and kind of wallet; \`solana\` a recent block hash, rent and token accounts; \`sui\` gas coins, epoch and reference gas price; \`tron\` the reference block and resources; \`polkadot\` nonce, era and the versions of the runtime. Amounts are in base units, as strings of digits. Lists have at most ${maxEntries} entries, largest first, and \`truncated\`. An address whose context could not be read has \`context: null\` with \`error\` and \`errorCode\`, and does not affect the others. The data is never cached and soon outdated: send transactions that are built from it without delay.`
