import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type RpcAnswered, rpcAnswerOf } from "./answers.ts"
import { json, type Refusal, refused, type Simulated } from "./wire.ts"

/** Each method returns its result, or an Either of the result and the node's error. */
export type Methods = Readonly<Record<string, (params: ReadonlyArray<unknown>, now: number) => unknown>>

/** The methods of a node by its answers, of which the first that has the object counts; a missing object is null. */
export const methodsOf = (answers: ReadonlyArray<RpcAnswered>): Methods =>
  Object.fromEntries(
    answers.map(({ method }) => [
      method,
      (params: ReadonlyArray<unknown>, now: number) => rpcAnswerOf(answers, method, params, now) ?? null
    ])
  )

/** Error texts of a kind of node. */
interface Words {
  readonly missing: (method: string) => Refusal
  readonly unparsed?: string
  /** Error for invalid parameters. */
  readonly unreadable: Refusal
}

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

/** Simulates a JSON-RPC 2.0 node; supports batches. */
export const node = (methods: Methods, words: Words, write: (answer: unknown) => Response = json): Simulated => {
  const answer = (request: unknown, now: number) => {
    const { id = null, method, params } = Object(request) as Readonly<Record<string, unknown>>
    const name = String(method)
    const known = Object.hasOwn(methods, name) ? methods[name] : undefined
    const outcome = Either.try({
      try: () =>
        known === undefined ? Either.left(words.missing(name)) : known(Array.isArray(params) ? params : [], now),
      catch: () => words.unreadable
    })
    const result = Either.flatMap(outcome, (found) =>
      Either.isEither(found) ? (found as Either.Either<unknown, unknown>) : Either.right(found)
    )
    return Either.match(result, {
      onLeft: (error): object => ({ jsonrpc: "2.0", id, error }),
      onRight: (result) => ({ jsonrpc: "2.0", id, result })
    })
  }
  return ({ body, now }) =>
    write(
      Option.match(parsed(body), {
        onNone: (): unknown => ({ jsonrpc: "2.0", id: null, error: refused(-32700, words.unparsed ?? "Parse error") }),
        onSome: (request) =>
          Array.isArray(request) ? request.map((each: unknown) => answer(each, now)) : answer(request, now)
      })
    )
}
