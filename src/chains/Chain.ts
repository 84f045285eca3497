import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { AddressForm, Delegate } from "../domain/AddressForm.ts"
import type { Part } from "../domain/Breakdown.ts"
import type { CoinId } from "../domain/CoinId.ts"
import type { Estimate, Unsigned } from "../domain/Estimate.ts"
import type { AccountResources, Fees } from "../domain/fees/Fees.ts"
import type { Gap } from "../domain/history/Gap.ts"
import type { Heights } from "../domain/history/Heights.ts"
import type { Multiplier, Scaling } from "../domain/Multiplier.ts"
import type { Price } from "../domain/Price.ts"
import type { Replacement } from "../domain/Replacement.ts"
import type { SendReason } from "../domain/SendReason.ts"
import type { Token } from "../domain/Token.ts"
import type { HistoryPart, HistoryQuery, Transaction, TransactionState } from "../domain/Transaction.ts"
import type { TransactionContext } from "../domain/TransactionContext.ts"
import type { TokenFacts, TokenName } from "../domain/tokens/TokenFacts.ts"
import type { Height, Millis, Seconds } from "../domain/units.ts"
import type { Rpc, RpcCall, RpcReply } from "../jsonrpc/Rpc.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import type { HoldingsOptions, UnlistedTokens } from "./kit/holdings/unlisted.ts"
import type { SignedContent } from "./kit/sending/content.ts"

/** Amount of one asset at one address, or why it could not be read. */
export interface Holding {
  readonly asset: Token | "native"
  /** Stored base units, which transactions move; left also if the multiplier of the token could not be read. */
  readonly amount: Either.Either<bigint, ReadFailure>
  /** Absent if wallets display the stored amount. */
  readonly scaling?: Scaling
  /** Whether its multiplier could not be read: then no price is known to be for its unit. */
  readonly isUnitUnknown?: true
  /** For the native coin: the parts in the same response. */
  readonly parts?: BalanceParts
  /** For an extended key: the addresses derived from it, in canonical form. Absent if one may be missing. */
  readonly derived?: ReadonlySet<string>
}

/** Holdings of several addresses, and the parts that this reading lacks. */
export interface HoldingsResult {
  /**
   * In the order of the addresses. Each list starts with the native coin, always; then come the tokens of the registry
   * that have a balance or could not be read.
   */
  readonly addresses: ReadonlyArray<Either.Either<ReadonlyArray<Holding>, ReadFailure>>
  /** Why no address has tokens: the token list was not loaded. Undefined when nothing is missing. */
  readonly missing: ReadFailure | undefined
  /** Why single addresses have no tokens, in the order of the addresses. Absent if tokens are read with the coin. */
  readonly unreadTokens?: ReadonlyArray<ReadFailure | undefined>
  /** If requested, the tokens that the registry lacks, in the order of the addresses. Absent if no source lists them. */
  readonly unlisted?: ReadonlyArray<UnlistedTokens>
}

/** Why an amount could not be read. */
export type ReadFailure = Pick<UpstreamError, "reason" | "message">

/** Parts of a native balance in base units; unknown parts are absent. */
export interface BalanceParts extends Readonly<Partial<Record<Part, bigint>>> {}

/** A native balance and its parts from one reading; they fit the network's rule for their sum. */
export interface DetailedBalance {
  /** Balance of the native coin, equal to the amount of its holding. */
  readonly amount: bigint
  readonly parts: BalanceParts
  /** Why some parts could not be read. */
  readonly missing?: ReadFailure
}

/** Reads the parts of balances that need separate calls. */
export interface BreakdownReader {
  /** The parts that it reads for every address. */
  readonly parts: ReadonlyArray<Part>
  /** Whether the amount is summed from a list; it must then equal the amount of the holding. */
  readonly isSum?: true
  /** In the order of the addresses (canonical form, at most `batchSize`). Cannot fail as a whole. */
  readonly read: (
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Either.Either<DetailedBalance, ReadFailure>>>
}

/** Reads the parts of balances, or says that the whole balance is spendable. */
export type Breakdowns = "whole" | BreakdownReader

/** Scalings by token in canonical form; a token that is absent has none. */
export type Scalings = ReadonlyMap<string, Either.Either<Scaling, ReadFailure>>

/** A listed token with a multiplier other than 1. */
export interface ScaledToken {
  readonly address: string
  readonly coinId: CoinId
  readonly multiplier: Multiplier
}

/** The upstreams that serve an ability, in order, or the reason why it is not available. */
export type AbilitySources = Either.Either<ReadonlyArray<string>, string>

/** Upstreams of each ability of {@link Chain}, for `GET /networks`; the node proxy reports its own. */
export interface Abilities {
  readonly balance: AbilitySources
  readonly tokens: AbilitySources
  readonly history?: AbilitySources
  readonly rawTransactions?: AbilitySources
  readonly firstTransaction?: AbilitySources
  readonly fees?: AbilitySources
  readonly transactionContext?: AbilitySources
}

/** A node's response about a raw transaction. */
export interface NodeResponse {
  /** `done`: accepted or found; `refused`: rejected; `unknown`: the node does not have it. */
  readonly verdict: "done" | "refused" | "unknown"
  /** The body of the response, unchanged. */
  readonly body: string
  readonly contentType: string
}

/** Why no node is known to have accepted or refused a transaction. */
export interface SendFailure extends ReadFailure {
  /** A node may have received it; absent if nothing was sent. */
  readonly mayHaveArrived?: true
}

/** The decision of a node about a transaction, or of the service about one that is not worth sending. */
export interface SendOutcome {
  readonly accepted: boolean
  /** It was accepted earlier, so that this sending changed nothing. */
  readonly alreadyKnown: boolean
  /** Why it was not accepted; null if it was. */
  readonly reason: SendReason | null
  /** The node's own words, without addresses; null if it has none, or was not called. */
  readonly nodeMessage: string | null
  /** The node's response, for clients of raw transactions. */
  readonly response?: NodeResponse
}

/** A signed transaction of the network that passed all checks that need no upstream. */
export interface SignedTransaction {
  /** Its hash in the format of histories, computed from its bytes. */
  readonly hash: string
  /** Other hashes that nodes return for it. */
  readonly aliases?: ReadonlyArray<string>
  /** Last time at which a block may include it; absent if its bytes do not say. */
  readonly expiry?: Millis
  /** Last block that may include it, on networks whose transactions name that instead of a time. */
  readonly lastBlock?: Height
  /** Longest time from its sending to its last block, ms, if that depends on the block at its sending. */
  readonly lifetime?: number
  /** The nonce of its account, or the outputs (`hash:index`), that only one transaction can use. */
  readonly uses?: { readonly account: string; readonly nonce: bigint } | { readonly outputs: ReadonlyArray<string> }
  /** True if its status is `replaced`, never `not_found`, once its nonce is used. */
  readonly countsNonces?: true
  /** Notes for reading its status, as of its sending: see `PendingMemory`. */
  readonly notes?: (sentAt: Millis) => ReadonlyArray<string>
  /** Reasons of a refusal that also result from its own earlier arrival. */
  readonly ambiguous: ReadonlyArray<SendReason>
  /** Reads the decision in a node's reply to a JSON-RPC call that sends it. */
  readonly decided?: (reply: RpcReply) => Either.Either<SendOutcome, Fault>
  /** Its effects, by its bytes alone. */
  readonly content: () => SignedContent
  /** Why the service does not send it; absent if it does. */
  readonly refusal?: SendReason
  /** The failure of every send, if the service has no node of the network. */
  readonly off?: ReadFailure
  /** The response about it, for clients of raw transactions, if the network has it already. */
  readonly known?: NodeResponse
  /**
   * Sends to one node at a time; never resends it after a node may have accepted it. Nothing is looked up: see
   * `decide` in chains/kit/sending.
   */
  readonly send: Effect.Effect<SendOutcome, SendFailure>
}

/** Checks the text of a signed transaction; left is the problem in words. */
export type ReadSigned = (text: string) => Either.Either<SignedTransaction, string>

/** A transaction that is sent raw. All of it may belong to an extension block, whose hashes are not known. */
export type RawTransaction = Omit<SignedTransaction, "content" | "hash"> & { readonly hash: string | undefined }

/** Raw transactions of a network, with the responses of nodes. */
export interface RawTransactions {
  /** Checks the text of a signed transaction; left is the problem in words. The outcomes have a response. */
  readonly prepareSend?: (text: string) => Either.Either<RawTransaction, string>
  /** Looks up a transaction by its hash; left is the problem of the client's text in words. */
  readonly prepareLookup: (text: string) => Either.Either<Effect.Effect<NodeResponse, ReadFailure>, string>
}

/** The state of a transaction. A field is absent if the sources do not have it. */
export interface TransactionStatus {
  readonly status: TransactionState
  /** Number of blocks from its block to the newest, both included. */
  readonly confirmations?: number
  readonly block?: Height
  /** Time of its block. */
  readonly at?: Seconds
  /** The fee that was paid, base units of the native coin. */
  readonly fee?: bigint
  /** Whether it is final, by the protocol or by its age; absent if that is unknown. */
  readonly final?: boolean
  /** Hash of the transaction that replaced it. */
  readonly replacedBy?: string
}

/** The status of a transaction, or why it could not be read. */
export type StatusResult = Either.Either<TransactionStatus, ReadFailure>

/** The account at an address. */
export interface RecipientAccount {
  /** Null if no account exists. */
  readonly kind: "account" | "contract" | null
  /** The contract that it has delegated to (EIP-7702). */
  readonly delegatedTo?: Delegate
  /** Whether it refuses payments without a tag. */
  readonly needsTag?: boolean
  /** True if no key of the address exists. */
  readonly isBurnt: boolean
}

/** A transaction that was looked up by its hash, with all its parties: as its first payer sees it. */
export interface FoundTransaction {
  /** Undefined if the sources that responded do not have it. */
  readonly transaction: Transaction | undefined
  /** The upstreams that returned it. */
  readonly sources: ReadonlyArray<string>
  /** Parts that are or may be missing. */
  readonly gaps: ReadonlyArray<Gap>
  /** True if it is the trace of the transaction, whose block and result may be others. */
  readonly ofTrace?: true
}

/** Statuses of transactions by their hashes. */
export interface Statuses {
  /** Returns the canonical form of a hash, equal for all its spellings; left is the problem in words. */
  readonly hash: (text: string) => Either.Either<string, string>
  /** Reads the statuses of hashes in canonical form, in their order. */
  readonly read: (hashes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StatusResult>, ReadFailure>
}

/** When an address was first used. */
export interface FirstTransaction {
  readonly at: Seconds
  /** Why there may be an older transaction; absent if this is certainly the first. */
  readonly uncertainty?: string
}

/** Reads the data for building a transaction of one address (in canonical form). */
export type ContextReader = (address: string) => Effect.Effect<TransactionContext, ReadFailure>

/** JSON unchanged from its provider, and the epoch of the chain that it belongs to. */
export interface EpochJson {
  readonly epoch: number
  readonly json: string
}

/** Protocol parameters and newest block, for building transactions if the rules change per epoch. */
export interface ProtocolParameters {
  /** The parameters in force. */
  readonly current: Effect.Effect<EpochJson, ReadFailure>
  /** The newest block. */
  readonly block: Effect.Effect<EpochJson, ReadFailure>
}

/** Resources that an address may use for free. */
export interface Resources extends Pick<AccountResources, "freeBandwidth" | "stakedBandwidth" | "stakedEnergy"> {
  /** Whether they cover the example transfer, which is then free. */
  readonly coverTransfer: boolean
}

/** Source of a network's transaction fees. */
export interface FeeSource {
  /** How long a reading is valid, ms: about one block. */
  readonly lifetime: number
  /** Reads the fees, uncached. Parts that could not be read are null; fails only if no part could be read. */
  readonly current: Effect.Effect<Fees, ReadFailure>
  /** Absent if accounts have no resources. */
  readonly resources?: (address: string) => Effect.Effect<Resources, ReadFailure>
}

/** The newest block of a network. */
export interface NewestBlock {
  readonly height: Height
  /** When it was made; absent if the source does not return it. */
  readonly at?: Seconds
}

/** Reads the newest block of one source of a network. */
export interface SourceHead {
  readonly upstream: string
  /** Absent if the upstream itself selects one of its addresses. */
  readonly host?: string
  /** The chain id that a successful read proves. */
  readonly chain?: number
  readonly read: Effect.Effect<NewestBlock, UpstreamError>
}

/** The port of every network, independent of its upstreams. */
export class Chain extends Context.Tag("chains/Chain")<
  Chain,
  {
    readonly facts: ChainFacts
    /**
     * Returns the canonical form of an address, equal for all its spellings; left is the problem in words. Addresses
     * that it rejects never reach an upstream.
     */
    readonly address: (text: string) => Either.Either<string, string>
    /** Describes a text that `address` accepts. Absent if every such text is a plain address without a note. */
    readonly addressForm?: (text: string) => AddressForm
    /**
     * Maximum addresses per call of `holdings`: longer lists are split so that a slow part does not delay the others.
     * Absent if the adapter itself returns partial results in time.
     */
    readonly batchSize?: number
    /** Reads the holdings of each address (in canonical form). Cannot fail as a whole. */
    readonly holdings: (addresses: ReadonlyArray<string>, options?: HoldingsOptions) => Effect.Effect<HoldingsResult>
    /** Whether a client's token text means the native coin. Absent if the network has no such spelling. */
    readonly meansNative?: (token: string) => boolean
    /** Returns the canonical form of a token, equal for all its spellings. Absent if tokens have the form of addresses. */
    readonly canonicalToken?: (text: string) => Option.Option<string>
    /**
     * Reads the amount of one asset at one address: the native coin, or a token in the client's spelling, which need
     * not be in the registry.
     */
    readonly holding: (address: string, token: Option.Option<string>) => Effect.Effect<Holding, ReadFailure>
    /** Reads what tokens in canonical form call themselves; a token is absent if that could not be read. Cannot fail. */
    readonly tokenNames?: (tokens: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, TokenName>>
    /**
     * Reads the contract of a token in canonical form, in one block; none if there certainly is no token. Absent if the
     * network has no tokens.
     */
    readonly tokenFacts?: (token: string) => Effect.Effect<Option.Option<TokenFacts>, ReadFailure>
    /**
     * Reads the scalings of tokens in canonical form, without tokens whose stored amount is displayed. Cannot fail.
     * Absent if the network has no such tokens.
     */
    readonly scalings?: (tokens: ReadonlyArray<string>) => Effect.Effect<Scalings>
    /**
     * Reads current prices of tokens per displayed unit, by address. Cannot fail: a token is absent if its price, or the
     * unit of its price, is not known. Absent if no source says which unit its prices are for.
     */
    readonly displayedPrices?: (tokens: ReadonlyArray<ScaledToken>) => Effect.Effect<ReadonlyMap<string, Price>>
    /** How native balances are broken down. Absent if unknown. */
    readonly breakdown?: Breakdowns
    /** Reads the transactions of one address. Absent if no source lists them. */
    readonly history?: (query: HistoryQuery) => Effect.Effect<HistoryPart, ReadFailure>
    /** The heights of its transactions. Absent if a transaction's time serves as its height. */
    readonly heights?: Heights
    /** Its nodes and those of its test network for the node proxy. Absent if clients may not use them. */
    readonly rpc?: {
      readonly main: Rpc
      readonly testnet?: Rpc
      /** Texts in a call that may be, for `sending`, the transactions which it sends. */
      readonly signedIn?: (call: RpcCall) => ReadonlyArray<string>
    }
    /** Absent if raw transactions are neither sent nor looked up. */
    readonly rawTransactions?: RawTransactions
    /** Reads the newest block, uncached, from a source that follows the network. Absent if no source returns it. */
    readonly newestBlock?: Effect.Effect<NewestBlock, ReadFailure>
    /** The newest block of each source, uncached and also of sources that do not follow the network. */
    readonly heads?: ReadonlyArray<SourceHead>
    /** Absent if no source returns the status of a transaction. */
    readonly statuses?: Statuses
    /** Looks up a transaction by its hash in the canonical form of `statuses`. Absent if no source has its parties. */
    readonly transaction?: (hash: string) => Effect.Effect<FoundTransaction, ReadFailure>
    /** Reads what a pending transaction's replacement must pay, by its hash in canonical form. Absent if unsupported. */
    readonly replacement?: (hash: string) => Effect.Effect<Replacement, ReadFailure>
    /** Estimates the gas of a transaction whose addresses are in canonical form. Absent if unsupported. */
    readonly estimate?: (transaction: Unsigned) => Effect.Effect<Estimate, ReadFailure>
    /** Reads the account that a payment to an address in canonical form would go to. Absent if nothing is known of it. */
    readonly recipient?: (address: string) => Effect.Effect<RecipientAccount, ReadFailure>
    /** Sends signed transactions, also to the test network where the service has its nodes. */
    readonly sending?: { readonly main: ReadSigned; readonly testnet?: ReadSigned }
    /** Absent if the network has no such parameters. */
    readonly protocolParameters?: ProtocolParameters
    /** Finds the oldest transaction that names an address; none if the address is unused. Absent if not supported. */
    readonly firstTransaction?: (address: string) => Effect.Effect<Option.Option<FirstTransaction>, ReadFailure>
    /**
     * Returns a reader for the addresses of one request: data that they share is read once, on first use. Absent if
     * building transactions is not supported.
     */
    readonly transactionContexts?: (addresses: ReadonlyArray<string>) => Effect.Effect<ContextReader>
    /** Absent if the network has no fees that can be read. */
    readonly fees?: FeeSource
    readonly abilities: Effect.Effect<Abilities>
  }
>() {}
