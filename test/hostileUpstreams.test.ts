import { gzipSync } from "node:zlib"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as App from "../src/App.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import type { Balance } from "../src/domain/Balance.ts"
import { Portfolio } from "../src/features/balances/Portfolio.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Memory from "../src/storage/Memory.ts"
import { CurrentUpstream } from "../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../src/upstream/FetchClient.ts"
import { samples } from "./chains/families/samples.ts"
import { body, Service } from "./support/app.ts"
import { unlimitedSettings } from "./support/counted.ts"
import { settled } from "./support/settled.ts"
import { networks } from "./support/tier.ts"
import { assert, describe, it, layer } from "./support/vitest.ts"

// Upstreams that return harmful responses. These must only affect the numbers of that upstream.

/** Replaces the body of a response; status and headers stay. */
type Mischief = (text: string) => string | Uint8Array<ArrayBuffer>

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

/** A response with the value in all members that decoders read. */
const everywhere = (value: string) =>
  `{"jsonrpc":"2.0","id":1,${["result", "data", "coins", "tokens", "accounts", "balances", "status"].map((name) => `"${name}":${value}`).join()}}`

/** Replaces every JSON number, and every text that contains a number. */
const numbered = (number: string) => (text: string) =>
  text.replace(/(?<=[:,[]\s*)(?:-?\d[\d.eE+-]*|"-?\d[\d.]*")(?=\s*[,\]}])/g, (found, at: number) =>
    // Keeps ids: a response with another id would be ignored.
    /"id"\s*:\s*$/.test(text.slice(Math.max(0, at - 8), at)) ? found : found.startsWith('"') ? `"${number}"` : number
  )

/** A valid number: as an amount it is zero. */
const minusZero = "minus zero"

const mischiefs: Readonly<Record<string, Mischief>> = {
  "deeply nested arrays instead of numbers": () => everywhere(nested(100_000)),
  "nested arrays below the depth limit": () => everywhere(nested(900)),
  "long lists of wrong rows": () => everywhere(`[${'{"a":1},'.repeat(2_000)}1]`),
  "invalid UTF-8 and NUL": (text) => Buffer.concat([Buffer.from(text), Buffer.of(0, 0xff, 0xc0)]),
  "names of prototype members": (text) =>
    text.replaceAll(
      '{"',
      '{"__proto__":{"balance":"1","result":"0x1"},"constructor":{"prototype":1},"toString":1,"hasOwnProperty":1,"'
    ),
  "every member twice": (text) => text.replaceAll(/\{("\w+":)(?=["\d])/g, "{$1null,$1"),
  "numbers beyond the range of doubles": numbered("1e400"),
  "very small numbers": numbered("1e-7"),
  "fractional numbers": numbered("0.5"),
  "NaN instead of numbers": numbered("NaN"),
  [minusZero]: numbered("-0")
}

const addresses = Object.fromEntries(networks.map((info) => [info.id as string, samples(info, 1)]))

/** The sandbox, where selected upstreams return changed responses. */
const spoilable = () => {
  const spoilt: { by: Mischief; isOne: (upstream: string) => boolean } = { by: (text) => text, isOne: () => false }
  const layer = Layer.map(Sandbox.layer(Catalogue.all), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (effect, request) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentUpstream
          const response = yield* effect
          if (!spoilt.isOne(name)) return response
          const { "content-length": _, ...headers } = response.headers
          const body = spoilt.by(yield* response.text)
          return yield* FetchClient.received(request, new Response(body, { status: response.status, headers }))
        })
      )
    )
  )
  return { spoilt, layer }
}

/** A portfolio with loaded token lists, and its rows while nothing is spoilt. */
class Spoilable extends Context.Tag("test/Spoilable")<
  Spoilable,
  {
    readonly ask: Effect.Effect<ReadonlyArray<Balance>>
    readonly good: ReadonlyArray<Balance>
    readonly spoilt: ReturnType<typeof spoilable>["spoilt"]
  }
>() {
  static readonly layer = Layer.unwrapEffect(
    Effect.sync(() => {
      const world = spoilable()
      return Layer.effect(
        Spoilable,
        Effect.gen(function* () {
          const { balances } = yield* Portfolio
          const ask = settled(
            Effect.map(balances(addresses), ({ rows }) => rows),
            "12 seconds"
          )
          yield* ask
          return { ask, good: yield* ask, spoilt: world.spoilt }
        })
      ).pipe(
        Layer.provide(App.useCases),
        Layer.provide(Layer.mergeAll(world.layer, Memory.layer(), unlimitedSettings())),
        Layer.provide(Logger.remove(Logger.defaultLogger)),
        Layer.provide(Layer.effectDiscard(TestClock.setTime(1_795_000_000_000))),
        Layer.fresh
      )
    })
  )
}

const keyOf = ({ blockchain, contractAddress }: Balance) => `${blockchain} ${contractAddress}`

/** Repairs all upstreams, and waits until open circuits have closed. */
const healed = Effect.gen(function* () {
  const { spoilt } = yield* Spoilable
  spoilt.isOne = () => false
  yield* TestClock.adjust("11 minutes")
})

layer(Spoilable.layer)("an upstream that returns", (it) => {
  for (const [name, by] of Object.entries(mischiefs))
    it.effect(`${name} only affects its own numbers`, () =>
      Effect.gen(function* () {
        const { ask, good, spoilt } = yield* Spoilable
        const expected = new Map(good.map((row) => [keyOf(row), row.balance]))
        Object.assign(spoilt, { by, isOne: () => true })
        const rows = yield* ask
        const found = rows.map(keyOf)
        for (const row of good) if (row.tokenType === "NATIVE") assert.include(found, keyOf(row))
        for (const row of rows) {
          const what = keyOf(row)
          if (row.balance === null) assert.isDefined(row.errorCode, what)
          else assert.include([expected.get(what), name === minusZero ? "0" : undefined], row.balance, what)
          assert.match(row.balanceUsd ?? "0", /^\d+(\.\d+)?$/, what)
        }
      }).pipe(Effect.ensuring(healed))
    )

  it("correct responses again is used again", function* () {
    const { ask, good } = yield* Spoilable
    const amounts = (rows: typeof good) => new Map(rows.map((row) => [keyOf(row), row.balance]))
    assert.deepStrictEqual(amounts(yield* ask), amounts(good))
  })
})

/** An HTTP client for which every host is the same server. */
const leadingTo = (server: Bun.Server<undefined>) =>
  Layer.map(FetchClient.layer, (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.mapRequest(Context.get(context, HttpClient.HttpClient), (request) =>
        HttpClientRequest.setUrl(request, `${server.url.origin}${new URL(request.url).pathname}`)
      )
    )
  )

const serving = (fetch: (request: Request) => Response) =>
  Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch })),
    (server) => Effect.promise(() => server.stop(true))
  )

/** One network of each family. */
const kinds = [...new Map(networks.toReversed().map(({ family, id }) => [family, id as string])).values()]

/** Long timeouts, so that responses are rejected for their content even on a busy machine. */
const patient = { UPSTREAM_TIMEOUT_MS: "120000", REQUEST_DEADLINE_MS: "240000" }

/** Checks that the service returns null with `bad_answer` or `sunset` if every upstream responds in this way. */
const answered = Effect.fnUntraced(function* (fetch: (request: Request) => Response) {
  const server = yield* serving(fetch)
  const requested = Object.fromEntries(Object.entries(addresses).filter(([id]) => kinds.includes(id)))
  const response = yield* Effect.flatMap(Service, ({ post }) => post("/balance", { networks: requested })).pipe(
    Effect.provide(Service.layer(patient, leadingTo(server)))
  )
  assert.strictEqual(response.status, 200)
  const balances = yield* body<ReadonlyArray<Balance>>(response)
  assert.sameMembers(
    balances.map(({ blockchain }) => blockchain as string),
    kinds
  )
  for (const { balance, error, errorCode } of balances) {
    assert.isNull(balance)
    assert.oneOf(errorCode, ["bad_answer", "sunset"], error)
  }
})

describe("an upstream that sends", () => {
  const bomb = gzipSync(`[${"[],".repeat(15 * 1024 * 1024)}1]`)

  it.scopedLive("a compression bomb only affects its own numbers", () =>
    answered(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }))
  )

  it.scopedLive("deeply nested arrays only affects its own numbers, also with empty caches", () =>
    Effect.suspend(() => {
      const deep = everywhere(nested(100_000))
      return answered(() => new Response(deep))
    })
  )

  it.scopedLive("an endless body is disconnected", function* () {
    const part = new Uint8Array(256 * 1024).fill(0x20)
    const sent: Array<number> = []
    yield* answered(() => {
      const index = sent.push(0) - 1
      return new Response(
        new ReadableStream({
          pull(controller) {
            sent[index] = (sent[index] ?? 0) + part.length
            controller.enqueue(part)
          }
        })
      )
    })
    // Includes bytes in flight when the reader cancels, which are more on a busy machine.
    assert.isBelow(Math.max(...sent), 256 * 1024 * 1024)
  })

  it.scopedLive("redirects to another host is not followed", function* () {
    let seen = 0
    const other = yield* serving(() => {
      seen++
      return Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" })
    })
    const statuses = [301, 302, 303, 307, 308]
    let next = 0
    yield* answered(() => Response.redirect(other.url.href, statuses[next++ % statuses.length]))
    assert.isAbove(next, kinds.length)
    assert.strictEqual(seen, 0)
  })
})
