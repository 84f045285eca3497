import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Call from "../upstream/Call.ts"
import type { Outcome } from "./Client.ts"

/** The result of a call; none if it was rejected, or its format is unexpected. */
export const resultOf = <A, I>(
  { response }: Pick<Call.RpcCall<never, unknown, A, I>, "response">,
  outcome: Outcome | undefined
): Option.Option<A> =>
  outcome === undefined
    ? Option.none()
    : Option.flatMap(Either.getRight(outcome), (value) => Schema.decodeUnknownOption(response)(value))
