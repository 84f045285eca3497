import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import manifest from "#package.json" with { type: "json" }
import { describe } from "../contract/openapi.ts"
import { span } from "../kernel/span.ts"
import { framed } from "./docsFrame.ts"
import * as Compression from "./response/Compression.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** Routes that describe the contract and are not part of it. */
export const paths = ["/openapi.json", "/docs"] as const

/** The page contains all it needs; this policy keeps it from loading anything from other hosts. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "worker-src blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'"
].join("; ")

type Described = ReturnType<typeof describe>

/** The reference page. Its program is large, so it is loaded when the first reader comes, and not with the service. */
const page = Effect.fnUntraced(
  function* ({ api }: Described) {
    const Scalar = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
    const built = yield* Scalar.layer({
      path: "/docs",
      scalar: { withDefaultFonts: false, hideTestRequestButton: false }
    }).pipe(
      Layer.provide(Layer.succeed(HttpApi.Api, { api: api as never, context: Context.empty() })),
      Layer.provideMerge(HttpApiBuilder.Router.Live),
      Layer.build
    )
    const router = yield* Context.get(built, HttpApiBuilder.Router).router
    const app = yield* HttpRouter.toHttpApp(router)
    const response = yield* Effect.provideService(
      app,
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    )
    return response.body._tag === "Uint8Array" ? response.body.body : new Uint8Array(0)
  },
  Effect.scoped,
  span("Documents.page")
)

/** The OpenAPI document and the page that shows it. Both are made at the first request and then cached. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { appName, page: hasPage } = yield* ServerSettings
    const services = yield* Effect.context<HttpRouter.HttpRouter.DefaultServices>()
    const described = yield* Effect.cached(Effect.sync(() => describe({ appName, version: manifest.version })))

    const openapi = yield* described.pipe(
      Effect.map(({ spec }) => new TextEncoder().encode(JSON.stringify(spec))),
      Effect.map((body) => Compression.once(body, "application/json")),
      Effect.cached
    )
    const docs = yield* described.pipe(
      Effect.flatMap(page),
      Effect.orDie,
      Effect.provide(services),
      Effect.map((body) => new TextEncoder().encode(framed(new TextDecoder().decode(body), hasPage))),
      Effect.map((body) => Compression.once(body, "text/html; charset=utf-8")),
      Effect.cached
    )
    const answer = (document: typeof openapi) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(document, (encoded) => encoded(request.headers["accept-encoding"]))
      )
    yield* router.get("/openapi.json", answer(openapi))
    yield* router.get(
      "/docs",
      Effect.map(answer(docs), HttpServerResponse.setHeader("content-security-policy", policy))
    )
  })
)
