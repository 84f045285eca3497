import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { NotFound } from "../../contract/Problem.ts"
import { madeOnce } from "../../kernel/madeOnce.ts"
import { span } from "../../kernel/span.ts"
import { type CachedResponse, ResponseCache } from "../response/ResponseCache.ts"
import { ServerSettings } from "../ServerSettings.ts"
import type { PageFile } from "./files.ts"

/** Routes of the page if `PAGE` is on; not part of the contract. */
export const paths = ["/", "/page/:file", "/favicon.ico"] as const

/** The page loads only its own files, and runs no inline code and no code from data. */
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

const documentFields = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

const document = "index.html"

const encoder = new TextEncoder()

/** The document is revalidated at each load, so that it refers to the files of the running service. */
const responseOf = ({ contentType, name, text }: PageFile): CachedResponse => ({
  contentType,
  body: encoder.encode(text),
  headers: name === document ? documentFields : {},
  cacheControl: name === document ? "no-cache" : "public, max-age=31536000, immutable",
  isCurrent: () => true
})

/** Loads the files at the first request, to keep startup fast. */
const load = Effect.map(
  Effect.promise(() => import("./files.ts")),
  ({ files }) => new Map(files.map((file) => [file.name, responseOf(file)]))
).pipe(span("Page.load"))

type Files = Effect.Effect.Success<typeof load>

/** The icon, for a URL that does not change with its content. */
const iconOf = (files: Files): CachedResponse | undefined => {
  const icon = [...files.values()].find(({ contentType }) => contentType?.startsWith("image/"))
  return icon && { ...icon, cacheControl: "public, max-age=86400" }
}

/** Serves the page at `/` and its files if `PAGE` is on. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { page } = yield* ServerSettings
    if (!page) return
    const responses = yield* ResponseCache
    const loaded = yield* madeOnce(load)
    const respond = (find: (files: Files) => CachedResponse | undefined) =>
      Effect.flatMap(loaded, (files) => {
        const found = find(files)
        return found === undefined
          ? new NotFound({ detail: "The page has no such file. The page may have changed; reload it." })
          : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => responses.respond(request, found))
      })
    yield* router.get(
      "/",
      respond((files) => files.get(document))
    )
    // Browsers request it if a document names no icon.
    yield* router.get("/favicon.ico", respond(iconOf))
    yield* router.get(
      "/page/:file",
      Effect.flatMap(HttpRouter.params, ({ file = "" }) =>
        respond((files) => (file === document ? undefined : files.get(file)))
      )
    )
  })
)
