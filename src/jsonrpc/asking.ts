import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Call from "../upstream/Call.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import type * as Client from "./Client.ts"
import { callAll, tooLarge } from "./callAll.ts"

/** The result of a call, or why it cannot be used. */
export type Answer<A> = Either.Either<A, Fault>

/** A call to send, alone or among others, and how its outcome is read. */
export interface Asked<A> {
  readonly call: Client.ClientCall
  readonly read: (outcome: Client.Outcome | undefined) => Answer<A>
}

/** A call with its parameters. */
export const asked = <P, B extends Client.ClientCall["params"], A, I>(
  rpc: Call.RpcCall<P, B, A, I>,
  parameters: P
): Asked<A> => {
  const { about = () => true, response } = rpc
  return {
    call: Call.methodOf(rpc, parameters),
    read: (outcome) =>
      Either.filterOrLeft(
        decoded(response, outcome),
        (found) => about(found, parameters),
        () => Call.notRequested
      )
  }
}

/** A call whose outcome is read in another way. */
export const readAs = <A, B>(
  { call, read }: Asked<A>,
  of: (answer: Answer<A>, outcome: Client.Outcome | undefined) => Answer<B>
): Asked<B> => ({ call, read: (outcome) => of(read(outcome), outcome) })

/** Whether a node refused a call with this code. */
export const isRefused = (outcome: Client.Outcome | undefined, code: number) =>
  outcome !== undefined && Either.isLeft(outcome) && outcome.left.code === code

const decoded = <A, I>(schema: Schema.Schema<A, I>, outcome: Client.Outcome | undefined): Answer<A> => {
  if (outcome === tooLarge) return Either.left(ResponseDecoder.tooLarge)
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(refused(outcome?.left))
  return Either.mapLeft(Schema.decodeUnknownEither(schema)(outcome.right), () => notUnderstood)
}

/** A call without a usable response has no code. */
const refused = (error: Client.RpcError | undefined): Fault =>
  error === undefined || error.code === 0
    ? notUnderstood
    : { reason: "upstream_error", detail: `the node rejected the call (${error.code})` }

export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned a response in an unexpected format" }

type Calls = ReadonlyArray<Asked<unknown>>
type Results<T extends Calls> = { readonly [K in keyof T]: T[K] extends Asked<infer A> ? A : never }
type Answers<T extends Calls> = { readonly [K in keyof T]: T[K] extends Asked<infer A> ? Answer<A> : never }

/** Makes calls as {@link callAll} does; the answers are in their order. */
export const askAll = <const T extends Calls>(
  node: Endpoint,
  all: T,
  format?: Client.CallFormat
): Effect.Effect<Answers<T>, UpstreamError> =>
  Effect.map(
    callAll(
      node,
      all.map(({ call }) => call),
      format
    ),
    (outcomes) => all.map(({ read }, index) => read(outcomes[index])) as unknown as Answers<T>
  )

/** As {@link askAll}; fails if a result cannot be used. */
export const askWhole = <const T extends Calls>(
  node: Endpoint,
  all: T,
  format?: Client.CallFormat
): Effect.Effect<Results<T>, UpstreamError> =>
  Effect.flatMap(askAll(node, all, format), (answers) =>
    Either.mapBoth(Either.all(answers as ReadonlyArray<Answer<unknown>>), {
      onLeft: node.fault,
      onRight: (results) => results as unknown as Results<T>
    })
  )

/** Makes one call; the result, or why it cannot be used. */
export const ask = <A>(
  node: Endpoint,
  only: Asked<A>,
  format?: Client.CallFormat
): Effect.Effect<Answer<A>, UpstreamError> => Effect.map(askAll(node, [only], format), ([answer]) => answer)
