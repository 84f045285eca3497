import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { describe as describeApi } from "../../src/api/openapi.ts"
import { suiMethods } from "../../src/api/relayDocument.ts"
import { administrative } from "../../src/domain/nodeMethods.ts"
import { translated } from "../../src/networks/sui/rpc/Translation.ts"
import { administers } from "../../src/relay/jsonRpc.ts"

const { spec } = describeApi({ appName: "app", version: "0.0.0" })

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Every object in a document with the way to it. */
const walk = (value: unknown, path: string): ReadonlyArray<readonly [string, Json]> => {
  if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, `${path}/${index}`))
  if (!isObject(value)) return []
  return [[path, value], ...Object.entries(value).flatMap(([key, item]) => walk(item, `${path}/${key}`))]
}

const resolved = (schema: Json): Json => {
  const ref = schema.$ref
  return typeof ref === "string" ? (spec.components.schemas[ref.split("/").at(-1) ?? ""] as unknown as Json) : schema
}

/** Members of every schema, wherever it stands: examples hold values, not schemas. */
const members = walk(spec, "").flatMap(([path, value]) =>
  isObject(value.properties) && !path.includes("/examples/")
    ? Object.entries(value.properties).map(([name, schema]) => [`${path}.${name}`, schema as Json] as const)
    : []
)

const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
)

describe("the OpenAPI document", () => {
  it("says of every member of every schema what it is", () => {
    assert.isAbove(members.length, 150)
    const silent = members.filter(([, schema]) => typeof resolved(schema).description !== "string")
    assert.deepStrictEqual(
      silent.map(([path]) => path),
      []
    )
  })

  it("shows a value of every member that is not an object described elsewhere", () => {
    const bare = members.filter(([, schema]) => {
      const { anyOf, examples, properties } = resolved(schema)
      return !Array.isArray(examples) && properties === undefined && anyOf === undefined && schema.$ref === undefined
    })
    assert.deepStrictEqual(
      bare.map(([path]) => path),
      []
    )
  })

  it("describes every operation, its parameters, its answers and its group", () => {
    for (const { method, operation, path } of operations) {
      const where = `${method} ${path}`
      assert.isString(operation.summary, where)
      assert.isString(operation.description, where)
      for (const parameter of operation.parameters) assert.isString(parameter.description, `${where} ${parameter.name}`)
      for (const response of Object.values(operation.responses)) assert.isString(response.description, where)
    }
    for (const tag of spec.tags) assert.isString(tag.description, tag.name)
  })

  it("shows no default description of the schema library", () => {
    assert.notMatch(JSON.stringify(spec), /"description":"(a string|a number|a boolean)/)
  })

  it("declares problems as problem documents, each with its own status", () => {
    for (const { operation, path } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400 || (path === "/health/ready" && status === "503")) continue
        const content: Json = response.content ?? {}
        const schema = (content["application/problem+json"] as { schema: Json } | undefined)?.schema
        if (schema === undefined) {
          assert.match(`${path} ${status}`, /^\/utils\/(rpc\/|getrawtransaction 404)/)
          continue
        }
        assert.include(JSON.stringify(schema), "Problem")
      }
    }
  })

  it("declares what the edge may answer on every route that is not a health check", () => {
    for (const { operation, path, method } of operations) {
      const own = Object.keys(operation.responses)
      const expected = path.startsWith("/health/") ? ["500"] : ["401", "403", "429", "500", "503", "504"]
      assert.includeMembers(own, method === "post" ? [...expected, "400", "413", "415"] : expected, path)
    }
  })

  it("has the streamed forms of balances and history", () => {
    for (const path of ["/balance", "/history"]) {
      const content = spec.paths[path]?.post?.responses[200]?.content ?? {}
      assert.sameMembers(Object.keys(content), ["application/json", "application/x-ndjson", "text/event-stream"])
    }
  })

  it("lets members through that it does not know", () => {
    assert.notInclude(JSON.stringify(spec), '"additionalProperties":false')
  })

  it("carries the operator's name in the paths of the charts", () => {
    const named = describeApi({ appName: "lantern", version: "0.0.0" }).spec
    assert.property(named.paths, "/lantern/mdata/item/{coin}/{period}")
    assert.notProperty(named.paths, "/app/mdata")
  })

  it("names the methods of the proxy that are refused, and those of Sui that are translated", () => {
    for (const prefix of administrative) assert.isTrue(administers(`${prefix}any`), prefix)
    assert.sameMembers([...suiMethods], [...translated])
    const description = spec.paths["/utils/rpc/{network}"]?.post?.description ?? ""
    for (const name of [...administrative, ...suiMethods]) assert.include(description, name)
  })

  it("shows the codes with which the proxy itself answers", () => {
    const responses = spec.paths["/utils/rpc/{network}"]?.post?.responses ?? {}
    const code = (status: number) =>
      JSON.stringify(responses[status]?.content?.["application/json"]).match(/"examples":\[(-\d+)\]/)?.[1]
    assert.deepStrictEqual([400, 403, 501, 502, 504].map(code), ["-32600", "-32601", "-32000", "-32000", "-32000"])
    assert.isString(responses[204]?.description)
  })

  it("points only to schemas that are there", () => {
    for (const [path, { $ref }] of walk(spec, "")) {
      if (typeof $ref === "string") assert.property(spec.components.schemas, $ref.split("/").at(-1) ?? "", path)
    }
  })
})

/** The interface document lies beside the project where it is developed, and is no part of it. */
const interfaceFile = "../shared/INTERFACE.md"

const present = existsSync(interfaceFile)

/** The tables of fields, in the order of the document, by the schemas that carry them. */
const tables: ReadonlyArray<ReadonlyArray<string>> = [
  ["Balance"],
  ["TokenBalance"],
  ["HistoryEntry"],
  ["Party"],
  ["Currency"],
  ["TokenPrice", "CoinPrice"],
  ["MarketChart"],
  ["ChartMetadata"],
  ["SimulationRequest"]
]

const fieldTables = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<Array<string>> = []
  let table: Array<string> | undefined
  for (const line of text.split("\n")) {
    const [, first = ""] = line.split("|").map((cell) => cell.trim())
    if (!line.startsWith("|")) table = undefined
    else if (first === "Field") {
      table = []
      found.push(table)
    } else if (!/^-+$/.test(first)) table?.push(first)
  }
  return found
}

const property = (schema: string, field: string): unknown =>
  field.split(".").reduce<Json>(
    (current, name) => {
      const properties = resolved(current).properties
      return (isObject(properties) ? properties[name] : undefined) as Json
    },
    { $ref: `#/components/schemas/${schema}` }
  )

describe.skipIf(!present)("the interface document (skipped where it is not beside the project)", async () => {
  const text = present ? await Bun.file(interfaceFile).text() : ""

  it("has no field that the OpenAPI document lacks", () => {
    const found = fieldTables(text)
    assert.strictEqual(found.length, tables.length)
    for (const [index, fields] of found.entries()) {
      for (const schema of tables[index] ?? []) {
        for (const field of fields) assert.isObject(property(schema, field), `${schema}.${field}`)
      }
    }
  })

  it("has no route and no query that the OpenAPI document lacks", () => {
    const routes = [...text.matchAll(/\*\*(GET|POST) (\/\S+)\*\*/g)].flatMap(([, method = "", address = ""]) => {
      const [path = "", query = ""] =
        address.split("?").length > 1 && !address.includes("?}") ? address.split("?") : [address]
      const names = [...query.matchAll(/([a-z_]+)=/g)].map(([, name]) => name)
      const optional = /\/\{([a-z]+)\?\}$/.exec(path)
      return optional === null
        ? [{ method, path, names }]
        : [
            { method, path: path.slice(0, -optional[0].length), names },
            { method, path: `${path.slice(0, -optional[0].length)}/{${optional[1]}}`, names }
          ]
    })
    assert.strictEqual(routes.length, 22)
    for (const { method, names, path } of routes) {
      const operation = operations.find((one) => one.path === path && one.method === method.toLowerCase())?.operation
      assert.isDefined(operation, `${method} ${path}`)
      assert.includeMembers(operation?.parameters.map(({ name }) => name) ?? [], names, path)
    }
  })
})
