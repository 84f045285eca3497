import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import Ajv2020 from "ajv/dist/2020.js"
import { forGenerators } from "../../src/contract/document/generators.ts"
import { isObject, type Json, operations, resolved, schemas, spec, walk } from "../support/document.ts"

// Checks the document with tools: a validator, a linter, and some rules of a linter that takes long to install.

/** Every response and request body, with its location. */
const contents = operations.flatMap(({ method, operation, path }) =>
  [
    ["request", operation.requestBody as unknown as Json | undefined] as const,
    ...Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)] as const)
  ].flatMap(([place, part]) =>
    Object.entries((part?.content ?? {}) as Readonly<Record<string, Json>>).map(
      ([type, media]) => [`${method} ${path} ${place} ${type}`, media] as const
    )
  )
)

const id = "http://wallet.test/openapi.json"

/** A strict validator with the document, through which its schemas refer to each other. */
const validator = () =>
  new Ajv2020({ strict: true, allErrors: true })
    .addVocabulary([...Object.keys(spec), "x-extensible-enum"])
    .addSchema({ ...spec, $id: id })

describe("the document as JSON Schema", () => {
  it("has schemas that a strict validator of draft 2020-12 accepts, and examples that match them", () => {
    const ajv = validator()
    assert.isAbove(schemas.length, 300)
    for (const name of Object.keys(spec.components.schemas)) ajv.compile({ $ref: `${id}#/components/schemas/${name}` })
    const shown = [
      ...schemas.map(([where, schema]) => ({
        where,
        schema,
        values: (schema.examples ?? []) as ReadonlyArray<unknown>
      })),
      ...contents.map(([where, { example, schema }]) => ({ where, schema, values: [example] }))
    ].flatMap(({ schema, values, where }) => values.map((value) => ({ schema, value, where })))
    assert.isAbove(shown.length, 500)
    // A combined schema compiles in a fraction of the time. Duplicates are removed.
    const unique = new Map(shown.map((example) => [JSON.stringify([example.schema, example.value]), example]))
    const all = [...unique.values()].map((example, index) => [String(index), example] as const)
    const properties = Object.fromEntries(all.map(([index, { schema }]) => [index, rooted(schema)]))
    const accepts = ajv.compile({ type: "object", properties })
    accepts(Object.fromEntries(all.map(([index, { value }]) => [index, value])))
    assert.deepStrictEqual(
      (accepts.errors ?? []).map(
        ({ instancePath, message }) => `${all[Number(instancePath.split("/")[1])]?.[1].where}: ${message}`
      ),
      []
    )
  })

  it("has no `$id` in any schema", () => {
    assert.deepStrictEqual(
      walk(spec, "").filter(([path, value]) => typeof value.$id === "string" && !path.endsWith("/properties")),
      []
    )
  })

  it("has a schema for the items of every list, and no redundant `additionalProperties` or `prefixItems`", () => {
    for (const [path, schema] of schemas) {
      if (schema.type === "array") assert.isObject(schema.items, path)
      assert.notStrictEqual(schema.additionalProperties, true, path)
      assert.notProperty(schema, "prefixItems", path)
    }
  })
})

/** A schema with references into the document. */
const rooted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rooted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "$ref" && typeof member === "string" ? id + member : rooted(member)
    ])
  )
}

const lint = async (document: object) => {
  const config = await createConfig({ extends: ["recommended"] })
  const found = await lintFromString({ source: JSON.stringify(document), config })
  return found.map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

describe("the document for readers", () => {
  it("passes Redocly's linter without messages", async () => {
    assert.deepStrictEqual(await lint(spec), [])
  })

  it("names a server and a licence, and has unique operations whose ids fit into a URL", () => {
    assert.deepStrictEqual(
      spec.servers?.map(({ url }) => url),
      ["/"]
    )
    assert.isString(spec.info.license?.name)
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const operationId of ids) assert.match(operationId, /^[A-Za-z0-9.]+$/)
    const tags = spec.tags.map(({ name }) => name)
    for (const { operation } of operations) assert.includeMembers(tags, operation.tags)
  })

  it("has an example for every body, so that documentation pages do not make up values", () => {
    assert.isAbove(contents.length, 200)
    for (const [where, media] of contents) {
      assert.property(media, "example", where)
      assert.notMatch(JSON.stringify(media.example), /propertyName|anything/, where)
    }
  })

  it("has an example problem for every status, in the format of the service", () => {
    for (const [where, media] of contents) {
      const [, , status, type] = where.split(" ")
      if (type !== "application/problem+json") continue
      const example = media.example as Json
      assert.strictEqual(String(example.status), status, where)
      assert.match(String(example.type), /^urn:problem-type:/, where)
      for (const name of ["title", "detail", "requestId"]) assert.isString(example[name], where)
    }
  })

  it("has one schema and one content type per response", () => {
    for (const { method, operation, path } of operations) {
      const { content, description } = resolved(operation.responses[200])
      assert.strictEqual(Object.keys(content as Json).length, 1, `${method} ${path}`)
      assert.isString(description)
      const [media] = Object.values(content as Readonly<Record<string, { readonly schema: Json }>>)
      assert.notProperty(media?.schema, "anyOf", `${method} ${path}`)
      assert.notProperty(media?.schema, "oneOf", `${method} ${path}`)
    }
  })

  it("has a 304 and an if-none-match parameter exactly for responses with an etag", () => {
    const names = (part: unknown) => Object.keys((resolved(part).headers ?? {}) as Json)
    const tagged = operations.filter(({ operation }) => names(operation.responses[200]).includes("etag"))
    assert.isAbove(tagged.length, 5)
    for (const { operation, path } of operations) {
      const isTagged = tagged.some((other) => other.operation === operation)
      assert.strictEqual(operation.responses[304] !== undefined, isTagged, path)
      assert.strictEqual(
        operation.parameters.some(({ name }) => name === "if-none-match"),
        isTagged,
        path
      )
    }
  })

  it("describes the header fields of every response: the request id, and retry-after where it applies", () => {
    for (const { method, operation, path } of operations)
      for (const [status, response] of Object.entries(operation.responses)) {
        const fields = (resolved(response).headers ?? {}) as Readonly<Record<string, Json>>
        const expected = ["x-request-id", ...(["429", "502", "503"].includes(status) ? ["retry-after"] : [])]
        assert.includeMembers(Object.keys(fields), expected, `${method} ${path} ${status}`)
        for (const field of Object.values(fields)) {
          const { description, schema } = resolved(field)
          assert.isString(description)
          assert.isArray((schema as Json).examples)
        }
      }
  })
})

describe("the document for generators", () => {
  const document = forGenerators(spec) as unknown as typeof spec
  const parts = walk(document, "").filter(([path]) => !path.endsWith("/properties"))
  const named = document.components.schemas as unknown as Readonly<Record<string, Json>>

  it("is OpenAPI 3.0 that passes Redocly's linter without messages", async () => {
    assert.strictEqual(document.openapi as string, "3.0.3")
    assert.deepStrictEqual(await lint(document), [])
  })

  it("has every operation at a path without a fragment, histories always with `meta`", () => {
    const left = operations.filter(({ operation }) => operation.operationId !== "history.history")
    assert.sameMembers(
      Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId)),
      left.map(({ operation }) => operation.operationId)
    )
    assert.notMatch(Object.keys(document.paths).join(), /#/)
  })

  it("has only types that generators support: no unions, 64 bits for integers, and enumerations of texts", () => {
    assert.isAbove(parts.length, 1_000)
    for (const [path, part] of parts) {
      for (const name of ["anyOf", "oneOf", "const", "examples", "contentMediaType", "x-stream"])
        assert.notProperty(part, name, path)
      assert.isFalse(Array.isArray(part.type) || part.type === "null", path)
      if (part.type === "integer") assert.strictEqual(part.format, "int64", path)
      if ("enum" in part) assert.strictEqual(part.type, "string", path)
      if (path.endsWith("/content")) assert.lengthOf(Object.keys(part), 1, path)
    }
  })

  it("has nullable members, and one type with the members of all types of a union", () => {
    const membersOf = (schema: Json | undefined) => schema?.properties as Readonly<Record<string, Json>>
    const { balance, tokenDecimals } = membersOf(named.Balance)
    assert.deepInclude(balance, { type: "string", nullable: true })
    assert.notProperty(tokenDecimals, "nullable")
    const { sources } = membersOf(named.AvailabilityReport)
    assert.deepStrictEqual(sources?.additionalProperties as unknown, {
      type: "array",
      nullable: true,
      items: { type: "object", nullable: true, allOf: [{ $ref: "#/components/schemas/CallsOfDay" }] }
    })
    const { account, family, levels } = membersOf(named.NetworkFees)
    assert.deepInclude(family, { type: "string" })
    assert.notProperty(family, "enum")
    assert.deepStrictEqual(account, { $ref: "#/components/schemas/AccountResources" })
    assert.notInclude(named.NetworkFees?.required as Array<string>, "account")
    const { slow } = membersOf(levels)
    assert.includeMembers(Object.keys(membersOf(slow)), ["seconds", "maxFeePerGasWei", "satPerVbyte"])
    assert.deepStrictEqual(slow?.required as unknown, [
      "seconds",
      "transferFeeBaseUnits",
      "transferFee",
      "transferFeeUsd"
    ])
    assert.notProperty(slow, "description")
    const { satPerVbyte } = membersOf(slow)
    assert.deepInclude(satPerVbyte, { type: "string", nullable: true })
    assert.isString(satPerVbyte?.description)
    const { context } = membersOf(named.AddressContext)
    assert.deepInclude(context, { type: "object", nullable: true })
    const { utxos } = membersOf(context)
    assert.strictEqual(utxos?.type, "array")
    assert.includeMembers(Object.keys(membersOf(utxos?.items as Json)), ["confirmations", "assets"])
    const { currency } = membersOf(named.Party)
    assert.deepStrictEqual(Object.keys(currency ?? {}), ["description"])
    assert.deepInclude(membersOf(named.PortfolioChartRequest).days, { type: "integer", format: "int64" })
    assert.isTrue(parts.some(([path, { format }]) => path.startsWith("/paths//icon/") && format === "binary"))
  })
})
