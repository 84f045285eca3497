import { inspect } from "node:util"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Seconds, Slot, slot } from "../../domain/units.ts"
import { Bytes, Lamports, Units } from "./accounts.ts"

export const BlockTime = Schema.compose(Schema.NonNegativeInt, Seconds)

const Time = Schema.optional(Schema.NullOr(BlockTime))

export const NodeSlot = Schema.compose(Schema.NonNegativeInt, Slot)

/** `getSignaturesForAddress`, newest first. */
export const Signatures = Schema.Array(Schema.Unknown)

const SignatureRow = Schema.Struct({ signature: Schema.NonEmptyString, slot: NodeSlot, blockTime: Time })
export type Signature = typeof SignatureRow.Type

const decodeRow = Schema.decodeUnknownOption(SignatureRow)

/** A row of the list; instead of one that cannot be read, a row whose signature is invalid. */
export const signatureIn = (row: unknown): Signature =>
  Option.getOrElse(decodeRow(row), () => ({ signature: `unreadable: ${inspect(row)}`, slot: slot(0) }))

/** Whether it may be a signature (64 bytes in base58): only letters and digits. */
export const isSignature = ({ signature }: Signature): boolean => /^[0-9A-Za-z]{1,88}$/.test(signature)

/** `getTokenAccountsByOwner` in base64. */
export const TokenAccounts = Schema.Struct({
  value: Schema.Array(Schema.Struct({ pubkey: Schema.NonEmptyString, account: Schema.Struct({ data: Bytes }) }))
})
export type SolanaTokenAccount = (typeof TokenAccounts.Type)["value"][number]

export const TokenAmount = Schema.Struct({ amount: Units })

const SolanaTokenBalance = Schema.Struct({
  accountIndex: Schema.NonNegativeInt,
  mint: Schema.NonEmptyString,
  /** Missing in old responses. */
  owner: Schema.optional(Schema.NullOr(Schema.String)),
  /** The stored amount: a mint's multiplier only affects the displayed one. */
  uiTokenAmount: TokenAmount
})
export type SolanaTokenBalance = typeof SolanaTokenBalance.Type

const Instructions = Schema.Array(Schema.Struct({ parsed: Schema.optional(Schema.Unknown) }))

const TokenBalances = Schema.optional(Schema.NullOr(Schema.Array(SolanaTokenBalance)))

/** An account of a parsed message. Signers come first, and the balance of an account that is not writable stays. */
const AccountKey = Schema.Struct({
  pubkey: Schema.String,
  signer: Schema.optional(Schema.Boolean),
  writable: Schema.optional(Schema.Boolean)
})
export type AccountKey = typeof AccountKey.Type

/** `getTransaction`, in the encodings `jsonParsed` and `json`; null if the node does not have it. */
export const SolanaTransaction = Schema.Struct({
  blockTime: Time,
  meta: Schema.Struct({
    err: Schema.optional(Schema.Unknown),
    fee: Lamports,
    preBalances: Schema.Array(Lamports),
    postBalances: Schema.Array(Lamports),
    preTokenBalances: TokenBalances,
    postTokenBalances: TokenBalances,
    /** Instructions called by other instructions. */
    innerInstructions: Schema.optional(
      Schema.NullOr(Schema.Array(Schema.Struct({ index: Schema.NonNegativeInt, instructions: Instructions })))
    ),
    loadedAddresses: Schema.optional(
      Schema.NullOr(Schema.Struct({ writable: Schema.Array(Schema.String), readonly: Schema.Array(Schema.String) }))
    )
  }),
  transaction: Schema.Struct({
    /** The first identifies the transaction. */
    signatures: Schema.optional(Schema.Array(Schema.String)),
    message: Schema.Struct({
      accountKeys: Schema.Array(Schema.Union(Schema.String, AccountKey)),
      instructions: Instructions
    })
  })
})
export type SolanaTransaction = typeof SolanaTransaction.Type

/**
 * An instruction that the node could parse: its name, the two sides of a transfer, and the account that is opened or
 * closed. Programs choose their own field names: values that are not strings are ignored.
 */
export const ParsedInstruction = Schema.Struct({
  type: Schema.NonEmptyString,
  info: Schema.Struct({
    source: Schema.optional(Schema.String),
    destination: Schema.optional(Schema.String),
    lamports: Schema.optional(Lamports),
    account: Schema.optional(Schema.Unknown),
    newAccount: Schema.optional(Schema.Unknown),
    /** A token transfer has one of the two. */
    amount: Schema.optional(Schema.Unknown),
    tokenAmount: Schema.optional(Schema.Unknown)
  })
})
export type ParsedInstruction = typeof ParsedInstruction.Type
