import * as Schema from "effect/Schema"
import { number, text, textOrNull, word } from "../fields.ts"

/** What a transaction of an EVM network is built from. Amounts are wei. */
export const EvmContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["evm"]),
  chainId: number("The id of the chain, which the signature contains (EIP-155), as the node returned it.", 1),
  nonce: number("Transactions of the address that are in blocks: the nonce that replaces nothing if none waits.", 7),
  pendingNonce: number(
    "The same with those that wait in the node's pool: the nonce of the next transaction. Above `nonce`, the nonces between them belong to transactions that wait.",
    8
  ),
  balance: text("The native balance in the newest block, wei.", "1500000000000000000"),
  block: number("The number of the newest block.", 23800000),
  baseFeePerGas: textOrNull(
    "The base fee of the newest block (EIP-1559), wei; null where the network has none: then only transactions with a gas price are accepted.",
    "1200000000"
  ),
  gasPrice: text("The gas price that the node suggests (eth_gasPrice), base fee included, wei.", "1300000000")
}).annotations({
  identifier: "EvmContext",
  description: "What a transaction of an EVM network is built from, of one node at one time."
})
export type EvmContext = typeof EvmContext.Type
