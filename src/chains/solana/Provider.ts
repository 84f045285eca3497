import type { Seconds, Slot } from "../../domain/units.ts"
import type { CallAnswer, ResultOf } from "../../jsonrpc/boundCalls.ts"
import type { ReadAt, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Head } from "../kit/status/currentHead.ts"
import type * as calls from "./providers/agave/calls.ts"
import type * as transactionCalls from "./providers/agave/transactionCalls.ts"

/** A token account. */
export interface TokenRow {
  readonly pubkey: string
  readonly mint: string
  /** Base units; undefined if they cannot be read. */
  readonly amount: bigint | undefined
}

/** What an owner has; left if the node did not return it. */
export interface OwnedRows {
  readonly lamports: CallAnswer<bigint>
  readonly tokens: CallAnswer<ReadonlyArray<TokenRow>>
}

/** A transaction; null if the node does not have it, undefined if it cannot be read, and left if the node refused. */
export type ReadTransaction = CallAnswer<transactionCalls.SolanaTransaction | null | undefined>

/** A row in a list of signatures. */
export type Signature = typeof transactionCalls.SignatureRow.Type

/** A part of the list of signatures of an account. */
export type SignaturePage = Omit<Parameters<typeof transactionCalls.signatures.params>[0], "account">

/** The signatures of an address, and whether the list may be short. */
export interface SignatureStart {
  /** The first block that the node has. */
  readonly first: CallAnswer<Slot>
  readonly signatures: CallAnswer<ReadonlyArray<Signature>>
  /** The token accounts, if they were requested. */
  readonly accounts: CallAnswer<ReadonlyArray<TokenRow>>
}

/**
 * Nodes of the ledger; each read is one request unless the node accepts no batches. The reads fail if the clock of the
 * chain is in the response and does not fit ours.
 */
export interface SolanaProvider {
  readonly name: string
  readonly nodes: Upstream
  /** Transactions per request, and token accounts read for a history. */
  readonly limits: { readonly transactionsPerRequest: number; readonly maxAccounts: number }
  /** The newest confirmed slot. */
  readonly head: ReadAt<[], Head>
  /** A recent block hash, the lamports that an empty and a token account must hold, and the clock. */
  readonly network: ReadAt<
    [],
    readonly [ResultOf<typeof calls.latestBlockhash>, number, number, ResultOf<typeof calls.clock>]
  >
  /** The lamports of an owner, and all details of its token accounts. */
  readonly owned: ReadAt<
    [owner: string],
    { readonly lamports: bigint; readonly accounts: ResultOf<typeof calls.tokenAccounts>["value"] }
  >
  /** The lamports of owners, and their tokens if requested. */
  readonly balances: ReadAt<[owners: ReadonlyArray<string>, withTokens: boolean], ReadonlyArray<OwnedRows>>
  readonly balance: ReadAt<[owner: string], bigint>
  /** An owner's accounts of one mint, and the account of the mint if it was requested; fails if it is no mint. */
  readonly balanceOf: ReadAt<
    [owner: string, mint: string, withMint: boolean],
    { readonly rows: ReadonlyArray<TokenRow>; readonly account: CallAnswer<ResultOf<typeof calls.mint>> | undefined }
  >
  /** The accounts of mints. */
  readonly mints: ReadAt<[mints: ReadonlyArray<string>], ReadonlyArray<unknown>>
  /** The accounts of addresses, null for unused ones, and the lamports that an empty one must hold. */
  readonly accounts: ReadAt<
    [addresses: ReadonlyArray<string>],
    { readonly accounts: ReadonlyArray<CallAnswer<typeof calls.SizedAccount.Type>>; readonly minimum: bigint }
  >
  readonly stakes: ReadAt<[owners: ReadonlyArray<string>], ReadonlyArray<CallAnswer<ResultOf<typeof calls.stakes>>>>
  /** The fees that were paid in recent slots, and a recent block hash. */
  readonly fees: ReadAt<
    [],
    readonly [CallAnswer<ResultOf<typeof calls.priorityFees>>, CallAnswer<ResultOf<typeof calls.latestBlockhash>>]
  >
  /** The lamports that a message costs. */
  readonly feeOf: ReadAt<[message: string], CallAnswer<number>>
  /** The signatures of an address before all others of a history; `isNewest`: no earlier page was read. */
  readonly firstSignatures: ReadAt<
    [address: string, page: SignaturePage, of: { readonly accounts: boolean; readonly isNewest: boolean }],
    SignatureStart
  >
  /** A further page of an account. */
  readonly signatures: ReadAt<[account: string, page: SignaturePage], CallAnswer<ReadonlyArray<Signature>>>
  /** A page of each account, and these transactionCalls. */
  readonly signaturesOf: ReadAt<
    [accounts: ReadonlyArray<string>, page: SignaturePage, ahead: ReadonlyArray<string>],
    {
      readonly pages: ReadonlyArray<CallAnswer<ReadonlyArray<Signature>>>
      readonly transactions: ReadonlyArray<ReadTransaction>
    }
  >
  readonly blockTime: ReadAt<[slot: Slot], CallAnswer<Seconds>>
  readonly transactions: ReadAt<[signatures: ReadonlyArray<string>], ReadonlyArray<ReadTransaction>>
  /** The newest confirmed slot, and the statuses of signatures. */
  readonly statuses: ReadAt<
    [signatures: ReadonlyArray<string>],
    readonly [Head, CallAnswer<ResultOf<typeof transactionCalls.statuses>>]
  >
  /** The newest finalized slot, and whether block hashes are valid there. */
  readonly validities: ReadAt<
    [blockhashes: ReadonlyArray<string>],
    readonly [Head, ReadonlyArray<CallAnswer<ResultOf<typeof transactionCalls.isValid>>>]
  >
}

/** The fault of a node that has no method for its first block. */
export const noFirstBlock: Fault = { reason: "upstream_error", detail: "has no method for its first block" }

export const noToken: Fault = { reason: "bad_answer", detail: "this address is not a token", final: true }
