import * as Schema from "effect/Schema"
import { enumOf, number, text, textOrNull } from "../fields.ts"

/** Data for building a transaction on an EVM network. Amounts are wei. */
export const EvmContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["evm"]),
  chainId: number("The id of the chain, which the signature contains (EIP-155), as the node returned it.", 1),
  nonce: number("Number of confirmed transactions of the address: the next nonce if none is pending.", 7),
  pendingNonce: number(
    "The same including pending transactions in the node's mempool: the nonce of the next transaction. If it is above `nonce`, the nonces in between belong to pending transactions.",
    8
  ),
  balance: text("The native balance in the newest block, wei.", "1500000000000000000"),
  block: number("The number of the newest block.", 23800000),
  baseFeePerGas: textOrNull(
    "The base fee of the newest block (EIP-1559), wei; null if the network has no base fee: it then accepts only transactions with a gas price.",
    "1200000000"
  ),
  gasPrice: text("Gas price that the node suggests (eth_gasPrice), including the base fee, wei.", "1300000000")
}).annotations({
  identifier: "EvmContext",
  description: "Data for building a transaction on an EVM network, read from one node at one time."
})
export type EvmContext = typeof EvmContext.Type
