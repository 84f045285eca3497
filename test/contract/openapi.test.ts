import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { translated } from "../../src/chains/sui/jsonrpc/Translation.ts"
import { suiMethods } from "../../src/contract/nodes/NodesApi.ts"
import { describe as describeApi } from "../../src/contract/openapi.ts"
import { administrativePrefixes, refusalReason } from "../../src/domain/nodeMethods.ts"
import {
  isObject,
  type Json,
  named,
  operations,
  resolved,
  responseOf,
  schemas,
  spec,
  walk
} from "../support/document.ts"

/** Members of all schemas, at any depth. */
const members = schemas.flatMap(([path, value]) =>
  isObject(value.properties)
    ? Object.entries(value.properties).map(([name, schema]) => [`${path}.${name}`, schema as Json] as const)
    : []
)

describe("the OpenAPI document", () => {
  it("describes every member of every schema", () => {
    assert.isAbove(members.length, 150)
    const silent = members.filter(([, schema]) => typeof resolved(schema).description !== "string")
    assert.deepStrictEqual(
      silent.map(([path]) => path),
      []
    )
  })

  it("has an example for every member that is not an object described elsewhere", () => {
    const bare = members.filter(([, schema]) => {
      const { examples, properties } = resolved(schema)
      return !Array.isArray(examples) && properties === undefined
    })
    assert.deepStrictEqual(
      bare.map(([path]) => path),
      []
    )
  })

  it("describes every operation, its parameters, its responses and its group", () => {
    for (const { method, operation, path } of operations) {
      const where = `${method} ${path}`
      assert.isString(operation.summary, where)
      assert.isString(operation.description, where)
      for (const { description, name, schema } of operation.parameters) {
        assert.isString(description, `${where} ${name}`)
        assert.isNotEmpty((schema as unknown as Json).examples, `${where} ${name}`)
      }
      for (const response of Object.values(operation.responses)) assert.isString(resolved(response).description, where)
    }
    for (const tag of spec.tags) assert.isString(tag.description, tag.name)
  })

  it("has no default description of the schema library", () => {
    assert.notMatch(JSON.stringify(spec), /"description":"(a string|a number|a boolean)/)
  })

  it("declares problems as problem documents, each with its own status", () => {
    for (const { operation, path } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400 || (path === "/health/ready" && status === "503")) continue
        const content = (resolved(response).content ?? {}) as Json
        const schema = (content["application/problem+json"] as { schema: Json } | undefined)?.schema
        if (schema === undefined) {
          assert.match(`${path} ${status}`, /^\/utils\/(rpc\/|getrawtransaction 404)/)
          continue
        }
        assert.include(JSON.stringify(schema), "Problem")
      }
    }
  })

  it("declares the responses of the HTTP layer on every route that is not a health check", () => {
    for (const { operation, path, method } of operations) {
      const own = Object.keys(operation.responses)
      const expected = path.startsWith("/health/") ? ["400", "500"] : ["400", "401", "403", "429", "500", "503", "504"]
      assert.includeMembers(own, method === "post" ? [...expected, "413", "415"] : expected, path)
    }
  })

  it("has the streamed forms of balances and history, in addition to the single schema of their responses", () => {
    for (const path of ["/balance", "/history"]) {
      const post = spec.paths[path]?.post as unknown as Json
      const streamed = post["x-stream"] as Json
      assert.sameMembers(Object.keys(streamed), ["application/x-ndjson", "text/event-stream", "itemSchema"])
      for (const part of ['"failures"', '"errorCode"', '"done"'])
        assert.include(JSON.stringify(streamed.itemSchema), part, path)
      assert.deepStrictEqual(Object.keys(responseOf(path, "post", 200).content as Json), ["application/json"])
    }
  })

  it("forbids further members in decoded bodies, and allows them in responses and in bodies for nodes", () => {
    const closed = Object.entries(spec.components.schemas).flatMap(([name, schema]) =>
      (schema as unknown as Json).additionalProperties === false ? [name] : []
    )
    assert.sameMembers(closed, [
      "BalancesRequest",
      "FirstTransactionRequest",
      "ContextRequest",
      "EstimateRequest",
      "RecipientRequest",
      "DecodeRequest",
      "HistoryRequest",
      "HistoryWithMetaRequest",
      "PortfolioChartRequest",
      "ReplacementRequest",
      "SimulationInput",
      "SendRequest",
      "SimulationRequest",
      "TokenBalanceRequest",
      "TransactionStatusRequest",
      "UnsignedTransaction"
    ])
    const inline = operations.flatMap(({ operation, path }) =>
      JSON.stringify(operation).includes('"additionalProperties":false') ? [path] : []
    )
    assert.deepStrictEqual(inline, ["/utils/sendrawtransaction", "/utils/getrawtransaction"])
  })

  it("has the configured app name in the paths of the charts", () => {
    const named = Effect.runSync(describeApi({ appName: "lantern", version: "0.0.0" }))
    assert.property(named.paths, "/lantern/mdata/item/{coin}/{period}")
    assert.notProperty(named.paths, "/app/mdata")
  })

  it("lists the methods that the proxy rejects, and the Sui methods that are translated", () => {
    for (const prefix of administrativePrefixes) assert.isString(refusalReason(`${prefix}any`), prefix)
    assert.sameMembers([...suiMethods], [...translated])
    const description = spec.paths["/utils/rpc/{network}"]?.post?.description ?? ""
    for (const name of [...administrativePrefixes, ...suiMethods]) assert.include(description, name)
  })

  it("has examples with the error codes of the proxy itself", () => {
    const code = (status: number) =>
      JSON.stringify(responseOf("/utils/rpc/{network}", "post", status).content).match(/"examples":\[(-\d+)\]/)?.[1]
    assert.deepStrictEqual([400, 403, 501, 502, 504].map(code), ["-32600", "-32601", "-32000", "-32000", "-32000"])
    assert.isString(responseOf("/utils/rpc/{network}", "post", 204).description)
  })

  it("has no dangling references", () => {
    for (const [path, value] of walk(spec, "")) {
      if (typeof value.$ref === "string") assert.isObject(resolved(value), path)
    }
  })
})

/** A schema as text: name, `[of]` for a list, `[of, of]` for a tuple, `{of}` for a record, alternatives, else type. */
const shapeOf = (schema: Json | undefined): string => {
  const { additionalProperties, anyOf, items, maxItems, minItems, properties, type } = schema ?? {}
  if (typeof schema?.$ref === "string") return schema.$ref.split("/").at(-1) ?? ""
  if (Array.isArray(anyOf)) return anyOf.map(shapeOf).join(" | ")
  if (isObject(items) && typeof minItems === "number" && minItems === maxItems)
    return `[${Array.from({ length: minItems }, () => shapeOf(items)).join(", ")}]`
  if (isObject(items)) return `[${shapeOf(items)}]`
  if (isObject(additionalProperties)) return `{${shapeOf(additionalProperties)}}`
  return isObject(properties) ? `object of ${Object.keys(properties)}` : typeof type === "string" ? type : "any"
}

const bodyOf = (content: unknown) => {
  const json = isObject(content) ? content["application/json"] : undefined
  return shapeOf(isObject(json) && isObject(json.schema) ? json.schema : undefined)
}

interface Route {
  /** Query parameters. Path parameters are part of the path. */
  readonly query?: ReadonlyArray<string>
  readonly body?: string
  readonly answer: string
}

/** Every route of the interface, with its parameters, request body and response. */
const routes: Readonly<Record<string, Route>> = {
  "post /balance": { body: "BalancesRequest", answer: "[Balance]" },
  "post /balance/token": { body: "TokenBalanceRequest", answer: "TokenBalance" },
  "post /history": { body: "HistoryRequest", answer: "{{[HistoryEntry]}}" },
  "post /history#meta": { body: "HistoryWithMetaRequest", answer: "HistoryWithMeta" },
  "get /price": { query: ["network_ids"], answer: "{{TokenPrice}}" },
  "get /price/coin": { query: ["coin_ids"], answer: "{CoinPrice}" },
  "get /price/market_chart": { query: ["coin_ids", "days"], answer: "{MarketChart}" },
  "get /price/coin/details/{platform}": { answer: "any" },
  "get /price/coin/details/{platform}/{contract}": { answer: "any" },
  "post /utils/rpc/{network}": { body: "JsonRpcCall | [JsonRpcCall]", answer: "any" },
  "post /utils/rpc/{network}/testnet": { body: "JsonRpcCall | [JsonRpcCall]", answer: "any" },
  "post /utils/sendrawtransaction": { query: ["chain", "tx"], body: "object of chain,tx", answer: "any" },
  "post /utils/getrawtransaction": { query: ["chain", "tx"], body: "object of chain,tx", answer: "any" },
  "get /utils/fund-testnet-account/{address}": { answer: "Funding" },
  "get /utils/protocol-parameters": { answer: "ProtocolParameters" },
  "post /utils/simulate-tx": { body: "SimulationRequest", answer: "Simulation" },
  "post /utils/transaction-context": { body: "ContextRequest", answer: "{{AddressContext}}" },
  "post /utils/first-tx": { body: "FirstTransactionRequest", answer: "{FirstTransaction}" },
  "get /app/mdata": { answer: "ChartMetadata" },
  "get /app/mdata/restart": { answer: "object" },
  "get /app/mdata/errors": { answer: "[any]" },
  "get /app/mdata/data": { answer: "{{[Ohlc]}}" },
  "get /app/mdata/item/{coin}/{period}": { answer: "[Ohlc]" },
  "get /app/mdata/list/{coins}/{period}": { answer: "{[Ohlc]}" }
}

/** The fields of the interface and their types; a question mark marks an optional field. */
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BalancesRequest: { networks: "{[string]}" },
  Balance: {
    coinId: "string",
    blockchain: "string",
    tokenName: "string",
    tokenSymbol: "string",
    tokenDecimals: "number",
    contractAddress: "string | null",
    holderAddress: "string",
    tokenType: "NATIVE, TOKEN",
    thumbnail: "string",
    balance: "string | null",
    balanceUsd: "string | null",
    rawBalance: "string | null",
    tokenPrice: "string | null",
    "updatedAt?": "number",
    "priceChange24h?": "number",
    "priceChangePercent24h?": "number",
    "subchain?": "string",
    "error?": "string"
  },
  TokenBalanceRequest: { networkId: "string", address: "string", "tokenAddress?": "string | null" },
  TokenBalance: {
    balance: "string | null",
    "rawBalance?": "string",
    balanceUsd: "string | null",
    price: "string | null"
  },
  HistoryRequest: { networks: "{[string]}" },
  HistoryEntry: {
    hash: "string",
    explorer: "string",
    type: "string",
    fee: "string | null",
    status: "Failed, Success, Pending, Unknown",
    timestamp: "number",
    from: "[Party]",
    to: "[Party]"
  },
  Party: { address: "string", amount: "string", "currency?": "Currency | string" },
  Currency: {
    img: "string",
    coinId: "string",
    address: "string",
    decimals: "number",
    price: "number | null",
    symbol: "string"
  },
  ...Object.fromEntries(
    (["TokenPrice", "CoinPrice"] as const).map((name) => [
      name,
      {
        [name === "TokenPrice" ? "address" : "address?"]: "string",
        id: "string",
        name: "string",
        symbol: "string",
        fdv: "number | null",
        price: "number | null",
        priceChange24h: "number | null",
        priceChangePercent24h: "number | null",
        img: "string",
        source: "string",
        updatedAt: "number | null"
      }
    ])
  ),
  MarketChart: {
    prices: "[[number, number]]",
    market_caps: "[[number, number]]",
    total_volumes: "[[number, number]]"
  },
  ChartMetadata: { lastUpdate: "number | null", data: "[ChartLength]", service: "string" },
  ChartLength: {
    coin: "bitcoin, ethereum, cardano, binancecoin, shiba-inu, chainlink, dogecoin",
    period: "1, 30, 365",
    length: "number"
  },
  ProtocolParameters: { parameters: "{any}", blockData: "{any}" },
  SimulationRequest: { chain: "1, 10, 56, 137, 8453, 42161, 43114", input: "SimulationInput" },
  SimulationInput: {
    from: "string",
    to: "string",
    input: "string",
    "gas?": "integer",
    "gas_price?": "string",
    "value?": "string",
    "block_number?": "integer",
    "simulation_type?": "full, quick, abi"
  },
  Simulation: { simulationUrl: "string | null" },
  FirstTransactionRequest: { networkIds: "[string]", address: "string" },
  FirstTransaction: { timestamp: "number" }
}

/** The allowed values of parameters. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "get /price/market_chart days": ["1", "7", "30", "365"],
  "get /app/mdata/item/{coin}/{period} coin": [
    ...["bitcoin", "ethereum", "cardano", "binancecoin", "shiba-inu", "chainlink", "dogecoin"]
  ],
  "get /app/mdata/item/{coin}/{period} period": ["1", "30", "365"],
  "get /app/mdata/list/{coins}/{period} period": ["1", "30", "365"]
}

describe("the interface", () => {
  const operationOf = (route: string) => {
    const found = operations.find(({ method, path }) => `${method} ${path}` === route)?.operation
    return found ?? assert.fail(`${route} is not in the document`)
  }

  for (const [route, { answer, body, query = [] }] of Object.entries(routes))
    it(`has ${route}`, () => {
      const { parameters, requestBody, responses } = operationOf(route)
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "")
      const named = (place: string) => parameters.filter((declared) => declared.in === place).map(({ name }) => name)
      assert.sameMembers(named("path"), inPath)
      assert.includeMembers(named("query"), [...query])
      assert.strictEqual(bodyOf(requestBody?.content), body ?? "any")
      assert.strictEqual(bodyOf(responses[200]?.content), answer)
    })

  for (const [schema, members] of Object.entries(fields))
    it(`has the fields of ${schema}`, () => {
      const { properties, required } = named(schema)
      for (const [written, type] of Object.entries(members)) {
        const name = written.replace("?", "")
        const property = isObject(properties) ? (properties[name] as Json | undefined) : undefined
        assert.isDefined(property, name)
        const values = property?.enum ?? property?.["x-extensible-enum"]
        assert.strictEqual(Array.isArray(values) ? values.join(", ") : shapeOf(property), type, name)
        assert.strictEqual(Array.isArray(required) && required.includes(name), !written.endsWith("?"), name)
      }
    })

  it("has candles of time, open, high, low and close", () => {
    assert.strictEqual(shapeOf(named("Ohlc")), "[number, number, number, number, number]")
  })

  for (const [parameter, values] of Object.entries(allowed))
    it(`has the values of ${parameter}`, () => {
      const [method, path, name] = parameter.split(" ")
      const found = operationOf(`${method} ${path}`).parameters.find((declared) => declared.name === name)
      assert.deepStrictEqual((found?.schema as unknown as Json | undefined)?.enum as unknown, values)
    })
})
