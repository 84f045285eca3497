import { createHash } from "node:crypto"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import { describe } from "../contract/openapi.ts"
import { madeOnce } from "../kernel/madeOnce.ts"
import { span } from "../kernel/span.ts"
import { release } from "../settings/build.ts"
import { llmsOf } from "./reference/llms.ts"
import { pageOf } from "./reference/page.ts"
import type { Document } from "./reference/parts.ts"
import { script } from "./reference/script.ts"
import { style } from "./reference/style.ts"
import { type CachedResponse, ResponseCache } from "./response/ResponseCache.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** Routes that describe the contract but are not part of it. */
export const paths = ["/openapi.json", "/docs", "/llms.txt"] as const

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The page contains everything it needs; this policy prevents requests to other hosts. */
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'"
].join("; ")

/** Clients revalidate it, so that it describes the running service. */
const responseOf = (text: string, contentType: string, headers: CachedResponse["headers"] = {}): CachedResponse => ({
  body: new TextEncoder().encode(text),
  contentType,
  headers,
  cacheControl: "no-cache",
  isCurrent: () => true
})

/** Serves the OpenAPI document, and its routes for people and for language models: built at the first request, then cached. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { appName, page: hasPage } = yield* ServerSettings
    const { respond } = yield* ResponseCache
    const described = yield* madeOnce(describe({ appName, version: release.version }))
    const add = (path: (typeof paths)[number], made: (spec: OpenApi.OpenAPISpec) => CachedResponse) =>
      Effect.flatMap(madeOnce(Effect.map(described, made).pipe(span("Documents.of"))), (document) =>
        router.get(
          path,
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            Effect.flatMap(document, (response) => respond(request, response))
          )
        )
      )
    yield* add("/openapi.json", (spec) => responseOf(JSON.stringify(spec), "application/json"))
    yield* add("/docs", (spec) =>
      responseOf(pageOf(spec as unknown as Document, hasPage), "text/html; charset=utf-8", {
        "content-security-policy": policy
      })
    )
    yield* add("/llms.txt", (spec) => responseOf(llmsOf(spec as unknown as Document), "text/plain; charset=utf-8"))
  })
)
