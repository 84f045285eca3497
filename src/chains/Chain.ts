import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { AddressForm } from "../domain/AddressForm.ts"
import type { AccountResources, Fees } from "../domain/fees/Fees.ts"
import type { Token } from "../domain/Token.ts"
import type { HistoryPart, HistoryQuery, Transaction } from "../domain/Transaction.ts"
import type { TransactionContext } from "../domain/transactionContext/TransactionContext.ts"
import type { Rpc } from "../jsonrpc/Rpc.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { BalanceParts, Breakdowns } from "./Breakdown.ts"

/** What one address holds of one asset, in base units; or why that could not be read. */
export interface Holding {
  readonly asset: Token | "native"
  readonly amount: Either.Either<bigint, Unread>
  /** Of the native coin: the parts that the same response contains. */
  readonly parts?: BalanceParts
}

/** The holdings of addresses, and what is missing from this reading. */
export interface HoldingsResult {
  /**
   * In the order of the addresses, each with the native coin first and always, then the tokens of the registry that are
   * not zero or could not be read.
   */
  readonly addresses: ReadonlyArray<Either.Either<ReadonlyArray<Holding>, Unread>>
  /** Why the addresses that were read have no tokens: there was no list of them. Undefined when nothing is missing. */
  readonly missing: Unread | undefined
  /** Why single addresses have no tokens, in the order of the addresses. Absent where tokens are read with the coin. */
  readonly unreadTokens?: ReadonlyArray<Unread | undefined>
}

/** Why an amount could not be read. */
export type Unread = Pick<UpstreamError, "reason" | "message">

/** The upstreams that serve an ability, in order, or why there are none. */
export type Served = Either.Either<ReadonlyArray<string>, string>

/** The upstreams in `GET /networks` of each member of {@link Chain}; the node proxy names its own. */
export interface Abilities {
  readonly balance: Served
  readonly tokens: Served
  readonly history?: Served
  readonly rawTransactions?: Served
  readonly firstTransaction?: Served
  readonly fees?: Served
  readonly transactionContext?: Served
}

/** A node's response about a raw transaction. */
export interface NodeResponse {
  /** It accepted or found the transaction; it refused it; it does not have it. */
  readonly verdict: "done" | "refused" | "unknown"
  /** The body of the response, unchanged. */
  readonly body: string
  readonly contentType: string
}

/**
 * Checks a text from a client before any upstream is called: right is the form for the upstream, left the problem for
 * people.
 */
type Checked = (text: string) => Either.Either<Effect.Effect<NodeResponse, Unread>, string>

/** Raw transactions of a network. */
export interface RawTransactions {
  /** Sends a transaction to one node at a time, and never again after a node may have accepted it. */
  readonly sending?: Checked
  /** Looks one up by its hash. */
  readonly finding: Checked
}

/** When an address was first used. */
export interface FirstTransaction {
  /** UNIX time in seconds. */
  readonly at: number
  /** Why there may be an older one; absent where there is none. */
  readonly uncertainty?: string
}

/** Reads what a transaction of one address (in canonical form) is built from. */
export type ContextReader = (address: string) => Effect.Effect<TransactionContext, Unread>

/** JSON as its provider writes it, and the epoch of the chain that it belongs to. */
export interface OfEpoch {
  readonly epoch: number
  readonly json: string
}

/** What a wallet needs to build a transaction, where the network's rules change from epoch to epoch. */
export interface ProtocolParameters {
  /** The parameters in force. */
  readonly current: Effect.Effect<OfEpoch, Unread>
  /** The newest block. */
  readonly block: Effect.Effect<OfEpoch, Unread>
}

/** The heights by which the pages of a history are told apart. */
export interface Heights {
  /** The height of a transaction, the same whichever source returned it; never lower for a later one. */
  readonly of: (transaction: Transaction) => number
  /** By how much sources may differ about it, in the same unit; 0 where it is absent. */
  readonly tolerance?: number
  /** The chain of a transaction and its block there. Absent where the network has one chain. */
  readonly placeOf?: (transaction: Transaction) => { readonly chain: string; readonly block: number }
}

/** What an address may use without paying for it. */
export interface Resources extends Pick<AccountResources, "freeBandwidth" | "stakedBandwidth" | "stakedEnergy"> {
  /** Whether the example transfer then costs nothing. */
  readonly coverTransfer: boolean
}

/** What transactions cost on a network. */
export interface FeeSource {
  /** How long a reading is current, ms: about until the next block. */
  readonly lifetime: number
  /** Read anew. A part that could not be read is null in it; a failure means that nothing could be read. */
  readonly current: Effect.Effect<Fees, Unread>
  /** Absent where accounts have no resources of their own. */
  readonly resources?: (address: string) => Effect.Effect<Resources, Unread>
}

/** The port of every network, independent of its upstreams. */
export class Chain extends Context.Tag("chains/Chain")<
  Chain,
  {
    readonly facts: ChainFacts
    /**
     * The canonical form of an address, equal for all its spellings; left is the problem for people. No address that it
     * refuses reaches an upstream.
     */
    readonly address: (text: string) => Either.Either<string, string>
    /** What a text that `address` accepts is. Absent where each is a plain address with nothing to say about it. */
    readonly addressForm?: (text: string) => AddressForm
    /**
     * Addresses in one call of `holdings`: more are split, so that a slow part does not delay the others. Absent where
     * the network itself returns what it has in time.
     */
    readonly batchSize?: number
    /** The holdings of each address (in canonical form). Cannot fail as a whole. */
    readonly holdings: (addresses: ReadonlyArray<string>) => Effect.Effect<HoldingsResult>
    /** Whether a token's text means the native coin. Absent where the network has no such name for it. */
    readonly meansNative?: (token: string) => boolean
    /**
     * What one address holds of one asset: of the native coin, or of a token in the client's spelling, which need not
     * be in the registry.
     */
    readonly holding: (address: string, token: Option.Option<string>) => Effect.Effect<Holding, Unread>
    /** How native balances are broken down. Absent where nothing is known of it. */
    readonly breakdown?: Breakdowns
    /** The transactions of one address. Absent where no source has them. */
    readonly history?: (query: HistoryQuery) => Effect.Effect<HistoryPart, Unread>
    /** The heights of its transactions. Absent where a transaction's time is its height. */
    readonly heights?: Heights
    /** Its nodes and those of its test network for the node proxy. Absent where clients may not use them. */
    readonly rpc?: { readonly main: Rpc; readonly testnet?: Rpc }
    /** Absent where raw transactions are neither sent nor looked up. */
    readonly rawTransactions?: RawTransactions
    /** Absent where the network has no such parameters. */
    readonly protocolParameters?: ProtocolParameters
    /** The oldest transaction that names an address; none where there is none. Absent where it is not looked up. */
    readonly firstTransaction?: (address: string) => Effect.Effect<Option.Option<FirstTransaction>, Unread>
    /**
     * A reader for these addresses, for one request: what several of them need of their network is read once, by the first
     * that needs it. Absent where no transactions are built.
     */
    readonly transactionContexts?: (addresses: ReadonlyArray<string>) => Effect.Effect<ContextReader>
    /** Absent where the network has none that can be read. */
    readonly fees?: FeeSource
    readonly abilities: Effect.Effect<Abilities>
  }
>() {}
