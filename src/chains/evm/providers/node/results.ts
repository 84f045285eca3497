import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { bound, type CallAnswer } from "../../../../jsonrpc/boundCalls.ts"
import type * as Client from "../../../../jsonrpc/Client.ts"
import type * as Call from "../../../../upstream/Call.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { decodeQuantity, decodeWord } from "../../multicall.ts"

type MaybeOutcome = Client.Outcome | undefined

/** A result that may be null: undefined if it is; left if it cannot be used. */
export const nullable = <P, B extends Client.ClientCall["params"], A, I>(
  call: Call.RpcCall<P, B, A, I>,
  parameters: P,
  outcome: MaybeOutcome
): CallAnswer<A | undefined> =>
  outcome !== undefined && Either.isRight(outcome) && outcome.right === null
    ? Either.right(undefined)
    : bound(call, parameters).read(outcome)

export const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }

/** The call format for results of contracts. */
export const ofContracts = { ofContracts: true }

/** The first word of a result. */
export const word = (outcome: MaybeOutcome) => text(outcome, decodeWord)

/** The quantity in a result. */
export const quantity = (outcome: MaybeOutcome) => text(outcome, decodeQuantity)

const text = <A>(outcome: MaybeOutcome, decode: (hex: string) => Option.Option<A>) =>
  outcome !== undefined && Either.isRight(outcome) && typeof outcome.right === "string"
    ? decode(outcome.right)
    : Option.none<A>()
