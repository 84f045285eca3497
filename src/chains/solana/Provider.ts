import type * as Effect from "effect/Effect"
import type { Seconds, Slot } from "../../domain/units.ts"
import type { Answer } from "../../jsonrpc/asking.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Head } from "../kit/status/currentHead.ts"
import type * as calls from "./providers/agave/calls.ts"
import type * as transactions from "./providers/agave/transactionCalls.ts"

type Of<R extends { readonly response: { readonly Type: unknown } }> = R["response"]["Type"]

/** A token account. */
export interface TokenRow {
  readonly pubkey: string
  readonly mint: string
  /** Base units; undefined if they cannot be read. */
  readonly amount: bigint | undefined
}

/** What an owner has; left if the node did not return it. */
export interface OwnedRows {
  readonly lamports: Answer<bigint>
  readonly tokens: Answer<ReadonlyArray<TokenRow>>
}

/** A transaction; null if the node does not have it, undefined if it cannot be read, and left if the node refused. */
export type ReadTransaction = Answer<transactions.SolanaTransaction | null | undefined>

/** A row in a list of signatures. */
export type Signature = typeof transactions.SignatureRow.Type

/** A part of the list of signatures of an account. */
export type SignaturePage = Omit<Parameters<typeof transactions.signatures.params>[0], "account">

/** The signatures of an address, and whether the list may be short. */
export interface SignatureStart {
  /** The first block that the node has. */
  readonly first: Answer<Slot>
  readonly signatures: Answer<ReadonlyArray<Signature>>
  /** The token accounts, if they were requested. */
  readonly accounts: Answer<ReadonlyArray<TokenRow>>
}

/** Reads from one node, in one request unless the node accepts no batches. */
type AtNode<Parameters extends ReadonlyArray<unknown>, A> = (
  node: Endpoint,
  ...parameters: Parameters
) => Effect.Effect<A, UpstreamError>

/** Nodes of the ledger. Their reads fail if the clock of the chain is in the response and does not fit ours. */
export interface SolanaProvider {
  readonly name: string
  readonly nodes: Upstream
  /** Transactions per request, and token accounts read for a history. */
  readonly limits: { readonly transactionsPerRequest: number; readonly maxAccounts: number }
  /** The newest confirmed slot. */
  readonly head: AtNode<[], Head>
  /** A recent block hash, the lamports that an empty and a token account must hold, and the clock. */
  readonly network: AtNode<[], readonly [Of<typeof calls.latestBlockhash>, number, number, Of<typeof calls.clock>]>
  /** The lamports of an owner, and all details of its token accounts. */
  readonly owned: AtNode<
    [owner: string],
    { readonly lamports: bigint; readonly accounts: Of<typeof calls.tokenAccounts>["value"] }
  >
  /** The lamports of owners, and their tokens if requested. */
  readonly balances: AtNode<[owners: ReadonlyArray<string>, withTokens: boolean], ReadonlyArray<OwnedRows>>
  readonly balance: AtNode<[owner: string], bigint>
  /** An owner's accounts of one mint, and the account of the mint if it was requested; fails if it is no mint. */
  readonly balanceOf: AtNode<
    [owner: string, mint: string, withMint: boolean],
    { readonly rows: ReadonlyArray<TokenRow>; readonly account: Answer<Of<typeof calls.mint>> | undefined }
  >
  /** The accounts of mints. */
  readonly mints: AtNode<[mints: ReadonlyArray<string>], ReadonlyArray<unknown>>
  /** The accounts of addresses, null for unused ones, and the lamports that an empty one must hold. */
  readonly accounts: AtNode<
    [addresses: ReadonlyArray<string>],
    { readonly accounts: ReadonlyArray<Answer<typeof calls.SizedAccount.Type>>; readonly minimum: bigint }
  >
  readonly stakes: AtNode<[owners: ReadonlyArray<string>], ReadonlyArray<Answer<Of<typeof calls.stakes>>>>
  /** The fees that were paid in recent slots, and a recent block hash. */
  readonly fees: AtNode<[], readonly [Answer<Of<typeof calls.priorityFees>>, Answer<Of<typeof calls.blockhash>>]>
  /** The lamports that a message costs. */
  readonly feeOf: AtNode<[message: string], Answer<number>>
  /** The signatures of an address before all others of a history; `isNewest`: no earlier page was read. */
  readonly firstSignatures: AtNode<
    [address: string, page: SignaturePage, of: { readonly accounts: boolean; readonly isNewest: boolean }],
    SignatureStart
  >
  /** A further page of an account. */
  readonly signatures: AtNode<[account: string, page: SignaturePage], Answer<ReadonlyArray<Signature>>>
  /** A page of each account, and these transactions. */
  readonly signaturesOf: AtNode<
    [accounts: ReadonlyArray<string>, page: SignaturePage, ahead: ReadonlyArray<string>],
    {
      readonly pages: ReadonlyArray<Answer<ReadonlyArray<Signature>>>
      readonly transactions: ReadonlyArray<ReadTransaction>
    }
  >
  readonly blockTime: AtNode<[slot: Slot], Answer<Seconds>>
  readonly transactions: AtNode<[signatures: ReadonlyArray<string>], ReadonlyArray<ReadTransaction>>
  /** The newest confirmed slot, and the statuses of signatures. */
  readonly statuses: AtNode<
    [signatures: ReadonlyArray<string>],
    readonly [Head, Answer<Of<typeof transactions.statuses>>]
  >
  /** The newest finalized slot, and whether block hashes are valid there. */
  readonly validities: AtNode<
    [blockhashes: ReadonlyArray<string>],
    readonly [Head, ReadonlyArray<Answer<Of<typeof transactions.isValid>>>]
  >
}

/** The fault of a node that has no method for its first block. */
export const noFirstBlock: Fault = { reason: "upstream_error", detail: "has no method for its first block" }

export const noToken: Fault = { reason: "bad_answer", detail: "this address is not a token", final: true }
