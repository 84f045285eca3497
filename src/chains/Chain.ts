import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { NetworkFacts } from "../catalogue/NetworkFacts.ts"
import type { Token } from "../domain/Token.ts"
import type { HistoryPart, HistoryQuery } from "../domain/Transaction.ts"
import type { Rpc } from "../jsonrpc/proxy/Rpc.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"

/** What one address holds of one asset, in base units; or why that could not be read. */
export interface Holding {
  readonly asset: Token | "native"
  readonly amount: Either.Either<bigint, Unread>
}

/** What addresses hold, as of one answer; what that answer is without stands beside it and is of no other. */
export interface HoldingsResult {
  /**
   * In the order of the addresses, each with the native coin first and always, then the tokens of the registry that are
   * not zero or could not be read.
   */
  readonly addresses: ReadonlyArray<Either.Either<ReadonlyArray<Holding>, Unread>>
  /** Why the addresses that were read are without their tokens: there was no list of them. Undefined when all is there. */
  readonly missing: Unread | undefined
}

/** Why a single amount is not known, though its neighbours are. */
export type Unread = Pick<UpstreamError, "reason" | "message">

/** The upstreams that serve an ability, in order, or why there are none. */
export type Served = Either.Either<ReadonlyArray<string>, string>

/** What `GET /networks` lists beside the node proxy, which names its own upstreams: each member of {@link Chain} has its own. */
export interface Abilities {
  readonly balance: Served
  readonly tokens: Served
  readonly history?: Served
  readonly rawTransactions?: Served
  readonly firstTransaction?: Served
}

/** What a node said about a raw transaction, in its own words. */
export interface NodeResponse {
  /** It took the transaction, or found it; it refused it; it knows no such transaction. */
  readonly verdict: "done" | "refused" | "unknown"
  /** The body of its answer, unchanged. */
  readonly body: string
  readonly contentType: string
}

/** A text that a client gave, checked before anybody is asked: the form to ask with; left says to people what is wrong. */
type Check = (text: string) => Either.Either<string, string>

/** Raw transactions of a network. */
export interface RawTransactions {
  /** Sends one that was checked, to one node at a time, and never again after a node may have taken it. */
  readonly sending?: {
    readonly check: Check
    readonly send: (transaction: string) => Effect.Effect<NodeResponse, Unread>
  }
  /** Looks one up by its hash. */
  readonly finding: {
    readonly check: Check
    readonly find: (hash: string) => Effect.Effect<NodeResponse, Unread>
  }
}

/** When an address was first used. */
export interface FirstTransaction {
  /** UNIX time in seconds. */
  readonly at: number
  /** Why an older one is not ruled out; absent where nothing is open. */
  readonly uncertainty?: string
}

/** What is told in JSON, as its provider writes it, and the epoch of the chain that it is of. */
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

/** What any network can be asked, whatever stands behind it. */
export class Chain extends Context.Tag("chains/Network")<
  Chain,
  {
    readonly facts: NetworkFacts
    /**
     * The canonical form of an address, equal for all its spellings; left says to people what is wrong. Nothing that it
     * refuses reaches an upstream.
     */
    readonly address: (text: string) => Either.Either<string, string>
    /**
     * So many addresses are best asked together: more are asked in parts, and a part that is late costs no other. Absent
     * where the network itself answers with what it has in time.
     */
    readonly batchSize?: number
    /** All that each address (in canonical form) holds. Cannot fail as a whole. */
    readonly holdings: (addresses: ReadonlyArray<string>) => Effect.Effect<HoldingsResult>
    /** Whether a text in the place of a token means the native coin. Absent where the network has no such name for it. */
    readonly meansNative?: (token: string) => boolean
    /**
     * What one address holds of one asset: of the native coin, or of a token in the client's spelling, which need not be
     * in the registry.
     */
    readonly holding: (address: string, token: Option.Option<string>) => Effect.Effect<Holding, Unread>
    /** The transactions of one address. Absent where the network cannot tell them. */
    readonly history?: (query: HistoryQuery) => Effect.Effect<HistoryPart, Unread>
    /** Its nodes, as clients may use them, and those of its test network. Absent where calls are not passed on. */
    readonly rpc?: { readonly main: Rpc; readonly testnet?: Rpc }
    /** Absent where raw transactions are neither sent nor looked up. */
    readonly rawTransactions?: RawTransactions
    /** Absent where the network has no such parameters. */
    readonly protocolParameters?: ProtocolParameters
    /** The oldest transaction that names an address; none where there is none. Absent where that is not told. */
    readonly firstTransaction?: (address: string) => Effect.Effect<Option.Option<FirstTransaction>, Unread>
    readonly abilities: Effect.Effect<Abilities>
  }
>() {}
