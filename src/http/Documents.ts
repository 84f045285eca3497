import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe } from "../contract/openapi.ts"
import { madeOnce } from "../kernel/madeOnce.ts"
import { span } from "../kernel/span.ts"
import { release } from "../settings/build.ts"
import { type CachedResponse, ResponseCache } from "./response/ResponseCache.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** Colours of the page, from src/page/style/tokens.css, for the reference on light and dark screens. */
export const colours = {
  ground: ["#f5f6f8", "#0d1015"],
  surface: ["#ffffff", "#161a21"],
  line: ["#dfe3ea", "#2a313c"],
  ink: ["#12161d", "#eef1f6"],
  "ink-soft": ["#525b6a", "#a3adbc"],
  accent: ["#2346c8", "#9db5ff"],
  up: ["#0b6b3a", "#63d297"],
  down: ["#b3261e", "#ff9a90"],
  warning: ["#7d4b00", "#f1c264"]
} as const

/** CSS variables of Scalar, which renders the reference, and the colours that they get. */
const uses: ReadonlyArray<readonly [variable: string, colour: keyof typeof colours]> = [
  ["background-1", "surface"],
  ["background-2", "ground"],
  ["background-3", "line"],
  ["border-color", "line"],
  ["color-1", "ink"],
  ["color-2", "ink-soft"],
  ["color-3", "ink-soft"],
  ["color-accent", "accent"],
  // Colours of methods and statuses. Scalar's own are too light to be readable for everyone.
  ["color-blue", "accent"],
  ["color-green", "up"],
  ["color-red", "down"],
  ["color-orange", "warning"],
  ["color-yellow", "warning"]
]

const rule = (selector: string, screen: 0 | 1) =>
  `${selector}{${uses.map(([variable, colour]) => `--scalar-${variable}:${colours[colour][screen]}`).join(";")}}`

const fonts =
  '--scalar-font:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;--scalar-font-code:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'

const style = [
  `:root{--scalar-custom-header-height:3rem;${fonts}}`,
  rule("body,.light-mode", 0),
  rule(".dark-mode", 1),
  "body{margin:0}",
  // Some parts of the reference are wider than the screen of a phone.
  ".references-rendered{overflow-x:clip}",
  ".site{position:sticky;top:0;z-index:10;box-sizing:border-box;display:flex;gap:1rem;align-items:center;height:3rem;padding:0 1rem;background:var(--scalar-background-1);border-bottom:1px solid var(--scalar-border-color);color:var(--scalar-color-1);font:1rem/1.5 var(--scalar-font)}",
  ".site a{color:var(--scalar-color-accent)}",
  ".site .name{color:inherit;font-weight:700;text-decoration:none}"
].join("\n")

/** Not a `header` element: the reference has its own. */
const header = (hasPage: boolean) =>
  hasPage
    ? '<nav class="site" aria-label="Views"><a class="name" href="/">wallet-data</a><a href="/">Portfolio</a><a href="/#/status">Status</a></nav>'
    : '<div class="site"><span class="name">wallet-data</span></div>'

/** Adds the style of the page to the reference, and links to the page if it is on. */
export const framed = (html: string, hasPage: boolean): string =>
  html
    .replace(/<html>/, '<html lang="en">')
    .replace(/<body[^>]*>/, (body) => `${body}<style>${style}</style>${header(hasPage)}`)

/** Routes that describe the contract but are not part of it. */
export const paths = ["/openapi.json", "/docs"] as const

/** The page contains everything it needs; this policy prevents requests to other hosts. */
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

/** Reference page. Its code is large, so it is loaded at the first request and not at startup. */
const page = Effect.fnUntraced(
  function* ({ api }: Effect.Effect.Success<ReturnType<typeof describe>>) {
    const Scalar = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
    // The steps take up to 30 ms each: other requests run in between.
    yield* Effect.sleep(0)
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

/** Clients revalidate it, so that it describes the running service. */
const responseOf = (text: string, contentType: string, headers: CachedResponse["headers"] = {}): CachedResponse => ({
  body: new TextEncoder().encode(text),
  contentType,
  headers,
  cacheControl: "no-cache",
  isCurrent: () => true
})

/** Serves the OpenAPI document and the page that shows it. Both are built at the first request and then cached. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { appName, page: hasPage } = yield* ServerSettings
    const { respond } = yield* ResponseCache
    const services = yield* Effect.context<HttpRouter.HttpRouter.DefaultServices>()
    const described = yield* madeOnce(describe({ appName, version: release.version }))

    const openapi = yield* madeOnce(
      Effect.map(described, ({ spec }) => responseOf(JSON.stringify(spec), "application/json"))
    )
    const docs = yield* described.pipe(
      Effect.flatMap(page),
      Effect.orDie,
      Effect.zipLeft(Effect.sleep(0)),
      Effect.provide(services),
      Effect.map((body) => framed(new TextDecoder().decode(body), hasPage)),
      Effect.map((html) => responseOf(html, "text/html; charset=utf-8", { "content-security-policy": policy })),
      madeOnce
    )
    const answer = (document: typeof openapi) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(document, (response) => respond(request, response))
      )
    yield* router.get("/openapi.json", answer(openapi))
    yield* router.get("/docs", answer(docs))
  })
)
