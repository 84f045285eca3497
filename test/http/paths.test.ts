import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { paths } from "../../src/http/Documents.ts"
import * as Routes from "../../src/http/request/Routes.ts"
import { routerConfig } from "../../src/http/Server.ts"
import { Edge, problem } from "../support/edge.ts"
import { assert, built, describe, it } from "../support/vitest.ts"

const { find } = Routes.make(paths)

const templates = [
  "/balance",
  "/price/coin/details/:platform",
  "/price/coin/details/:platform/:contract",
  "/utils/rpc/:network",
  "/utils/rpc/:network/testnet",
  "/utils/fund-testnet-account/:address",
  "/app/mdata/list/:coins/:period"
]

/** A segment as a client may send it: any text, percent-encoded. */
const segment = FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((text) => !/^\.{1,2}$/.test(text) && text.isWellFormed())
  .map((text) => ({ text, sent: encodeURIComponent(text) }))

const path = FastCheck.constantFrom(...templates).chain((template) =>
  FastCheck.tuple(
    ...template.split("/").map((part) => (part.startsWith(":") ? segment : FastCheck.constant(part)))
  ).map((parts) => ({
    template,
    parameters: parts.flatMap((part) => (typeof part === "string" ? [] : [part.text])),
    sent: parts.map((part) => (typeof part === "string" ? part : part.sent)).join("/")
  }))
)

/** An edit that makes a different path, which a lenient router would treat as the same path. */
const spoilt = FastCheck.tuple(
  FastCheck.constantFrom("//", "/./", "/;/", "/%2f", "/%2e/", "/x/../", "\\"),
  FastCheck.nat(),
  FastCheck.constantFrom(...templates.filter((template) => !template.includes(":")))
)

describe("a path", () => {
  it.prop("matches its route with decoded parameters, also with a trailing slash", [path], ([route]) => {
    for (const sent of [route.sent, `${route.sent}/`]) {
      const found = find(sent)
      assert.strictEqual(found?.route.template, route.template)
      assert.deepStrictEqual(found?.parameters, route.parameters)
      assert.deepStrictEqual(find(found?.path ?? ""), found)
    }
  })

  it.prop("matches no route if its fixed parts are spelled differently", [spoilt], ([[edit, at, template]]) => {
    const places = [...template].flatMap((letter, index) => (letter === "/" ? [index] : []))
    const place = places[at % places.length] ?? 0
    assert.isUndefined(find(`${template.slice(0, place)}${edit}${template.slice(place + 1)}`))
    assert.isUndefined(find(`${template}//`))
    assert.isUndefined(find(`${template};x`))
    const letter = 1 + (at % (template.length - 1))
    const code = template.charCodeAt(letter).toString(16)
    assert.isUndefined(find(`${template.slice(0, letter)}%${code}${template.slice(letter + 1)}`))
    assert.isUndefined(find(template.toUpperCase()))
  })

  it.effect.prop("matches the same route with the same parameters in the router", [path], ([route]) =>
    Effect.gen(function* () {
      const canonical = find(route.sent)?.path ?? ""
      const handlers = templates.map((template) =>
        HttpRouter.makeRoute(
          "GET",
          template as HttpRouter.PathInput,
          Effect.map(HttpRouter.RouteContext, ({ params }) =>
            HttpServerResponse.unsafeJson({ template, parameters: Object.values(params) })
          )
        )
      )
      const app = yield* HttpRouter.toHttpApp(HttpRouter.fromIterable(handlers))
      const request = HttpServerRequest.fromWeb(new Request("http://localhost/")).modify({ url: `${canonical}?a=b` })
      const response = yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
      const returned = HttpServerResponse.toWeb(response)
      const { parameters, template } = route
      assert.deepStrictEqual(yield* Effect.promise(() => returned.json()), { template, parameters })
    }).pipe(Effect.scoped, Effect.provide(routerConfig))
  )

  it("matches no route if a parameter is empty, malformed or too long", () => {
    for (const part of ["", "%", "%zz", "%E0%A4%A", "%ff", "a".repeat(Routes.maxParameter + 1)])
      assert.isUndefined(find(`/utils/rpc/${part}`), part.slice(0, 20))
    assert.isDefined(find(`/utils/rpc/${"%20".repeat(Routes.maxParameter)}`))
    assert.isUndefined(find(`/utils/rpc/${"/".repeat(1_000_000)}`))
  })
})

/** Spellings of a path that once bypassed the edge and reached the handler of the route. */
const aliases = (path: string) => [
  `/${path}`,
  `${path}//`,
  `${path};x`,
  `${path}%2f`,
  `${path}%3Bx`,
  path.replace("/", "/%2f"),
  `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  path.replace(/\/(?=[^/]*$)/, "//"),
  path.replace(/\/(?=[^/]*$)/, "/;/")
]

describe("another spelling of a path", () => {
  it("is 404 for every method, and its body is not read", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    let read = 0
    const body = () =>
      new ReadableStream(
        {
          pull: (controller) => {
            read++
            controller.enqueue(new Uint8Array(1024))
            if (read > 50) controller.close()
          }
        },
        { highWaterMark: 0 }
      )
    for (const path of aliases("/balance/token"))
      for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
        const headers = { "content-type": "multipart/form-data; boundary=x" }
        const response = yield* call(path, method === "POST" ? { method, headers, body: body() } : { method })
        assert.strictEqual(response.status, 404, `${method} ${path}`)
      }
    assert.strictEqual(read, 0)
  })

  it("does not allow HEAD for a GET route with side effects", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const path = "/utils/fund-testnet-account/0x1"
    assert.strictEqual((yield* call(path, { method: "HEAD" })).status, 405)
    for (const alias of [`/${path}`, path.replace("/0x1", "//0x1"), path.replace("utils", "%75tils")])
      assert.strictEqual((yield* call(alias, { method: "HEAD" })).status, 404, alias)
  })

  it("is logged with the route `unmatched`", function* () {
    const { call, lines } = yield* built(Edge, Edge.layer())
    assert.strictEqual((yield* problem(yield* call("//health/live"))).status, 404)
    assert.strictEqual(lines.at(-1)?.annotations.route, "unmatched")
  })
})
