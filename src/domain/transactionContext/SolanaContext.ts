import * as Schema from "effect/Schema"
import { number, text, word } from "../fields.ts"
import { completeness } from "./outputs.ts"

/** A token account of an owner. */
export const SolanaTokenAccount = Schema.Struct({
  address: text("The token account itself.", "7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi"),
  mint: text("The mint of the token.", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
  program: text(
    "The program that owns the account: Token or Token-2022.",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
  ),
  amount: text("Base units of the token.", "2500000"),
  decimals: number("Decimals of the token.", 6),
  state: text("initialized, or frozen: then nothing can be sent from it.", "initialized")
}).annotations({ identifier: "SolanaTokenAccount", description: "A token account of the address." })
export type SolanaTokenAccount = typeof SolanaTokenAccount.Type

/** What a transaction of Solana is built from. Amounts are lamports. */
export const SolanaContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["solana"]),
  blockhash: text("A recent block hash, at the commitment confirmed.", "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"),
  lastValidBlockHeight: number(
    "The last block height at which a transaction with this block hash is accepted.",
    355000150
  ),
  slot: number("The slot in which it was read.", 377000000),
  balance: text("Lamports of the address.", "5000000000"),
  rentExemptMinimum: text("Lamports that an account without data must keep, or be emptied to zero.", "890880"),
  tokenAccountRent: text(
    "Lamports that a new token account of 165 bytes costs; with extensions it costs more.",
    "2039280"
  ),
  tokenAccounts: Schema.Array(SolanaTokenAccount).annotations({
    description:
      "Its token accounts of both token programs, empty ones included, the largest amounts of base units first.",
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
  ...completeness("token accounts")
}).annotations({ identifier: "SolanaContext", description: "What a transaction of Solana is built from." })
export type SolanaContext = typeof SolanaContext.Type
