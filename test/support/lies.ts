import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../src/upstream/FetchClient.ts"

/** A wrong value that every upstream returns instead of the right one. */
export interface WrongValue {
  /** Matches the position of the value: the call (a JSON-RPC method or a path), then the names of the members. */
  readonly at: RegExp
  /** The wrong value, or a function of the right value. */
  readonly value: unknown
}

interface Rewriting {
  lies: ReadonlyArray<WrongValue>
  /** Number of replaced values. */
  replaced: number
}

const made = ({ value }: WrongValue, right: unknown) => (typeof value === "function" ? value(right) : value)

/** Replaces values in a response; `place` is the position of `value`. */
const rewritten = (value: unknown, place: string, rewriting: Rewriting): unknown => {
  const lie = rewriting.lies.find(({ at }) => at.test(place))
  if (lie !== undefined) {
    rewriting.replaced++
    return made(lie, value)
  }
  if (Array.isArray(value)) return value.map((entry, index) => rewritten(entry, `${place}.${index}`, rewriting))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, rewritten(member, `${place}.${name}`, rewriting)])
  )
}

interface RpcCall {
  readonly id?: unknown
  readonly method?: unknown
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sentBody = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? parsed(Buffer.from(body.body).toString()) : undefined

/** Replaces values in the text of a response; matches JSON-RPC replies to calls by id. */
const rewrittenText = (request: HttpClientRequest.HttpClientRequest, text: string, rewriting: Rewriting): string => {
  const answer = parsed(text)
  const path = new URL(request.url).pathname
  const sent = sentBody(request)
  const calls = (Array.isArray(sent) ? sent : [sent]) as ReadonlyArray<RpcCall | undefined>
  const placeOf = (response: unknown) => {
    const call = Array.isArray(sent) ? calls.find((one) => one?.id === (response as RpcCall).id) : calls[0]
    return typeof call?.method === "string" ? call.method : path
  }
  if (answer === undefined) return String(rewritten(text, path, rewriting))
  const result =
    Array.isArray(answer) && Array.isArray(sent)
      ? answer.map((response) => rewritten(response, placeOf(response), rewriting))
      : rewritten(answer, placeOf(answer), rewriting)
  return JSON.stringify(result)
}

/** The sandbox, with upstreams that return the wrong values in `rewriting.lies`. */
export const rewritingSandbox = (networks: ReadonlyArray<NetworkFacts>) => {
  const rewriting: Rewriting & { isOne: (upstream: string) => boolean } = { lies: [], replaced: 0, isOne: () => true }
  const layer = Layer.map(Sandbox.layer(networks), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (effect, request) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentUpstream
          const response = yield* effect
          if (rewriting.lies.length === 0 || !rewriting.isOne(name)) return response
          const { "content-length": _, ...headers } = response.headers
          const body = rewrittenText(request, yield* response.text, rewriting)
          return yield* FetchClient.received(request, new Response(body, { status: response.status, headers }))
        })
      )
    )
  )
  return { rewriting, layer }
}
