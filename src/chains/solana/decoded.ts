import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Client from "../../jsonrpc/Client.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"

/** The decoded result of a call, or why it cannot be used. */
export const decoded = <A, I>(
  schema: Schema.Schema<A, I>,
  outcome: Client.Outcome | undefined
): Either.Either<A, Fault> => {
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(refused(outcome?.left))
  return Either.mapLeft(Schema.decodeUnknownEither(schema)(outcome.right), () => notUnderstood)
}

const refused = (error: Client.RpcError | undefined): Fault => ({
  reason: "upstream_error",
  detail: `the node rejected the call (${error?.code ?? 0})`
})

export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned a response in an unexpected format" }
