import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Refusal, refused, type SimulatedRequest } from "./wire.ts"

/** The result of a method, or an effect or Either that may fail with the error of the node. */
export type RpcCall = (method: string, params: ReadonlyArray<unknown>, now: number) => unknown

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

/** The answers of a node to a request or a batch (JSON-RPC 2.0), also where it cannot read the parameters or the body. */
export const answers = (
  call: RpcCall,
  { unparsed = "Parse error", unreadable }: { readonly unparsed?: string; readonly unreadable: Refusal },
  { body, now }: SimulatedRequest
): Effect.Effect<unknown> => {
  const answer = (request: unknown) => {
    const { id = null, method, params } = Object(request) as Readonly<Record<string, unknown>>
    const outcome = Effect.suspend(() => {
      const found = call(String(method), Array.isArray(params) ? params : [], now)
      return (Effect.isEffect(found) ? found : Effect.succeed(found)) as Effect.Effect<unknown, unknown>
    })
    return Effect.match(
      Effect.catchAllDefect(outcome, () => Effect.fail(unreadable)),
      {
        onFailure: (error) => ({ jsonrpc: "2.0", id, error }),
        onSuccess: (result): object => ({ jsonrpc: "2.0", id, result })
      }
    )
  }
  return Option.match(parsed(body), {
    onNone: () => Effect.succeed({ jsonrpc: "2.0", id: null, error: refused(-32700, unparsed) }),
    onSome: (request): Effect.Effect<unknown> =>
      Array.isArray(request) ? Effect.forEach(request, (each: unknown) => answer(each)) : answer(request)
  })
}
