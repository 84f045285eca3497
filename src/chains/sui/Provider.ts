import type * as Either from "effect/Either"
import type { ReadAt, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Head } from "../kit/status/currentHead.ts"
import type * as calls from "./providers/graphql/calls.ts"
import type { SuiBalanceChanges } from "./toTransaction.ts"

/** A part of a response, or why it is missing. */
export type Part<A> = Either.Either<A, Fault>

/** The newest checkpoint, with its epoch if the host returns it. */
export interface SuiHead extends Head {
  readonly epoch: (typeof calls.Newest.Type)["epoch"]
}

/** A page of transactions, oldest first, up to a cursor of this host or a checkpoint. */
export type SuiPage = Parameters<typeof calls.transactions.variables>[0]

/**
 * Hosts of the ledger; each read is one query. Cursors are valid at one host only. Balances, decimals and a first page
 * of transactions fail if the newest checkpoint of the host does not fit the clock.
 */
export interface SuiProvider {
  readonly name: string
  readonly hosts: Upstream
  readonly head: ReadAt<[], SuiHead>
  /** The first page of the coins of each address. */
  readonly balances: ReadAt<[owners: ReadonlyArray<string>], ReadonlyArray<Part<typeof calls.ListedOwner.Type>>>
  /** The pages of coins after these cursors. */
  readonly moreBalances: ReadAt<[lists: ReadonlyArray<calls.NextPage>], ReadonlyArray<Part<typeof calls.Owner.Type>>>
  /** The balance of an address in one coin, and the decimals of the coin if they are requested. */
  readonly balance: ReadAt<
    [coin: Parameters<typeof calls.balance.document>[0]],
    { readonly amount: bigint; readonly decimals: Part<number> }
  >
  /** The decimals of coins, in the order of the types. */
  readonly decimals: ReadAt<[types: ReadonlyArray<string>], ReadonlyArray<Part<number>>>
  /** The metadata of a coin, and whether its package exists. */
  readonly coin: ReadAt<
    [type: string],
    { readonly metadata: typeof calls.CoinFacts.Type; readonly hasPackage: boolean }
  >
  /** The names of coins, in the order of the types. */
  readonly names: ReadAt<[types: ReadonlyArray<string>], ReadonlyArray<Part<typeof calls.CoinName.Type>>>
  /** The SUI of an address, and a page of its stakes. */
  readonly stakes: ReadAt<
    [owner: string, after: string | null],
    { readonly amount: bigint; readonly stakes: Part<typeof calls.Stakes.Type> }
  >
  /** The epoch, and the SUI of an address with a page of its coin objects. */
  readonly context: ReadAt<[owner: string, after: string | null], typeof calls.context.response.Type>
  /** The gas price, and the prices of the protocol. */
  readonly fees: ReadAt<[], { readonly price: bigint; readonly configs: Part<typeof calls.Configs.Type> }>
  readonly statuses: ReadAt<
    [digests: ReadonlyArray<string>],
    { readonly head: SuiHead; readonly found: ReadonlyArray<Part<typeof calls.Checkpointed.Type>> }
  >
  /** The newest transactions; with the first page, the oldest checkpoint at which the host finds those of an address. */
  readonly transactions: ReadAt<
    [page: SuiPage],
    typeof calls.TransactionPage.Type & { readonly range: Part<typeof calls.Range.Type> | undefined }
  >
  /** A transaction, or null if the host does not have it. */
  readonly transaction: ReadAt<[digest: string], unknown>
  /** The balance changes of transactions after these cursors. */
  readonly moreChanges: ReadAt<
    [lists: ReadonlyArray<calls.NextPage>],
    ReadonlyArray<Part<typeof SuiBalanceChanges.Type>>
  >
}
