import * as Schema from "effect/Schema"
import { enumOf, number, text } from "../fields.ts"
import { completenessFields } from "./outputs.ts"

/** A token account of an owner. */
export const SolanaTokenAccount = Schema.Struct({
  address: text("Address of the token account.", "7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi"),
  mint: text("The mint of the token.", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
  program: text(
    "The program that owns the account: Token or Token-2022.",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
  ),
  amount: text("Base units of the token.", "2500000"),
  decimals: number("Decimals of the token.", 6),
  state: text("initialized or frozen; a frozen account cannot send.", "initialized")
}).annotations({ identifier: "SolanaTokenAccount", description: "A token account of the address." })
export type SolanaTokenAccount = typeof SolanaTokenAccount.Type

/** Data for building a Solana transaction. Amounts are lamports. */
export const SolanaContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["solana"]),
  blockhash: text("A recent block hash, at the commitment confirmed.", "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"),
  lastValidBlockHeight: number(
    "The last block height at which a transaction with this block hash is accepted.",
    355000150
  ),
  slot: number("Slot at which the data was read.", 377000000),
  balance: text("Balance of the address, lamports.", "5000000000"),
  rentExemptMinimum: text("Minimum lamports of an account without data, unless it is emptied to zero.", "890880"),
  tokenAccountRent: text("Cost of a new token account of 165 bytes, lamports; extensions cost more.", "2039280"),
  tokenAccounts: Schema.Array(SolanaTokenAccount).annotations({
    description: "Token accounts of both token programs, including empty ones, largest amounts of base units first.",
    examples: [
      [
        {
          address: "7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi",
          mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
          program: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
          amount: "2500000",
          decimals: 6,
          state: "initialized"
        }
      ]
    ]
  }),
  ...completenessFields("token accounts")
}).annotations({ identifier: "SolanaContext", description: "Data for building a Solana transaction." })
export type SolanaContext = typeof SolanaContext.Type
