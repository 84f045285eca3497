import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import Ajv2020 from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import createFetchClient from "openapi-fetch"
import { afterAll, beforeAll } from "vitest"
import { forGenerators } from "../../src/contract/document/generators.ts"
import { Service } from "../support/app.ts"
import { isObject, type Json, operations, resolved, spec } from "../support/document.ts"
import { diagnostics, type Generated, generate } from "../support/generated.ts"
import { blockNumber, networks, type OperationRequest, requests, usdt } from "../support/requests.ts"
import { holder } from "../support/sandbox.ts"

type Sent = OperationRequest & { readonly status?: number }

const hash = `0x${"1".repeat(64)}`
const transaction = { from: holder(1), to: holder(2) }

/** Other requests to some operations, and the expected status if it is not 200. */
const more: Readonly<Record<string, ReadonlyArray<Sent>>> = {
  "balances.balances": [{ body: { network: {} }, status: 400 }],
  "balances.token": [{ body: { networkId: "zkevm", address: holder(1), tokenAddress: null } }],
  "balances.stream": [
    { query: { addresses: `ethereum:${holder(1)}` }, header: { "last-event-id": "end" }, status: 204 },
    { query: { addresses: holder(1) }, status: 400 }
  ],
  "history.stream": [{ query: { addresses: `ethereum:${holder(1)}`, limit: "0" }, status: 400 }],
  "history.export": [{ query: { addresses: `ethereum:${holder(1)}`, format: "xml" }, status: 400 }],
  "history.history": [{ body: { networks: 5 }, status: 400 }],
  "tokens.search": [{ query: { q: "x".repeat(101) }, status: 400 }],
  "addresses.lookUp": [{ path: { text: "x".repeat(300) }, status: 400 }],
  "portfolio.chart": [{ body: { networks, days: 2 }, status: 400 }],
  "prices.chain": [
    { query: { network_ids: "61" }, header: { "if-none-match": "*" }, status: 304 },
    { query: { network_ids: "x" }, status: 400 }
  ],
  "prices.tokenDetails": [
    { path: { platform: "ethereum", contract: "0x0000000000000000000000000000000000000009" }, status: 404 }
  ],
  "nodes.rpc": [
    { path: { network: "ethereum" }, body: [blockNumber, { ...blockNumber, id: "b" }] },
    { path: { network: "ethereum" }, body: { ...blockNumber, method: "admin_peers" }, status: 403 },
    { path: { network: "ethereum" }, body: { jsonrpc: "2.0", method: "eth_blockNumber" }, status: 204 },
    { path: { network: "nowhere" }, body: blockNumber, status: 404 }
  ],
  "nodes.testnetRpc": [{ path: { network: "base" }, body: blockNumber }],
  "transactions.sendRaw": [{ body: { chain: "bitcoin", tx: "00" }, status: 400 }],
  "transactions.send": [{ body: { network: "litecoin", transaction: "00" }, status: 400 }],
  "transactions.getRaw": [{ body: { chain: "litecoin", tx: "0".repeat(64) }, status: 404 }],
  "transactions.status": [{ body: { networks: { ethereum: "0x1" } }, status: 400 }],
  "transactions.replacement": [
    { body: { network: "moon", hash }, status: 400 },
    { body: { network: "zkevm", hash }, status: 501 }
  ],
  "transactions.estimate": [
    { body: { network: "ethereum", transaction: { from: holder(1), to: usdt, data: "0x12345678" } } },
    { body: { network: "ethereum", transaction: { ...transaction, value: `1${"0".repeat(70)}` } } },
    { body: { network: "solana", transaction }, status: 400 },
    { body: { network: "zkevm", transaction }, status: 501 }
  ],
  "token.facts": [
    { path: { network: "base", contract: `0x${"1".repeat(40)}` }, status: 404 },
    { path: { network: "base", contract: "0x1" }, status: 400 },
    { path: { network: "bitcoin", contract: usdt }, status: 400 },
    { path: { network: "zkevm", contract: usdt }, status: 501 }
  ],
  "blocks.newest": [
    ...["optimism", "ltc", "sol"].map((network) => ({ path: { network } })),
    { path: { network: "nowhere" }, status: 404 },
    { path: { network: "zkevm" }, status: 501 }
  ],
  "fees.fees": [
    ...["optimism", "zkevm", "ltc", "solana", "sui", "cardano", "xrp", "tron", "ton", "dot"].map((network) => ({
      path: { network }
    })),
    { path: { network: "base" }, query: { address: "0x1" }, status: 400 },
    { path: { network: "nowhere" }, status: 404 }
  ],
  "faucet.fund": [
    { path: { address: holder(1) }, status: 429 },
    { path: { address: "x" }, status: 400 }
  ],
  "charts.item": [{ path: { coin: "bitcoin", period: "30" }, header: { "if-none-match": "*" }, status: 304 }],
  "icons.icon": [{ path: { coinId: "unheard-of" } }, { path: { coinId: "a b" }, status: 400 }]
}

const sentTo = (id: string): ReadonlyArray<Sent> => [requests[id] ?? {}, ...(more[id] ?? [])]

const id = "http://wallet.test/openapi.json"

/** The document with closed objects: the service must send only documented members. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (!isObject(value)) return value
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))
  return value.type === "object" && isObject(value.properties) ? { additionalProperties: false, ...inner } : inner
}

const ajv = new Ajv2020({ strict: true, allErrors: true })
  .addVocabulary([...Object.keys(spec), "x-extensible-enum"])
  .addSchema({ ...(closed(spec) as Json), $id: id })

const olderId = "http://wallet.test/generators.json"

/** A schema whose nullable enumerations and references accept null, as generators read them. */
const withNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withNulls)
  if (!isObject(value)) return value
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNulls(member)]))
  if (value.nullable !== true) return inner
  if (Array.isArray(value.allOf)) return { anyOf: [{ ...inner, nullable: false }, { type: "null" }] }
  return Array.isArray(value.enum) ? { ...inner, enum: [...value.enum, null] } : inner
}

/** The document for generators, in which `POST /history` always has `meta`. */
const older = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema({
  ...(withNulls(closed(forGenerators(spec))) as Json),
  $id: olderId
})

const pointer = (...names: ReadonlyArray<string>) =>
  names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")

const described: ReadonlySet<string> = new Set(["x-partial-failures", "etag", "retry-after"])

type Operation = (typeof operations)[number]

/** Differences between a response and the document. */
const misfits = ({ method, operation, path }: Operation, response: Response, text: string): ReadonlyArray<string> => {
  const status = String(response.status)
  const declared = operation.responses[response.status] as Json | undefined
  if (declared === undefined) return [`the status ${status}`]
  const { content = {}, headers } = resolved(declared) as { content?: Json; headers: Json }
  const undeclared = [
    ...[...response.headers.keys()].filter((name) => described.has(name) && !(name in headers)),
    ...(["x-request-id", "etag"].some((name) => name in headers && !response.headers.has(name)) ? ["a field less"] : [])
  ]
  if (text === "") return [...undeclared, ...(Object.keys(content).length === 0 ? [] : ["no body"])]
  const type = Object.keys(content).find(
    (candidate) =>
      candidate.split(";")[0] ===
      response.headers
        .get("content-type")
        ?.split(";")[0]
        ?.replace(/^image\/.*/, "image/*")
  )
  if (type === undefined) return [...undeclared, `the type ${response.headers.get("content-type")}`]
  const at =
    typeof declared.$ref === "string"
      ? `${id}${declared.$ref}/${pointer("content", type, "schema")}`
      : `${id}#/${pointer("paths", path, method, "responses", status, "content", type, "schema")}`
  const value = type.includes("json") ? JSON.parse(text) : text
  if (!ajv.validate({ $ref: at }, value)) return [...undeclared, ajv.errorsText(ajv.errors)]
  // It has the first type of a response only.
  const olderAt = at.replace(id, olderId).replace(encodeURIComponent("#meta"), "")
  const accepts = operation.operationId === "history.history" ? undefined : older.getSchema(olderAt)
  return accepts === undefined || accepts(value) ? undeclared : [...undeclared, older.errorsText(accepts.errors)]
}

/** Results of the program over the generated clients, where their types are exact. */
type Usage = (
  baseUrl: string,
  networks: object
) => Promise<{
  readonly rows: ReadonlyArray<unknown>
  readonly rows2: ReadonlyArray<unknown>
  readonly lists: object
  readonly lists2: object
  readonly both: { readonly data: object; readonly meta: object }
  readonly both2: object
  readonly problem: string
  readonly candle: ReadonlyArray<number>
}>

describe("generated clients", () => {
  let clients: Generated
  beforeAll(async () => {
    clients = await generate()
  })
  afterAll(() => clients.remove())

  it("are checked effectively: a response with an undocumented member, type, status or header is detected", () => {
    const token = operations.find(({ operation }) => operation.operationId === "balances.token") as Operation
    const answer = { balance: "1", rawBalance: "100", balanceUsd: null, price: null }
    const answered = (body: object, headers: Readonly<Record<string, string>> = {}, status = 200) => {
      const fields = { "x-request-id": "a", "content-type": "application/json", ...headers }
      return misfits(token, new Response(null, { status, headers: fields }), JSON.stringify(body))
    }
    assert.deepStrictEqual(answered(answer), [])
    assert.isNotEmpty(answered({ ...answer, price: 1 }))
    assert.isNotEmpty(answered({ ...answer, worth: "1" }))
    assert.isNotEmpty(answered({ balance: "1" }))
    assert.isNotEmpty(answered(answer, { etag: '"a"' }))
    assert.isNotEmpty(answered(answer, { "content-type": "text/plain" }))
    assert.isNotEmpty(answered(answer, {}, 202))
    const place = pointer(
      "paths",
      token.path,
      token.method,
      "responses",
      "200",
      "content",
      "application/json",
      "schema"
    )
    assert.isFalse(older.getSchema(`${olderId}#/${place}`)?.({ balance: "1" }))
  })

  it("of openapi-fetch and hey-api compile in strict mode and have the types of the interface", () => {
    assert.deepStrictEqual(diagnostics(clients), [])
  })

  layer(Service.layer(), { excludeTestServices: true })((test) => {
    const served = Effect.flatMap(Service, ({ handler }) =>
      Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handler })),
        (server) => Effect.promise(() => server.stop(true))
      )
    )

    test.scoped("read the responses of the sandbox", () =>
      Effect.gen(function* () {
        const { url } = yield* served
        const { main } = yield* Effect.promise(() => import(join(clients.folder, "usage.ts")))
        const found = yield* Effect.promise(() => (main as Usage)(url.origin, networks))
        assert.isAbove(found.rows.length, 2)
        assert.strictEqual(found.rows2.length, found.rows.length)
        for (const lists of [found.lists, found.lists2, found.both.data, found.both.meta])
          assert.deepStrictEqual(Object.keys(lists), Object.keys(networks))
        assert.deepStrictEqual(Object.keys(found.both2), ["data", "meta"])
        assert.strictEqual(found.problem, "urn:problem-type:invalid-request")
        assert.lengthOf(found.candle, 5)
      })
    )

    test.scoped("get the documented response of that status from every operation, without further members", () =>
      Effect.gen(function* () {
        const { url } = yield* served
        let text = ""
        // Captures the full body, since the client only reads the types that it expects.
        const fetch = async (sent: Request) => {
          const response = await globalThis.fetch(sent)
          text = await response.clone().text()
          return response
        }
        const client = createFetchClient<Record<string, never>>({ baseUrl: url.origin, fetch })
        const request = client.request as unknown as (
          method: string,
          path: string,
          options: object
        ) => Promise<{ readonly response: Response }>
        const wrong: Array<string> = []
        for (const operation of operations)
          for (const { body, header, path, query, status = 200 } of sentTo(operation.operation.operationId)) {
            const where = `${operation.method} ${operation.path} ${status}`
            const options = { params: { path, query, header }, body, parseAs: "text" }
            const { response } = yield* Effect.promise(() => request(operation.method, operation.path, options))
            const found = [
              ...(response.status === status ? [] : [`the status ${response.status}`]),
              ...misfits(operation, response, text)
            ]
            wrong.push(...found.map((misfit) => `${where}: ${misfit} of ${text.slice(0, 200)}`))
          }
        assert.deepStrictEqual(wrong, [])
      })
    )
  })
})
