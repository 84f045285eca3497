import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { Health, type HealthState } from "../Health.ts"
import * as Compression from "./Compression.ts"
import type { Sendable, SentResponse } from "./EncodedResponse.ts"

/** What a route answers with, whoever asks. */
export interface Content {
  readonly status: number
  readonly contentType: string
  readonly body: Uint8Array
}

/** An answer is made anew when it is so old, ms, or as soon as the state of the service is another. */
const maxAge = 1000

/** The answers about the state of the service, which need no router. */
export class Snapshots extends Context.Tag("http/response/Snapshots")<
  Snapshots,
  {
    /** What a GET of this path is answered with; making it waits for nothing. */
    readonly add: (path: string, content: Effect.Effect<Content>) => Effect.Effect<void>
    /** The answer to a GET or HEAD of this target at this time (ms); undefined for all other targets. */
    readonly find: (target: string, now: number) => Sendable | undefined
  }
>() {
  static readonly layer = Layer.effect(
    Snapshots,
    Effect.gen(function* () {
      const health = yield* Health
      const run = Runtime.runSyncExit(yield* Effect.runtime<never>())
      const contents = new Map<string, Effect.Effect<Content>>()
      const made = new Map<string, { readonly sendable: Sendable; readonly at: number; readonly state: HealthState }>()
      return {
        add: (path, content) => Effect.sync(() => contents.set(path, Effect.withTracerEnabled(content, false))),
        find: (target, now) => {
          const content = contents.get(target)
          if (content === undefined) return undefined
          const state = health.current()
          const last = made.get(target)
          if (last !== undefined && last.state === state && last.at <= now && now < last.at + maxAge)
            return last.sendable
          const exit = run(content)
          // The router says what is wrong.
          if (Exit.isFailure(exit)) return undefined
          const sendable = inAllForms(exit.value)
          made.set(target, { sendable, at: now, state })
          return sendable
        }
      }
    })
  )
}

/** Each form is made when it is first asked for. */
const inAllForms = ({ body, contentType, status }: Content): Sendable => {
  const isCompressed = body.byteLength >= Compression.worthwhile
  const forms = new Map<Compression.Encoding | undefined, SentResponse>()
  const make = (encoding: Compression.Encoding | undefined): SentResponse => {
    const encoded = new Uint8Array(encoding === undefined ? body : Compression.compressNow(body, encoding))
    const headers = {
      "content-type": contentType,
      "content-length": String(encoded.byteLength),
      ...(isCompressed ? { vary: "accept-encoding" } : {}),
      ...(encoding === undefined ? {} : { "content-encoding": encoding })
    }
    return { status, headers, body: encoded }
  }
  return {
    sent: ({ encoding }) => {
      const chosen = isCompressed ? encoding : undefined
      const sent = forms.get(chosen) ?? make(chosen)
      forms.set(chosen, sent)
      return sent
    }
  }
}
