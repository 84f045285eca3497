import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { NotFound } from "../../contract/Problem.ts"
import { span } from "../../kernel/span.ts"
import type { CachedResponse } from "../response/CachedResponse.ts"
import { ResponseCache } from "../response/ResponseCache.ts"
import { ServerSettings } from "../ServerSettings.ts"
import type { PageFile } from "./files.ts"

/** The routes of the page where `PAGE` is on; they are not part of the contract. */
export const paths = ["/", "/page/:file", "/favicon.ico"] as const

/** The page loads nothing but its own files and runs no code that stands in the document, or in data. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** The document itself is revalidated each time, so that it names the files of the service that runs. */
const documentFields = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

const document = "index.html"

const encoder = new TextEncoder()

const responseOf = ({ contentType, name, text }: PageFile): CachedResponse => ({
  contentType,
  body: encoder.encode(text),
  headers: name === document ? documentFields : {},
  cacheControl: name === document ? "no-cache" : "public, max-age=31536000, immutable",
  isCurrent: () => true
})

/** Loaded when the first reader comes: a start without them is faster. */
const load = Effect.map(
  Effect.promise(() => import("./files.ts")),
  ({ files }) => new Map(files.map((file) => [file.name, responseOf(file)]))
).pipe(span("Page.load"))

type Files = Effect.Effect.Success<typeof load>

/** The icon under a name that does not change with it. */
const iconOf = (files: Files): CachedResponse | undefined => {
  const icon = [...files.values()].find(({ contentType }) => contentType?.startsWith("image/"))
  return icon && { ...icon, cacheControl: "public, max-age=86400" }
}

/** The page at `/` and its files; nothing where `PAGE` is off. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { page } = yield* ServerSettings
    if (!page) return
    const responses = yield* ResponseCache
    const loaded = yield* Effect.cached(load)
    const respond = (find: (files: Files) => CachedResponse | undefined) =>
      Effect.flatMap(loaded, (files) => {
        const found = find(files)
        return found === undefined
          ? new NotFound({ detail: "The page has no such file; it may have changed: load it again." })
          : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => responses.respond(request, found))
      })
    yield* router.get(
      "/",
      respond((files) => files.get(document))
    )
    // Browsers ask for it where a document names no icon.
    yield* router.get("/favicon.ico", respond(iconOf))
    yield* router.get(
      "/page/:file",
      Effect.flatMap(HttpRouter.params, ({ file = "" }) =>
        respond((files) => (file === document ? undefined : files.get(file)))
      )
    )
  })
)
