import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { resultOf } from "../../../../jsonrpc/boundCalls.ts"
import type * as Client from "../../../../jsonrpc/Client.ts"
import { tooLarge } from "../../../../jsonrpc/callAll.ts"
import type * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { decodeQuantity, decodeWord } from "../../multicall.ts"

type MaybeOutcome = Client.Outcome | undefined

/** A result that may be null: undefined if it is; left if it cannot be read or is about something else. */
export const nullable = <P, A, I>(
  call: Pick<Call.RpcCall<P, unknown, A, I>, "about" | "response">,
  parameters: P,
  outcome: MaybeOutcome
): Either.Either<A | undefined, Fault> => {
  if (outcome === tooLarge) return Either.left(ResponseDecoder.tooLarge)
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(rejected)
  if (outcome.right === null) return Either.right(undefined)
  return Either.fromOption(
    Option.filter(resultOf(call, outcome), (found) => call.about?.(found, parameters) ?? true),
    () => unreadable
  )
}

const rejected: Fault = { reason: "upstream_error", detail: "the node rejected the call" }
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
