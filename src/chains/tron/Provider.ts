import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Transaction } from "../../domain/Transaction.ts"
import type { TronContext } from "../../domain/TransactionContext.ts"
import type { Height, Millis, Seconds } from "../../domain/units.ts"
import type * as Sources from "../../upstream/Sources.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../Chain.ts"
import type { ContractResult } from "../evm/contracts/readContracts.ts"
import type { BalanceCall } from "../evm/multicall.ts"
import type { List } from "../kit/history/mergePaged.ts"
import type { transactionInfo } from "./providers/trongrid/calls.ts"
import type { TronRow } from "./providers/trongrid/rows.ts"
import type { TronTransaction } from "./TronTransaction.ts"

/** The balances of an address in the index. */
export interface IndexedBalances {
  /** Whether the index has the account. */
  readonly isKnown: boolean
  readonly balance: bigint
  readonly trc20: ReadonlyArray<unknown>
}

/** The newest block and its reference in transactions. */
export interface TronBlock extends Omit<TronContext["block"], "number" | "timestamp"> {
  readonly number: Height
  readonly timestamp: Millis
}

/** The resources of an account, which are zero for one that was never activated. */
export interface TronResources {
  readonly freeBandwidth: number
  readonly stakedBandwidth: number
  readonly energy: number
  /** Whether the node returned any, as it does for an active account. */
  readonly isReturned: boolean
}

type TronRead<A> = Effect.Effect<A, UpstreamError>

/** A node with an index of the accounts. Amounts of TRX are in sun. */
export interface TronProvider extends Sources.Source {
  readonly name: string
  /** An error of this source, for a fault that only the caller can detect. */
  readonly fault: (fault: Fault) => UpstreamError
  /** Fails if the newest block does not fit the clock: for responses that have none. */
  readonly isCurrent: TronRead<void>
  /** Reads many balances in one call; an element is empty if the token did not return a balance. */
  readonly balances: (calls: ReadonlyArray<BalanceCall>) => TronRead<ReadonlyArray<Option.Option<bigint>>>
  /** Reads the decimals of many tokens in one call. */
  readonly allDecimals: (tokens: ReadonlyArray<string>) => TronRead<ReadonlyArray<Option.Option<number>>>
  /** Reads the balance of an address in one token, and the decimals of the token, in one call. */
  readonly token: (
    address: string,
    token: string
  ) => TronRead<{ readonly amount: Option.Option<bigint>; readonly decimals: Option.Option<number> }>
  /** The balance of an address in one token, in base units. */
  readonly balanceOf: (address: string, token: string) => TronRead<bigint>
  /** The decimals that a token declares; undefined if it declares none. */
  readonly decimals: (token: string) => TronRead<number | undefined>
  /**
   * The results of the calls about a token, of the first of them again where they failed together, and the code of its
   * contract in hex; undefined if the node does not have it.
   */
  readonly contract: (token: string) => TronRead<{
    readonly results: ReadonlyArray<ContractResult>
    readonly direct: ReadonlyArray<ContractResult>
    readonly code: string | undefined
  }>
  /** The results of the calls for the names of tokens, in their order. */
  readonly names: (tokens: ReadonlyArray<string>) => TronRead<ReadonlyArray<ContractResult>>
  /** The spendable TRX of an account; undefined if it was never activated. */
  readonly trx: (address: string) => TronRead<bigint | undefined>
  /** The spendable and the staked TRX of an account; undefined if it was never activated. */
  readonly staked: (address: string) => TronRead<{ readonly balance: bigint; readonly staked: bigint } | undefined>
  /** The voting rewards that an account has not withdrawn. */
  readonly rewards: (address: string) => TronRead<bigint>
  readonly resources: (address: string) => TronRead<TronResources>
  /** All balances in the index. */
  readonly indexed: (address: string) => TronRead<IndexedBalances>
  /** The lists that make up the history of an address, from a time until another one, included. */
  readonly lists: (
    address: string,
    since: Seconds | undefined,
    until: Millis | undefined
  ) => ReadonlyArray<List<TronRow>>
  /** The newest block: one call for all addresses. */
  readonly newest: TronRead<TronBlock>
  /** The newest block that is solidified and thereby final. */
  readonly solidified: TronRead<TronBlock>
  /** The block, fee and result of a transaction; undefined if the node does not have it, or not in a block. */
  readonly included: (id: string) => TronRead<typeof transactionInfo.response.Type>
  /** The expiration of a transaction in a block or in the pool; undefined if the node does not have it. */
  readonly expirationOf: (id: string) => TronRead<Millis | undefined>
  /** Looks up a transaction as its owner sees it, and whether all its transfers could be read. */
  readonly transaction: (
    id: string
  ) => TronRead<{ readonly transaction: Transaction; readonly isWhole: boolean } | undefined>
  /** Sends once. */
  readonly send: (transaction: TronTransaction) => TronRead<SendOutcome>
  /** Looks up a transaction by its id. */
  readonly find: (id: string) => TronRead<NodeResponse>
  /** The nodes whose fees are compared. */
  readonly nodes: Upstream
  /** The values that were set by vote, at a node. */
  readonly parameters: (node: Endpoint) => TronRead<ReadonlyArray<{ readonly key: string; readonly value?: unknown }>>
}

/** Balances per call; a larger call may exceed a node's execution time limit. */
export const balancesPerCall = 500

/** Whether the call itself caused the failure, because it is too large or cannot be executed. */
export const isVerdict = ({ final, kind }: UpstreamError) => final === true || kind === "not_executed"

export const noToken = "no token at this address returns a balance and its decimals"
