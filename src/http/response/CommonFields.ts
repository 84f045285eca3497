import * as Effect from "effect/Effect"
import * as Cors from "../access/Cors.ts"
import { Health } from "../Health.ts"
import { Mode } from "../Mode.ts"
import { ServerSettings } from "../ServerSettings.ts"
import { varying } from "./Compression.ts"
import type { HeaderFields } from "./HeaderFields.ts"

/** The header fields that every response has, whichever step responds. */
export const make = Effect.gen(function* () {
  const { corsOrigins } = yield* ServerSettings
  const health = yield* Health
  const mode = yield* Mode
  const cors = Cors.make(corsOrigins)
  const anyOrigin = corsOrigins.includes("*")

  const always = { "x-content-type-options": "nosniff", ...(mode.sandbox ? { "x-sandbox": "true" } : {}) }
  const memo = (more: HeaderFields) => {
    const complete = new WeakMap<HeaderFields, HeaderFields>()
    return (own: HeaderFields): HeaderFields => {
      const before = complete.get(own)
      if (before !== undefined) return before
      const fields = { ...own, ...always, ...more }
      complete.set(own, fields)
      return fields
    }
  }
  /** With the fields that are common to all of them. */
  const merged = new WeakMap<HeaderFields, WeakMap<HeaderFields, HeaderFields>>()
  const merge = (own: HeaderFields, shared: HeaderFields): HeaderFields => {
    const before = merged.get(shared)?.get(own)
    if (before !== undefined) return before
    const others = merged.get(shared) ?? new WeakMap<HeaderFields, HeaderFields>()
    merged.set(shared, others)
    const vary = own.vary === undefined ? {} : { vary: varying(shared.vary, own.vary) }
    const fields = { ...own, ...shared, ...vary }
    others.set(own, fields)
    return fields
  }
  const open = memo({})
  const closing = memo({ connection: "close" })

  /** Whether the service is about to end; responses then close their connections. */
  const isEnding = () => health.current() === "draining" || health.current() === "stopping"

  /** For a response to a page of this origin: the same object as long as the fields are the same. */
  const common = (origin: string | undefined): HeaderFields => (isEnding() ? closing : open)(cors.headers(origin))

  /** Without the id. */
  const unnamed = (origin: () => string | undefined, own: HeaderFields): HeaderFields =>
    merge(own, common(anyOrigin ? undefined : origin()))
  const headersOf = new WeakMap<HeaderFields, Headers>()

  return {
    isEnding,
    common,
    /** All fields of a response that has these of its own. */
    complete: (origin: () => string | undefined, id: string, own: HeaderFields): HeaderFields => ({
      ...unnamed(origin, own),
      "x-request-id": id
    }),
    /** The same for a response that is made at once: one object for all of them, which the response copies. */
    headers: (origin: () => string | undefined, id: string, own: HeaderFields): Headers => {
      const fields = unnamed(origin, own)
      const headers = headersOf.get(fields) ?? new Headers(fields)
      headersOf.set(fields, headers)
      headers.set("x-request-id", id)
      return headers
    }
  }
})
