import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../Chain.ts"
import type { Head } from "../kit/status/currentHead.ts"
import type { Decimal } from "./amount.ts"
import type { LedgerTransaction } from "./LedgerTransaction.ts"
import type * as calls from "./providers/rippled/calls.ts"
import type { RippleTransaction } from "./RippleTransaction.ts"

/** A trust line from the perspective of one of its two accounts. */
export interface TrustLine {
  /** The other account, which is the issuer if the balance is positive. */
  readonly account: string
  readonly currency: string
  readonly balance: Decimal
}

export interface RippleAccount {
  readonly drops: bigint
  /** The number of objects that require a reserve; undefined if the node did not return it. */
  readonly objects: number | undefined
  /** Left if no node returned the complete list. */
  readonly lines: Either.Either<ReadonlyArray<TrustLine>, UpstreamError>
}

type RippleRead<A> = Effect.Effect<A, UpstreamError>

/** The account that issues tokens. */
export interface Issuer {
  readonly flags: number
  /** The address of the key that signs besides the master key; undefined without such a key. */
  readonly regularKey: string | undefined
}

/** Nodes of the ledger. Reads that take a node may be repeated at another one by their caller. */
export interface RippleProvider {
  readonly nodes: Upstream
  /** Fails if the newest ledger of a node does not fit the clock: other responses have its index alone. */
  readonly isCurrent: (node: Endpoint) => RippleRead<void>
  /** The newest validated ledger of a node. */
  readonly head: (node: Endpoint) => RippleRead<Head>
  /**
   * Reads the drops of an address, its object count and, if requested, all trust lines, from the same ledger. The
   * lines are requested concurrently, and again if a ledger was validated in between.
   */
  readonly account: (address: string, withLines: boolean) => RippleRead<RippleAccount>
  /** Reads the trust lines between an address and an issuer. */
  readonly linesTo: (address: string, issuer: string) => RippleRead<ReadonlyArray<TrustLine>>
  /** Reads an account in the open ledger; none if it does not exist. */
  readonly openAccount: (address: string) => RippleRead<Option.Option<typeof calls.openAccount.response.Type>>
  /** The flags of an account; none if it does not exist. */
  readonly flags: (address: string) => RippleRead<Option.Option<number>>
  /** The account of an issuer, from a node whose ledger is current; none if it does not exist. */
  readonly issuer: (address: string) => RippleRead<Option.Option<Issuer>>
  /** What an issuer owes in a currency: its supply; undefined if it owes nothing. */
  readonly obligation: (issuer: string, currency: string) => RippleRead<Decimal | undefined>
  /** The newest ledger, the ledgers that a node has, and the reserves of an account and of an object, in drops. */
  readonly server: (node: Endpoint) => RippleRead<typeof calls.serverInfo.response.Type>
  /** The cost of the open ledger and of the queue. */
  readonly fee: (node: Endpoint) => RippleRead<typeof calls.fee.response.Type>
  /** A page of the history of an account. */
  readonly transactions: (
    node: Endpoint,
    page: Parameters<typeof calls.accountTx.params>[0]
  ) => RippleRead<Option.Option<typeof calls.accountTx.response.Type>>
  /** The state of a transaction, or whether the node has searched the whole requested range for it. */
  readonly stateOf: (
    node: Endpoint,
    hash: string,
    range: Parameters<typeof calls.tx.params>[0]["range"]
  ) => RippleRead<typeof calls.tx.response.Type | boolean>
  /** Looks up a transaction, whose date is this one if it is in no ledger; undefined if the node does not have it. */
  readonly transaction: (node: Endpoint, hash: string, date: number) => RippleRead<LedgerTransaction | undefined>
  /** Sends to one node. */
  readonly send: (transaction: RippleTransaction) => RippleRead<SendOutcome>
  /** Looks up a transaction by its hash. */
  readonly find: (node: Endpoint, hash: string) => RippleRead<NodeResponse>
}

export const contradiction: Fault = {
  reason: "bad_answer",
  detail: "returned an account, then reported that it does not exist"
}

export const otherAccount: Fault = {
  reason: "bad_answer",
  detail: "returned data of an account that was not requested"
}

export const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
