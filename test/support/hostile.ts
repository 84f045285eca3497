import * as FastCheck from "effect/FastCheck"
import { spec } from "./document.ts"

// Malformed requests: valid requests to every documented route, damaged at one or two points.

/** A raw HTTP request. */
export interface Hostile {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | undefined
}

interface JsonSchema {
  readonly $ref?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, unknown>>
  readonly anyOf?: ReadonlyArray<unknown>
  readonly items?: unknown
  readonly enum?: ReadonlyArray<unknown>
}

const schemas: Readonly<Record<string, unknown>> = spec.components.schemas

/** A value of a schema, built from the examples of its fields. */
const exampleOf = (given: unknown): unknown => {
  const schema: JsonSchema = typeof given === "object" && given !== null ? given : {}
  if (schema.$ref !== undefined) return exampleOf(schemas[schema.$ref.split("/").at(-1) ?? ""])
  if (Object.keys(schema.properties ?? {}).length > 0)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [name, exampleOf(member)])
    )
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0])
  return schema.items === undefined ? (schema.enum?.[0] ?? "x") : [exampleOf(schema.items)]
}

interface Valid {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: unknown
}

const named: Readonly<Record<string, string>> = { network: "base", coin: "bitcoin", coins: "bitcoin,ethereum" }

/** A valid request to each route. */
export const valid: ReadonlyArray<Valid> = Object.entries(spec.paths).flatMap(([template, item]) =>
  Object.entries(item).map(([method, { parameters, requestBody }]): Valid => {
    const inPath = new Map(
      parameters.filter((parameter) => parameter.in === "path").map((declared) => [declared.name, declared])
    )
    return {
      method: method.toUpperCase(),
      // A fragment distinguishes two forms of a route and is not sent.
      path: template
        .replace(/#.*$/, "")
        .replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? String(exampleOf(inPath.get(name)?.schema))),
      query: parameters
        .filter((declared) => declared.in === "query")
        .map((parameter) => [parameter.name, String(exampleOf(parameter.schema))] as const),
      body: requestBody === undefined ? undefined : exampleOf(requestBody.content["application/json"]?.schema)
    }
  })
)

/** Members that every JavaScript object or function inherits. */
export const inherited = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "length",
  "name",
  "then"
] as const

/** Inherited members, and other names with a special meaning in paths, URLs, JSON or shells. */
const names = [
  ...inherited,
  ...["", " ", ".", "..", "%", "%zz", "%00", "%2f", "%5c", "%2e%2e", "\\", "*", "{}", "null", "undefined", "NaN"],
  ...["é", "\u202e", "💸", "a".repeat(500), "a,b", "0x", "-1", "1e400", "00", "$&", "<script>", "'", "`"]
]

/** Methods of the nodes of all networks, and some that are not allowed. */
const methods = [
  ...["eth_chainId", "eth_call", "eth_getLogs", "eth_getBalance", "eth_getBlockByNumber", "eth_feeHistory"],
  ...["eth_sendRawTransaction", "eth_newFilter", "eth_getFilterChanges", "eth_estimateGas", "eth_getCode"],
  ...["getBalance", "getAccountInfo", "getBlock", "getMultipleAccounts", "sendTransaction", "simulateTransaction"],
  ...["getSignaturesForAddress", "getTransaction", "getProgramAccounts", "getTokenAccountsByOwner"],
  ...["suix_getBalance", "suix_getCoins", "sui_getObject", "sui_multiGetObjects", "sui_executeTransactionBlock"],
  ...["getAddressInformation", "runGetMethod", "sendBoc", "getTransactions", "debug_traceCall", "toString"]
]

const networks = ["base", "ethereum", "solana", "sui", "ton", "bitcoin", "ripple", "polkadot", "tron", "cardano"]

/** A repeated text of at most about `maxLength` characters. */
const repeated = (unit: FastCheck.Arbitrary<string>, maxLength: number) =>
  FastCheck.tuple(unit, FastCheck.oneof({ weight: 9, arbitrary: FastCheck.nat(200) }, FastCheck.nat(maxLength))).map(
    ([text, count]) => text.repeat(Math.min(count, Math.ceil(maxLength / Math.max(1, text.length))))
  )

const nested = (maxLength: number) =>
  FastCheck.tuple(
    FastCheck.constantFrom(["[", "]"], ['{"a":', "}"]),
    FastCheck.nat(maxLength),
    FastCheck.boolean()
  ).map(([[open = "", close = ""], depth, closed]) => `${open.repeat(depth)}1${closed ? close.repeat(depth) : ""}`)

/** Valid or nearly valid JSON text of at most about `maxLength` characters. */
const value = (maxLength: number) =>
  FastCheck.oneof(
    FastCheck.constantFrom("null", "true", "0", "-1", "1.5", "1e400", "-0", "12345678901234567890", "{}", "[]", '""'),
    FastCheck.constantFrom(...names, ...methods, ...networks).map((name) => JSON.stringify(name)),
    FastCheck.constantFrom("", "tru", "'a'", "NaN", '"\\ud800"', '"\\u0000"', '"\\x"', "//", "\u0000", "[1,]"),
    FastCheck.json({ maxDepth: 3 }),
    nested(Math.ceil(maxLength / 5)),
    repeated(FastCheck.constantFrom("1,", '"a",', "{},", "[],", "null,", '"0x1",'), maxLength).map(
      (text) => `[${text}1]`
    ),
    repeated(FastCheck.constantFrom("a", "0", "0x", "z", "\\\\", '\\"', "é"), maxLength).map((text) => `"${text}"`),
    FastCheck.nat(Math.ceil(maxLength / 12)).map(
      (count) => `{${Array.from({ length: count + 1 }, (_, index) => `"a${index}":1`).join(",")}}`
    )
  )

type Edit = "replace" | "remove" | "rename" | "add" | "double"

/** JSON text of a value with an edit at its n-th member, counted through all levels. */
const edited = (root: unknown, at: number, edit: Edit, raw: string, name: string): string => {
  let index = 0
  const write = (member: unknown): string => {
    if (Array.isArray(member)) return `[${member.map(write).join(",")}]`
    if (typeof member !== "object" || member === null) return JSON.stringify(member)
    const members = Object.entries(member).flatMap(([key, inner]) => {
      const mine = index++ === at
      const written = `${JSON.stringify(key)}:${write(inner)}`
      if (!mine) return [written]
      if (edit === "remove") return []
      if (edit === "rename") return [`${JSON.stringify(name)}:${write(inner)}`]
      if (edit === "add") return [written, `${JSON.stringify(name)}:${raw}`]
      return edit === "double" ? [written, `${JSON.stringify(key)}:${raw}`] : [`${JSON.stringify(key)}:${raw}`]
    })
    return `{${members.join(",")}}`
  }
  return write(root)
}

const body = (operation: Valid, maxLength: number): FastCheck.Arbitrary<string | undefined> =>
  operation.body === undefined
    ? FastCheck.option(value(maxLength), { nil: undefined, freq: 10 })
    : FastCheck.oneof(
        { weight: 1, arbitrary: FastCheck.constant(JSON.stringify(operation.body)) },
        { weight: 1, arbitrary: value(maxLength) },
        {
          weight: 2,
          arbitrary: FastCheck.tuple(FastCheck.constantFrom(...networks, ...names), value(maxLength)).map(
            ([network, raw]) => `{"networks":{${JSON.stringify(network)}:[${raw}]}}`
          )
        },
        {
          weight: 6,
          arbitrary: FastCheck.tuple(
            FastCheck.nat(6),
            FastCheck.constantFrom<Edit>("replace", "replace", "replace", "remove", "rename", "add", "double"),
            value(maxLength),
            FastCheck.constantFrom(...names)
          ).map(([at, edit, raw, name]) => edited(operation.body, at, edit, raw, name))
        }
      )

/** A single edit of a path. */
const pathEdit = FastCheck.oneof(
  { weight: 8, arbitrary: FastCheck.constant((path: string) => path) },
  FastCheck.constantFrom(
    (path: string) => `/${path}`,
    (path: string) => `${path}/`,
    (path: string) => `${path}//`,
    (path: string) => `${path};x=1`,
    (path: string) => `${path}.`,
    (path: string) => `/.${path}`,
    (path: string) => `/x/..${path}`,
    (path: string) => path.toUpperCase(),
    (path: string) => path.replace(/\/(?=[^/]*$)/, "%2f"),
    (path: string) => path.replace(/\/(?=[^/]*$)/, "\\"),
    (path: string) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
  ),
  FastCheck.constantFrom(...names, ...networks).map(
    (name) => (path: string) => path.replace(/[^/]*$/, encodeURIComponent(name.toWellFormed()))
  ),
  repeated(FastCheck.constantFrom("/", "a", "%41", "/..", "%"), 20_000).map((text) => (path: string) => path + text)
)

const queryEdit = (maxLength: number) =>
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.constant((query: string) => query) },
    FastCheck.constantFrom(...names).map((name) => (query: string) => `${query}&${encodeURIComponent(name)}=1`),
    FastCheck.constant((query: string) => `${query}&${query}`),
    FastCheck.constantFrom(...names).map(
      (name) => (query: string) => query.replace(/=[^&]*/, `=${encodeURIComponent(name)}`)
    ),
    repeated(FastCheck.constantFrom("a,", "1,", ",", "&", "&a=1", "=", "%2c", "%", "+", "a", "%00"), maxLength).map(
      (text) => (query: string) => query.replace(/=[^&]*|$/, `=${text}`)
    )
  )

const header = (maxLength: number) =>
  FastCheck.oneof(
    FastCheck.constantFrom<readonly [string, string]>(
      ["content-type", "multipart/form-data; boundary=x"],
      ["content-type", "text/plain"],
      ["content-type", "application/x-www-form-urlencoded"],
      ["content-type", ";;"],
      ["content-encoding", "gzip"],
      ["content-encoding", "identity, br"],
      ["accept", "application/x-ndjson"],
      ["accept", "text/event-stream;q=0.1, */*;q=x"],
      ["accept-encoding", "gzip;q=-1, zstd;q=9e9, *;q=0"],
      ["if-none-match", '*, W/"", "'],
      ["x-request-id", "../../etc"],
      ["x-api-key", "wrong"],
      ["x-forwarded-for", ",,,"],
      ["origin", "null"],
      ["access-control-request-method", "POST"],
      ["traceparent", "00-00000000000000000000000000000000-0000000000000000-00"],
      ["expect", "100-continue"],
      ["range", "bytes=0-1,5-"],
      ["upgrade", "websocket"],
      ["__proto__", "x"]
    ),
    FastCheck.tuple(
      FastCheck.constantFrom("accept", "accept-encoding", "if-none-match", "x-forwarded-for", "content-type", "cookie"),
      repeated(FastCheck.constantFrom("a,", ",", ";q=1,", '"a",', "*;", "application/x-ndjson;q=0,"), maxLength)
    )
  )

const methodsOf = (operation: Valid) =>
  FastCheck.oneof(
    { weight: 12, arbitrary: FastCheck.constant(operation.method) },
    FastCheck.constantFrom("GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "PROPFIND", "TRACE")
  )

/** A JSON-RPC call or batch for any network of the proxy. */
const call = FastCheck.tuple(
  FastCheck.constantFrom(...networks),
  FastCheck.constantFrom("", "/testnet"),
  FastCheck.constantFrom(...methods),
  value(500),
  FastCheck.oneof({ weight: 20, arbitrary: FastCheck.constant(1) }, FastCheck.nat(1_200))
).map(([network, side, method, params, count]): Valid & { readonly text: string } => {
  const item = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${/^[[{]/.test(params) ? params : `[${params}]`}}`
  const path = `/utils/rpc/${network}${side}`
  const text = count === 1 ? item : `[${Array.from({ length: count }, () => item).join(",")}]`
  return { method: "POST", path, query: [], body: undefined, text }
})

const queryOf = (operation: Valid) =>
  operation.query.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join("&")

/** Malformed requests; each part has at most about `maxLength` characters. */
export const hostile = (maxLength: number): FastCheck.Arbitrary<Hostile> =>
  FastCheck.oneof(
    {
      weight: 4,
      arbitrary: FastCheck.constantFrom(...valid).map((operation) => ({ valid: operation, text: undefined }))
    },
    { weight: 1, arbitrary: call.map((changed) => ({ valid: changed, text: changed.text })) }
  ).chain(({ valid: item, text }) =>
    FastCheck.record({
      method: methodsOf(item),
      target: FastCheck.tuple(pathEdit, queryEdit(maxLength)).map(([path, query]) => {
        const queryString = query(queryOf(item))
        return path(item.path) + (queryString === "" ? "" : `?${queryString}`)
      }),
      headers: FastCheck.tuple(
        FastCheck.constant([["content-type", "application/json"] as const]),
        FastCheck.oneof(
          { weight: 3, arbitrary: FastCheck.constant([]) },
          FastCheck.array(header(maxLength), { maxLength: 3 })
        )
      ).map((all) => all.flat()),
      body: text === undefined ? body(item, maxLength) : FastCheck.constant(text)
    })
  )
