import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../src/App.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import { Settings } from "../src/settings/Settings.ts"
import * as Logging from "../src/telemetry/Logging.ts"
import { LogOutput } from "../src/telemetry/LogSink.ts"
import * as FetchClient from "../src/upstream/FetchClient.ts"
import { samples } from "./chains/families/samples.ts"
import { Service } from "./support/app.ts"
import { requested } from "./support/requests.ts"
import { sandboxEnvironment } from "./support/sandbox.ts"
import { networks } from "./support/tier.ts"
import { assert, describe, it } from "./support/vitest.ts"

/** How upstreams answer a request with this text, one after the other. */
const repeating: ReadonlyArray<(text: string) => Response> = [
  (text) =>
    Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: `no such thing: ${text}` }, message: text }),
  (text) => new Response(`<h1>${text}</h1>`, { status: 500 }),
  (text) => {
    throw new Error(`cannot read ${text}`)
  }
]

let calls = 0
const answers = {
  "as they should": undefined,
  "with errors and defects that repeat the request": (text: string) =>
    repeating[calls++ % repeating.length]?.(text) ?? assert.fail(text)
} as const

const outside = (answer: ((text: string) => Response) | undefined) =>
  Layer.map(Sandbox.layer(Catalogue.all), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (effect, request) =>
        answer === undefined
          ? effect
          : Effect.suspend(() => {
              const body = request.body._tag === "Uint8Array" ? Buffer.from(request.body.body).toString() : ""
              return FetchClient.received(
                request,
                answer(`${request.url} ${JSON.stringify(request.urlParams)} ${body}`)
              )
            })
      )
    )
  )

/** What a request says of wallets: long texts with digits. */
const privateIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.match(/[\w-]{25,}/g)?.filter((text) => /\d/.test(text)) ?? []
  return typeof value === "object" && value !== null
    ? [...Object.keys(value), ...Object.values(value)].flatMap(privateIn)
    : []
}

const addresses = Object.fromEntries(networks.map((facts) => [facts.id as string, samples(facts, 1)]))

const sent: ReadonlyArray<{ readonly method: string; readonly path: string; readonly body: unknown }> = [
  ...requested.filter(({ id }) => !/stream|restart/.test(id)),
  ...["/balance", "/history", "/utils/transaction-context", "/portfolio/chart"].map((path) => ({
    method: "POST",
    path,
    body: { networks: addresses }
  })),
  ...Object.values(addresses).flatMap(([first = ""]) => ({
    method: "GET",
    path: `/address/${first}`,
    body: undefined
  })),
  ...["vitalik.eth", "0x12", "not-an-address"].map((text) => ({
    method: "GET",
    path: `/address/${text}`,
    body: undefined
  })),
  { method: "GET", path: `/nothing/${addresses.ethereum?.[0]}`, body: undefined }
]

describe("the log of requests for wallets", () => {
  for (const [how, answer] of Object.entries(answers))
    it.live(`has no address, hash or name if upstreams answer ${how}`, function* () {
      let log = ""
      const output = Layer.succeed(LogOutput, {
        write: (bytes, done) => {
          log += new TextDecoder().decode(bytes)
          done(null, bytes.length)
        }
      })
      const environment = { LOG_LEVEL: "all", LOG_FORMAT: "json", REQUEST_DEADLINE_MS: "1000" }
      const logging = Layer.provide(Logging.layer, Layer.merge(Settings.layer(environment), output))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { handler } = Context.get(
            yield* Layer.build(
              Layer.provide(Service.logging(Layer.fresh(App.routes)), sandboxEnvironment(environment, outside(answer)))
            ),
            Service
          )
          yield* Effect.forEach(
            sent,
            ({ body, method, path }) =>
              Effect.promise(() =>
                handler(
                  new Request(`http://wallet.test${path}`, {
                    method,
                    ...(body === undefined
                      ? {}
                      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
                  })
                ).then((response) => response.text())
              ),
            { concurrency: 8 }
          )
        }).pipe(Effect.provide(logging))
      )
      const lines = log.trim().split("\n")
      assert.isAtLeast(lines.filter((line) => line.includes('"message":"request"')).length, sent.length)
      const balances = lines.map((line) => JSON.parse(line)).filter(({ route }) => route === "/balance")
      const [asked, all] = [
        balances.map(({ networks: ids }) => ids),
        [["ethereum", "bitcoin", "zkevm"], Object.keys(addresses)]
      ]
      assert.sameDeepMembers(
        asked.map((ids) => [...ids].sort()),
        all.map((ids) => [...ids].sort())
      )
      // The network that was shut down has no balance in either case.
      for (const { networks: ids, nulls } of balances)
        assert.strictEqual(nulls >= ids.length, answer !== undefined, JSON.stringify([ids, nulls]))
      const found = new Set(sent.flatMap(({ body, path }) => [...privateIn(path), ...privateIn(body)]))
      // At least one address of each family; networks of a family share it.
      assert.isAtLeast(found.size, 9)
      for (const text of [...found, "vitalik", "not-an-address"])
        assert.notInclude(log.toLowerCase(), text.toLowerCase())
    })
})
