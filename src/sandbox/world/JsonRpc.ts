import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { json, type Refusal, refused, type SimulatedRequest, type Working } from "./wire.ts"

/** Each returns its result, or an effect or Either that may fail with the error of the node. */
export type Methods = Readonly<Record<string, (params: ReadonlyArray<unknown>, now: number) => unknown>>

/** The words of a kind of node. */
interface Words {
  readonly missing: (method: string) => Refusal
  readonly unparsed?: string
  /** Where it cannot read the parameters. */
  readonly unreadable: Refusal
}

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

/** A node that answers a request or a batch (JSON-RPC 2.0). */
export const node =
  (methods: Methods, words: Words, write: (answer: unknown) => Response = json): Working =>
  (request) =>
    Effect.map(answers(methods, words, request), (answer) => write(answer))

const answers = (methods: Methods, words: Words, { body, now }: SimulatedRequest): Effect.Effect<unknown> => {
  const answer = (request: unknown) => {
    const { id = null, method, params } = Object(request) as Readonly<Record<string, unknown>>
    const outcome = Effect.suspend(() => {
      const name = String(method)
      const known = Object.hasOwn(methods, name) ? methods[name] : undefined
      if (known === undefined) return Effect.fail(words.missing(name))
      const found = known(Array.isArray(params) ? params : [], now)
      return (Effect.isEffect(found) ? found : Effect.succeed(found)) as Effect.Effect<unknown, unknown>
    })
    return Effect.match(
      Effect.catchAllDefect(outcome, () => Effect.fail(words.unreadable)),
      {
        onFailure: (error) => ({ jsonrpc: "2.0", id, error }),
        onSuccess: (result): object => ({ jsonrpc: "2.0", id, result })
      }
    )
  }
  return Option.match(parsed(body), {
    onNone: () => Effect.succeed({ jsonrpc: "2.0", id: null, error: refused(-32700, words.unparsed ?? "Parse error") }),
    onSome: (request): Effect.Effect<unknown> =>
      Array.isArray(request) ? Effect.forEach(request, (each: unknown) => answer(each)) : answer(request)
  })
}
