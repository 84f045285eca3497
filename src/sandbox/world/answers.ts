import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Call from "../../upstream/Call.ts"
import { patternOf } from "../../upstream/ProviderCalls.ts"
import type { Refusal, SimulatedRequest } from "./wire.ts"

/** A request for a call, with the parameters in its path. Members of the body are optional: a client may omit any. */
export interface CallRequest<Path extends string, B> {
  readonly parameters: Call.Named<Path>
  readonly body: Partial<B>
  /** The body as text. */
  readonly text: string
  readonly bytes: Uint8Array
  readonly query: URLSearchParams
  readonly now: number
}

/** A response in the format that the adapter decodes; also an empty list where the adapter needs a row. */
type Answer<I> = I extends ReadonlyArray<infer Row> ? ReadonlyArray<Row> : I

/** How a simulated provider answers a call. */
export interface Answered {
  readonly pattern: RegExp
  readonly answer: (request: CallRequest<string, unknown>) => unknown
}

/** Answers a call: with undefined if what it requests does not exist, or with a response that refuses it. */
export const answered = <Path extends string, P, B, A, I>(
  { path }: Call.Call<Path, P, B, A, I>,
  answer: (request: CallRequest<Path, B>) => Answer<I> | Response | undefined
): Answered => ({
  pattern: patternOf(path),
  answer: answer as Answered["answer"]
})

/** The answer to a request, by the first call that has it; none if the request is for none of the calls. */
export const answerOf = (
  all: ReadonlyArray<Answered>,
  { body, bytes = new Uint8Array(), now, path, query }: SimulatedRequest
): Option.Option<unknown> => {
  const request = { body: Option.getOrElse(parsed(body), () => ({})), text: body, bytes, query, now }
  let found = Option.none<unknown>()
  for (const { answer, pattern } of all) {
    const groups = pattern.exec(path)
    if (groups === null) continue
    const value = answer({ ...request, parameters: groups.groups ?? {} })
    found = Option.some(value)
    if (value !== undefined) break
  }
  return found
}

const parsed = Option.liftThrowable((body: string): object => JSON.parse(body))

/** A request for a method of a JSON-RPC API. A client may omit any member of the parameters. */
export interface RpcRequest<B> {
  readonly params: Partial<B>
  readonly now: number
}

/** How a simulated node answers a method. */
export interface RpcAnswered {
  readonly method: string
  readonly answer: (request: RpcRequest<unknown>) => unknown
}

/** Answers a method of a JSON-RPC API; with undefined if its object does not exist, or another answer has it. */
export const answeredRpc = <P, B, A, I>(
  { rpc }: Call.RpcCall<P, B, A, I>,
  answer: (request: RpcRequest<B>) => Answer<I> | Either.Either<Answer<I>, Refusal> | undefined
): RpcAnswered => ({ method: rpc, answer: answer as RpcAnswered["answer"] })

/** The answer to a method; undefined if no answer has it. */
export const rpcAnswerOf = (all: ReadonlyArray<RpcAnswered>, method: string, params: object, now: number): unknown => {
  for (const answered of all) {
    const found = answered.method === method ? answered.answer({ params, now }) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
