import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import { GuardedFetch } from "../../../src/upstream/guarded/GuardedFetch.ts"
import * as PublicHosts from "../../../src/upstream/guarded/PublicHosts.ts"
import { isPublic } from "../../../src/upstream/guarded/PublicHosts.ts"
import { selfSigned } from "../../support/selfSigned.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Attacks over real sockets. The tests count two addresses of this machine as public; a server listens on the first.

const ours = ["127.0.0.1", "127.0.0.2"]

const limit = 10_000

/** A server for all names below `icons.example` that responds by path, and a fetch that reaches it. */
const attacked = Effect.fnUntraced(function* (
  respond: (path: string, request: Request) => Response | Promise<Response>,
  addresses: (host: string, times: number) => ReadonlyArray<string> = () => ["127.0.0.1"]
) {
  const { certificate, key } = yield* selfSigned("DNS:icons.example,DNS:*.icons.example")
  const ca = readFileSync(certificate, "utf8")
  const requests: Array<{ readonly target: string; readonly headers: Readonly<Record<string, string>> }> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        development: false,
        tls: { key: readFileSync(key, "utf8"), cert: ca },
        fetch: (request) => {
          const { pathname, search } = new URL(request.url)
          requests.push({ target: pathname + search, headers: Object.fromEntries(request.headers) })
          return respond(pathname, request)
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )
  const resolved: Array<string> = []
  const send = PublicHosts.over({
    resolve: (host) => {
      resolved.push(host)
      return Promise.resolve(addresses(host, resolved.filter((other) => other === host).length))
    },
    isAllowed: (address) => ours.includes(address) || isPublic(address),
    port: server.port ?? 0,
    ca
  })
  const client = HttpClient.make((request, url) =>
    Effect.flatMap(CurrentUpstream, ({ guard }) =>
      guard === undefined ? Effect.dieMessage("a fetch without a guard") : send(request, url, guard)
    )
  )
  const { get } = yield* Effect.provide(
    GuardedFetch,
    Layer.provide(GuardedFetch.layer, Layer.succeed(HttpClient.HttpClient, client))
  )
  return {
    requests,
    resolved,
    get: (url: string) => get({ upstream: "icons", url, types: ["image/png"], maxBytes: limit }),
    failure: (url: string) =>
      Effect.map(
        Effect.flip(get({ upstream: "icons", url, types: ["image/png"], maxBytes: limit })),
        ({ detail }) => detail
      )
  }
})

const png = { headers: { "content-type": "image/png" } }
const image = () => new Response("image", png)
const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } })

const notAllowed = "the address is not allowed"
const unreachable = "could not be reached"

it.live("the addresses of a name are resolved, and a local name is not called", function* () {
  const url = new URL("https://localhost/")
  const failed = yield* Effect.flip(PublicHosts.get(HttpClientRequest.get(url), url, new AbortController().signal))
  assert.strictEqual(failed._tag, "RequestError")
  assert.strictEqual(failed.cause, "not a public host")
})

describe.skipIf(isMissing("openssl"))("a guarded fetch", () => {
  it.scopedLive("reads the body, and sends no cookies, credentials or trace ids", function* () {
    const { get, requests } = yield* attacked(image)
    const body = yield* get("https://icons.example/a%20b.png?size=1#part")
    yield* get(`https://icons.example/${"a".repeat(2_026)}`)
    assert.strictEqual(Buffer.from(body).toString(), "image")
    const { headers: { "user-agent": _, ...headers } = {}, target } = requests[0] ?? {}
    assert.strictEqual(target, "/a%20b.png?size=1")
    assert.deepStrictEqual(headers, {
      accept: "image/png",
      "accept-encoding": "identity",
      host: "icons.example"
    })
  })

  it.scopedLive(
    "connects to the address that it has checked, although the name then resolves to another",
    function* () {
      const { failure, get, requests, resolved } = yield* attacked(image, (_, times) =>
        times === 1 ? ["127.0.0.1"] : ["10.0.0.1"]
      )
      yield* get("https://rebind.icons.example/a.png")
      assert.deepStrictEqual(resolved, ["rebind.icons.example"])
      assert.strictEqual(yield* failure("https://rebind.icons.example/a.png"), unreachable)
      assert.lengthOf(requests, 1)
    }
  )

  it.scopedLive("calls no host with an address that is not public, even if another address is", function* () {
    const addresses = [
      ["10.0.0.1"],
      ["127.0.0.1", "10.0.0.1"],
      ["127.0.0.1", "::1"],
      ["127.0.0.1", "::ffff:127.0.0.1"],
      ["127.0.0.1", "169.254.169.254"],
      ["127.0.0.1", ""],
      []
    ]
    for (const all of addresses) {
      const { failure, requests } = yield* attacked(image, () => all)
      assert.strictEqual(yield* failure("https://icons.example/a.png"), unreachable, all.join())
      assert.lengthOf(requests, 0)
    }
  })

  it.scopedLive("uses the next address of a host if it cannot connect to the first", function* () {
    const { get } = yield* attacked(image, () => ["127.0.0.2", "127.0.0.1"])
    assert.strictEqual(Buffer.from(yield* get("https://icons.example/a.png")).toString(), "image")
  })

  it.scopedLive(
    "requires a certificate for the name, also at an address with a connection for another name",
    function* () {
      const { failure, get, requests } = yield* attacked(image)
      yield* get("https://icons.example/a.png")
      assert.strictEqual(yield* failure("https://other.example/a.png"), unreachable)
      assert.lengthOf(requests, 1)
    }
  )

  it.scopedLive(
    "refuses other schemes, ports, credentials, IP addresses in all spellings, and local names",
    function* () {
      const { failure, requests, resolved } = yield* attacked(image)
      const urls = [
        "http://icons.example/a.png",
        "ftp://icons.example/a.png",
        "file:///etc/passwd",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "//icons.example/a.png",
        "icons.example",
        "",
        "https://icons.example:8443/a.png",
        "https://icons.example:22/a.png",
        "https://user@icons.example/a.png",
        "https://user:password@icons.example/a.png",
        "https://:password@icons.example/a.png",
        "https://icons.example@127.0.0.1/a.png",
        "https://127.0.0.1/a.png",
        "https://127.1/a.png",
        "https://2130706433/a.png",
        "https://0x7f000001/a.png",
        "https://0177.0.0.1/a.png",
        "https://0x7f.0.0x0.1/a.png",
        "https://127.0.0.1./a.png",
        "https://１２７.０.０.１/a.png",
        "https://1.1.1.1/a.png",
        "https://[::1]/a.png",
        "https://[::ffff:127.0.0.1]/a.png",
        "https://[::ffff:7f00:1]/a.png",
        "https://[2606:4700::1111]/a.png",
        "https://localhost/a.png",
        "https://intranet/a.png",
        "https://icons.example./a.png",
        "https://icons..example/a.png",
        "https://icons.example%00.other.example/a.png",
        `https://icons.example/${"a".repeat(2_027)}`
      ]
      for (const url of urls) assert.strictEqual(yield* failure(url), notAllowed, url)
      assert.deepStrictEqual([requests, resolved], [[], []])
    }
  )

  it.scopedLive("checks the target of each redirect like the first address", function* () {
    const targets = [
      ["http://icons.example/a.png", notAllowed],
      ["https://127.0.0.1/a.png", notAllowed],
      ["https://[::1]/a.png", notAllowed],
      ["https://2130706433/", notAllowed],
      ["https://user:password@icons.example/a.png", notAllowed],
      ["https://icons.example:8443/a.png", notAllowed],
      ["//localhost/a.png", notAllowed],
      ["file:///etc/passwd", notAllowed],
      ["https://private.icons.example/a.png", unreachable],
      ["https://", "returned a redirect that is not followed"]
    ] as const
    for (const [target, expected] of targets)
      for (const status of [301, 302, 303, 307, 308]) {
        const { failure, requests } = yield* attacked(
          () => redirect(target, status),
          (host) => (host.startsWith("private.") ? ["192.168.0.1"] : ["127.0.0.1"])
        )
        assert.strictEqual(yield* failure("https://icons.example/"), expected, target)
        assert.lengthOf(requests, 1)
      }
  })

  it.scopedLive("follows three redirects, also to other hosts and relative ones, and no loop", function* () {
    const { failure, get, requests } = yield* attacked((path) =>
      path === "/1"
        ? redirect("https://two.icons.example/2")
        : path === "/2"
          ? redirect("3")
          : path === "/3"
            ? redirect("/4", 308)
            : path === "/loop"
              ? redirect("/loop")
              : image()
    )
    assert.strictEqual(Buffer.from(yield* get("https://icons.example/1")).toString(), "image")
    assert.deepStrictEqual(
      requests.map(({ headers }) => headers.host),
      ["icons.example", "two.icons.example", "two.icons.example", "two.icons.example"]
    )
    requests.length = 0
    assert.strictEqual(yield* failure("https://icons.example/loop"), "returned a redirect that is not followed")
    assert.lengthOf(requests, 4)
  })

  it.scopedLive("reads no body that is too large, of another type, encoded, or of another status", function* () {
    const bomb = gzipSync(Buffer.alloc(1_000_000))
    const { failure, get } = yield* attacked((path) => {
      if (path === "/fits") return new Response(Buffer.alloc(limit), png)
      if (path === "/declared") return new Response(Buffer.alloc(limit + 1), png)
      if (path === "/bomb") return new Response(bomb, { headers: { ...png.headers, "content-encoding": "gzip" } })
      if (path === "/encodings")
        return new Response(bomb, { headers: { ...png.headers, "content-encoding": "gzip, gzip" } })
      if (path === "/page") return new Response("image", { headers: { "content-type": "text/html" } })
      if (path === "/untyped") return new Response(Buffer.from("image"))
      if (path === "/partial") return new Response("image", { ...png, status: 206 })
      return new Response("image", { ...png, status: Number(path.slice(1)) })
    })
    assert.lengthOf(yield* get("https://icons.example/fits"), limit)
    const expected = {
      declared: "returned a response that is too large",
      bomb: "returned a response of another type",
      encodings: "returned a response of another type",
      page: "returned a response of another type",
      untyped: "returned a response of another type",
      partial: "returned a response of another type",
      404: "returned HTTP 404",
      429: "rate limit reached (HTTP 429)",
      500: "returned HTTP 500"
    }
    for (const [path, detail] of Object.entries(expected))
      assert.strictEqual(yield* failure(`https://icons.example/${path}`), detail, path)
  })

  it.scopedLive("closes the connection of a body that does not end", function* () {
    const closed = yield* Deferred.make<void>()
    const { failure } = yield* attacked(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(Buffer.alloc(1_000)),
            cancel: () => Deferred.unsafeDone(closed, Effect.void)
          }),
          png
        )
    )
    assert.strictEqual(yield* failure("https://icons.example/endless"), "returned a response that is too large")
    yield* Deferred.await(closed)
  })

  it.scopedLive("closes the connection of a response whose body it does not read", function* () {
    for (const headers of [{ "content-type": "text/html" }, { location: "http://icons.example/" }]) {
      const closed = yield* Deferred.make<void>()
      const { failure } = yield* attacked((_, request) => {
        request.signal.addEventListener("abort", () => Deferred.unsafeDone(closed, Effect.void))
        const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.alloc(1_000)) })
        return new Response(body, { status: "location" in headers ? 302 : 200, headers })
      })
      yield* failure("https://icons.example/")
      yield* Deferred.await(closed)
    }
  })
})
