import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Call from "../upstream/Call.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import type * as Client from "./Client.ts"
import { callAll, tooLarge } from "./callAll.ts"

/** The result of a call, or why it cannot be used. */
export type CallAnswer<A> = Either.Either<A, Fault>

/** The result of a call in its decoded form. */
export type ResultOf<R extends { readonly response: { readonly Type: unknown } }> = R["response"]["Type"]

/** A call to send, alone or among others, and how its outcome is read. */
export interface BoundCall<A> {
  readonly call: Client.ClientCall
  readonly read: (outcome: Client.Outcome | undefined) => CallAnswer<A>
}

/** A call with its parameters. */
export const bound = <P, B extends Client.ClientCall["params"], A, I>(
  rpc: Call.RpcCall<P, B, A, I>,
  parameters: P
): BoundCall<A> => {
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
  { call, read }: BoundCall<A>,
  of: (answer: CallAnswer<A>, outcome: Client.Outcome | undefined) => CallAnswer<B>
): BoundCall<B> => ({ call, read: (outcome) => of(read(outcome), outcome) })

/** Whether a node refused a call with this code. */
export const isRefused = (outcome: Client.Outcome | undefined, code: number) =>
  outcome !== undefined && Either.isLeft(outcome) && outcome.left.code === code

const decoded = <A, I>(schema: Schema.Schema<A, I>, outcome: Client.Outcome | undefined): CallAnswer<A> => {
  if (outcome === tooLarge) return Either.left(ResponseDecoder.tooLarge)
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(refused(outcome?.left))
  return Either.mapLeft(Schema.decodeUnknownEither(schema)(outcome.right), () => ResponseDecoder.notUnderstood)
}

/** The result of a call; none if it was rejected, or its format is unexpected. */
export const resultOf = <A, I>(
  { response }: Pick<Call.RpcCall<never, unknown, A, I>, "response">,
  outcome: Client.Outcome | undefined
): Option.Option<A> => Either.getRight(decoded(response, outcome))

/** A call without a usable response has no code. */
const refused = (error: Client.RpcError | undefined): Fault =>
  error === undefined || error.code === 0
    ? ResponseDecoder.notUnderstood
    : { reason: "upstream_error", detail: `the node rejected the call (${error.code})` }

type Calls = ReadonlyArray<BoundCall<unknown>>
type AllResults<T extends Calls> = { readonly [K in keyof T]: T[K] extends BoundCall<infer A> ? A : never }
type AllAnswers<T extends Calls> = { readonly [K in keyof T]: T[K] extends BoundCall<infer A> ? CallAnswer<A> : never }

/** Makes calls as {@link callAll} does; the answers are in their order. */
export const answersOf = <const T extends Calls>(
  node: Endpoint,
  all: T,
  format?: Client.CallFormat
): Effect.Effect<AllAnswers<T>, UpstreamError> =>
  Effect.map(
    callAll(
      node,
      all.map(({ call }) => call),
      format
    ),
    (outcomes) => all.map(({ read }, index) => read(outcomes[index])) as unknown as AllAnswers<T>
  )

/** As {@link answersOf}; fails if a result cannot be used. */
export const resultsOf = <const T extends Calls>(
  node: Endpoint,
  all: T,
  format?: Client.CallFormat
): Effect.Effect<AllResults<T>, UpstreamError> =>
  Effect.flatMap(answersOf(node, all, format), (answers) =>
    Either.mapBoth(Either.all(answers as ReadonlyArray<CallAnswer<unknown>>), {
      onLeft: node.fault,
      onRight: (results) => results as unknown as AllResults<T>
    })
  )

/** Makes one call; the result, or why it cannot be used. */
export const answerOf = <A>(
  node: Endpoint,
  only: BoundCall<A>,
  format?: Client.CallFormat
): Effect.Effect<CallAnswer<A>, UpstreamError> => Effect.map(answersOf(node, [only], format), ([answer]) => answer)
