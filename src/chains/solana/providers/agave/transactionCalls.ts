import * as Schema from "effect/Schema"
import { numberOf, Seconds, Slot } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { undecoded } from "../../../../upstream/response/rows.ts"
import { commitment } from "../../programs.ts"
import { Lamports, Units } from "./calls.ts"

// The methods of nodes for transactions.

const BlockTime = Schema.compose(Schema.NonNegativeInt, Seconds)

const Time = Schema.optional(Schema.NullOr(BlockTime))

export const NodeSlot = Schema.compose(Schema.NonNegativeInt, Slot)

/** The requested part of the signatures of an account, newest first. */
interface SignaturePage {
  readonly account: string
  readonly limit: number
  /** The signature before which the page starts. */
  readonly before: string | undefined
  /** The signature after which it ends. */
  readonly until: string | undefined
}

/** The maximum per call. */
export const signaturesPerPage = 1_000

export const SignatureRow = Schema.Struct({ signature: Schema.NonEmptyString, slot: NodeSlot, blockTime: Time })

export const signatures = Call.rpc("getSignaturesForAddress", {
  perOpen: { history: "varies" },
  note: "Newest first. Any signature of the chain is a position; `until` is ignored by a node that does not have it.",
  params: ({ account, before, limit, until }: SignaturePage) =>
    [
      account,
      {
        commitment,
        limit: Math.min(limit, signaturesPerPage),
        ...(before === undefined ? {} : { before }),
        ...(until === undefined ? {} : { until })
      }
    ] as const,
  response: Schema.Array(undecoded(SignatureRow))
})

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

/** In the encodings `jsonParsed` and `json`. */
export const SolanaTransaction = Schema.Struct({
  slot: Schema.optional(undecoded(NodeSlot)),
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

export const transaction = Call.rpc("getTransaction", {
  perOpen: { history: "varies" },
  note: "Null if the node does not have it. The fields that are read do not depend on the version; 1 is the newest.",
  params: ({ signature }: { readonly signature: string }) =>
    [signature, { commitment, encoding: "jsonParsed", maxSupportedTransactionVersion: 1 }] as const,
  response: Schema.NullOr(SolanaTransaction),
  about: (found, { signature }) => (found?.transaction.signatures?.[0] ?? signature) === signature
})

/** Null for an unknown signature. */
export const SignatureStatus = Schema.NullOr(
  Schema.Struct({
    slot: NodeSlot,
    /** Null if it succeeded. */
    err: Schema.Unknown,
    confirmationStatus: Schema.Literal("processed", "confirmed", "finalized")
  })
)

export const statuses = Call.rpc("getSignatureStatuses", {
  note: "At most 256 signatures.",
  params: ({ signatures }: { readonly signatures: ReadonlyArray<string> }) =>
    [signatures, { searchTransactionHistory: true }] as const,
  response: Schema.Struct({
    context: Schema.Struct({ slot: NodeSlot }),
    value: Schema.Array(undecoded(SignatureStatus))
  })
})

export const isValid = Call.rpc("isBlockhashValid", {
  params: ({ blockhash }: { readonly blockhash: string }) => [blockhash, { commitment: "finalized" }] as const,
  response: Schema.Struct({ context: Schema.Struct({ slot: NodeSlot }), value: Schema.Boolean })
})

export const firstBlock = Call.rpc("getFirstAvailableBlock", {
  perOpen: { history: 1 },
  params: () => [] as const,
  response: NodeSlot
})

export const blockTime = Call.rpc("getBlockTime", {
  params: ({ slot }: { readonly slot: Slot }) => [numberOf(slot)] as const,
  response: BlockTime
})

export const send = Call.rpc("sendTransaction", {
  params: ({ base64 }: { readonly base64: string }) =>
    [base64, { encoding: "base64", preflightCommitment: commitment }] as const,
  response: Schema.String
})

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
