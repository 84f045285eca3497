import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { concealing } from "../kernel/text/concealSecrets.ts"
import { CurrentUpstream } from "../upstream/CurrentUpstream.ts"

/** A request to a simulated upstream whose code threw an error. */
export interface Thrown {
  /** The code: a simulator, or a mock of a test. */
  readonly by: string
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
  readonly error: unknown
}

/** Maximum length of a body in a message. */
const longestBody = 1_000

/** Names the code, the request and the error, without secrets. */
export const describe = ({ by, error, request, url }: Thrown): Effect.Effect<string> =>
  Effect.map(CurrentUpstream, ({ secrets }) => {
    const { body, method } = request
    const text = body._tag === "Uint8Array" ? ` ${new TextDecoder().decode(body.body)}` : ""
    const shown = text.length > longestBody ? `${text.slice(0, longestBody)}…` : text
    return concealing(secrets.map(Redacted.value))(`${by} failed at ${method} ${url.href}${shown}: ${String(error)}`)
  })

interface Reaction {
  readonly respond: (thrown: Thrown) => Effect.Effect<Response, HttpClientError.HttpClientError>
}

/** Responds to requests whose simulation throws. Default: logs the error and responds with 500. */
export class Defects extends Context.Reference<Defects>()("sandbox/Defects", {
  defaultValue: (): Reaction => ({
    respond: (thrown) =>
      Effect.flatMap(describe(thrown), (message) => Effect.logError(message, thrown.error)).pipe(
        Effect.as(new Response("Internal Server Error", { status: 500 }))
      )
  })
}) {}
