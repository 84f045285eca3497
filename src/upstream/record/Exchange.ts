import { createHash } from "node:crypto"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { tryOrElse } from "../../kernel/tryOrElse.ts"

declare global {
  // TC39 "JSON.parse source text access": supported by Bun, but not yet in TypeScript's library.
  interface JSON {
    rawJSON: (text: string) => unknown
    isRawJSON: (value: unknown) => boolean
  }
}

/** A recorded exchange, as stored in a file. A body is JSON, or else text; numbers have the digits of the upstream. */
export const Exchange = Schema.Struct({
  provider: Schema.String,
  request: Schema.Struct({
    method: Schema.String,
    host: Schema.optional(Schema.String),
    path: Schema.String,
    query: Schema.Record({ key: Schema.String, value: Schema.String }),
    body: Schema.Unknown
  }),
  response: Schema.Struct({
    status: Schema.Number,
    headers: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
    body: Schema.Unknown
  }),
  provenance: Schema.Struct({ kind: Schema.String, note: Schema.String })
})
export type Exchange = typeof Exchange.Type

/** The request of a call, without secrets. */
export const request = (
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  hide: (text: string) => string
): Exchange["request"] => {
  const body = bodyText(request)
  const path = hide(url.pathname)
  return {
    method: request.method,
    host: url.host,
    path: tryOrElse(decodeURI, path, () => path),
    query: Object.fromEntries([...url.searchParams].map(([key, value]) => [key, hide(value)])),
    body: body === "" ? null : parse(hide(body))
  }
}

/** Equal for equal requests to any host. */
export const keyOf = ({ body, method, path, query }: Exchange["request"]): string =>
  createHash("sha256")
    .update(JSON.stringify([method, path, Object.entries(query).sort(), canonical(body)]))
    .digest("hex")

/** Parses JSON and preserves the text of every number; returns other texts, and JSON strings, as unchanged text. */
export const parse = (text: string): unknown =>
  readJson(text).pipe(
    Option.filter((value) => typeof value !== "string"),
    Option.getOrElse(() => text)
  )

/** The response as sent by the upstream. */
export const respond = ({ body, headers, status }: Exchange["response"]): Response =>
  new Response(bodiless.includes(status) ? null : typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers
  })

/** Statuses whose responses have no body (RFC 9110). */
const bodiless = [204, 205, 304]

const readJson = Option.liftThrowable((text: string): unknown =>
  JSON.parse(text, function (this: unknown, _key: string, value: unknown, context?: { readonly source: string }) {
    if (typeof value !== "number" || context === undefined || String(value) === context.source) return value
    return JSON.rawJSON(context.source)
  } as (key: string, value: unknown) => unknown)
)

const bodyText = ({ body }: HttpClientRequest.HttpClientRequest): string => {
  if (body._tag === "Uint8Array") return Buffer.from(body.body).toString("utf8")
  return body._tag === "Raw" && typeof body.body === "string" ? body.body : ""
}

/** Members in a fixed order, so that two spellings of an object are equal. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, canonical(member)])
  )
}
