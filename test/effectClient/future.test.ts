import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type components, make } from "../../src/client/Client.ts"
import { Api } from "../../src/contract/Api.ts"
import { forGenerators } from "../../src/contract/document/generators.ts"
import { namesIn } from "../../src/contract/document/schemas.ts"
import { Problem, WalletData } from "../../src/effectClient/WalletData.ts"
import { calls } from "../client/calls.ts"
import { operations, spec, walk } from "../support/document.ts"
import { futures } from "../support/future.ts"
import { blockNumber, requests } from "../support/requests.ts"
import { assert, describe, it } from "../support/vitest.ts"

const endpoints = new Map<string, HttpApiEndpoint.HttpApiEndpoint.AnyWithProps>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => endpoints.set(`${group.identifier}.${endpoint.name}`, endpoint as never)
})

/** The request to an operation as the Effect client takes it. */
const requestOf = Effect.fnUntraced(function* (id: string) {
  const endpoint = endpoints.get(id) ?? assert.fail(id)
  const { body, path, query } = requests[id] ?? {}
  const decoded = (schema: Option.Option<Schema.Schema.All>, value: unknown) =>
    Option.isNone(schema)
      ? Effect.succeed(undefined)
      : Schema.decodeUnknown(schema.value as Schema.Schema<unknown>)(value ?? {})
  return {
    path: yield* decoded(endpoint.pathSchema, path),
    urlParams: yield* decoded(endpoint.urlParamsSchema, query),
    payload: yield* decoded(endpoint.payloadSchema, body)
  }
})

let current: unknown
/** The Effect client, built once because building it costs more than all requests of this file. */
const client = ManagedRuntime.make(
  WalletData.layer({ baseUrl: "http://wallet.test" }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(Layer.succeed(FetchHttpClient.Fetch, (async () => Response.json(current)) as never))
  )
)

/** Runs an effect over one response. */
const answering = <A, E>(
  value: unknown,
  effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof client>>
) =>
  Effect.suspend(() => {
    current = value
    return Effect.provide(effect, client)
  })

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(value: T) => value
type Known<Word> = Word extends unknown ? (string extends Word ? never : Word) : never

type Minimum = components["schemas"]["TransactionReplacement"]["minimum"]
declare const await_: <A>() => A

/** Checked by the compiler; never called. */
const usage = Effect.gen(function* () {
  const client = yield* WalletData
  type Request = Parameters<typeof client.balances.balances>[0]["payload"]["networks"]
  same<"ethereum" extends keyof { readonly [Id in keyof Request as string extends Id ? never : Id]: 1 } ? true : false>(
    true
  )
  const [row] = yield* client.balances.balances({ payload: { networks: { ethereum: ["0x1"], pebble: ["a"] } } })
  same<Same<Known<NonNullable<typeof row>["tokenType"]>, "NATIVE" | "TOKEN">>(true)
  if (row?.tokenType === "from-the-future") return row.balance
  const contexts = yield* client.transactions.context({ payload: { networks: { ethereum: ["0x1"] } } })
  const { context } = contexts.ethereum?.["0x1"] ?? {}
  if (context?.family === "evm") context.pendingNonce.toFixed()
  if (context?.family === "solana") {
    // @ts-expect-error a member of another family
    context.pendingNonce.toFixed()
  }
  const answer = yield* client.nodes.rpc({ path: { network: "base" }, payload: {} as never })
  // @ts-expect-error any JSON, also null
  answer.toString()
  const { minimum } = yield* client.transactions.replacement({ payload: { network: "base", hash: "0x1" } })
  if (minimum !== null && "nonce" in minimum) minimum.nonce.toFixed()
  // @ts-expect-error a member of one variant
  minimum?.nonce
  const promised = await_<Minimum>()
  if (promised !== null && "nonce" in promised) promised.nonce.toFixed()
  const undefinedMembers = { currency: undefined, detail: undefined }
  yield* client.balances.balances({ payload: { networks: { ethereum: ["0x1"] }, ...undefinedMembers } })
  yield* client.transactions
    .send({ payload: { network: "base", transaction: "0x" } })
    .pipe(Effect.catchTag("SendUndecided", ({ sent }) => Effect.succeed(sent === "queued")))
  const fees = yield* client.fees.fees({ path: { network: "base" }, urlParams: {} })
  fees.levels.standard.transferFee?.trim()
  yield* client.status
    .live()
    .pipe(Effect.catchTags({ TooManyRequests: () => Effect.void, Overloaded: () => Effect.void }))
  yield* client.icons.icon({ path: { coinId: "a" } }).pipe(Effect.catchTag("Overloaded", () => Effect.void))
  if (fees.family === "evm") return fees.levels.fast.maxFeePerGasWei
  // @ts-expect-error a level of another family
  return fees.levels.fast.maxFeePerGasWei
})

type Methods = Readonly<Record<string, Readonly<Record<string, (request: object) => Effect.Effect<unknown, unknown>>>>>

/** Schemas of requests, which are closed. */
const ofRequests = namesIn(
  operations.map(({ operation }) => operation.requestBody),
  spec.components.schemas as never
)

/** Paths of the closed enumerations of words in responses; those of families determine variants. */
const closedIn = (document: object): ReadonlyArray<string> =>
  walk(document, "").flatMap(([path, { enum: words }]) => {
    const [, schema = ""] = /^\/components\/schemas\/(\w+)/.exec(path) ?? []
    const isClosed = ofRequests.has(schema) || /\/(parameters|requestBody)\/|\/family$/.test(path)
    return Array.isArray(words) && typeof words[0] === "string" && !isClosed ? [path] : []
  })

describe("a response of a later version", () => {
  it("may have any word, by the document for readers and for generators", function* () {
    assert.deepStrictEqual([closedIn(spec), closedIn(forGenerators(spec))], [[], []])
    assert.isTrue(Effect.isEffect(usage))
    assert.include(JSON.stringify(forGenerators(spec)), '"enum":["full","quick","abi"]')
    yield* Effect.void
  })

  for (const [id, responses] of futures) {
    it(`is passed on whole: ${id}`, function* () {
      const operation = id === "history.historyWithMeta" ? "history.history" : id
      const [group = "", name = ""] = operation.split(".")
      const request = yield* requestOf(operation)
      for (const response of responses) {
        const received = Effect.flatMap(WalletData, (client) => {
          const method = (client as unknown as Methods)[group]?.[name] ?? assert.fail(id)
          return method(request)
        })
        assert.deepStrictEqual(yield* answering(response, received), response)
        const call = calls[id]
        const promised = make({ baseUrl: "http://wallet.test", fetch: async () => Response.json(response) })
        if (call !== undefined) assert.deepStrictEqual(yield* Effect.promise(() => call(promised)), response)
      }
    })
  }

  it("is refused with a family that is not known, but without the members of all families", function* () {
    const [, fees = []] = futures.find(([id]) => id === "fees.fees") ?? []
    const whole = fees.find((each) => Object(each).family === "new-family") ?? assert.fail("no other family")
    const read = (value: unknown) =>
      Effect.either(
        answering(
          value,
          Effect.flatMap(WalletData, (client) => client.fees.fees({ path: { network: "base" }, urlParams: {} }))
        )
      )
    assert.deepStrictEqual<unknown>(Either.getOrThrow(yield* read(whole)), whole)
    for (const wrong of [{ levels: undefined }, { levels: 42 }, { network: 7 }, { family: "evm" }, { family: 7 }])
      assert.isTrue(Either.isLeft(yield* read({ ...Object(whole), ...wrong })), JSON.stringify(wrong))
  })
})

describe("a member named __proto__", () => {
  it("is refused, and never becomes the prototype", function* () {
    const row = futures.find(([id]) => id === "balances.balances")?.[1][0]
    const read = (text: string) =>
      answering(
        JSON.parse(text),
        Effect.flatMap(WalletData, ({ balances, transactions }) =>
          Effect.all(
            [
              balances.balances({ payload: { networks: { ethereum: ["0x1"] } } }),
              transactions.context({ payload: { networks: { ethereum: ["0x1"] } } })
            ],
            { mode: "either" }
          )
        )
      )
    const [rows] = yield* read(JSON.stringify(row))
    assert.isTrue(Either.isRight(rows))
    const poisoned = (part: unknown) => JSON.stringify(part).replace("{", '{"__proto__":{"error":"poisoned"},')
    assert.isTrue(Either.isLeft((yield* read(poisoned(row)))[0]))
    assert.isTrue(Either.isLeft((yield* read('{"ethereum":{"__proto__":{}}}'))[1]))
    const answered = yield* answering(
      JSON.parse('{"__proto__":{"a":1},"jsonrpc":"2.0","id":1,"result":{}}'),
      Effect.flatMap(WalletData, ({ nodes }) => nodes.rpc({ path: { network: "base" }, payload: blockNumber }))
    )
    assert.deepStrictEqual(Object.keys(Object(answered)), ["__proto__", "jsonrpc", "id", "result"])
  })
})

describe("the minimum of a replacement of another family", () => {
  it("is passed on, and members determine the other variants", function* () {
    const [, all = []] = futures.find(([id]) => id === "transactions.replacement") ?? []
    const [whole] = all
    const read = (minimum: unknown) =>
      Effect.either(
        answering(
          { ...Object(whole), minimum },
          Effect.flatMap(WalletData, ({ transactions }) =>
            transactions.replacement({ payload: { network: "solana", hash: "1" } })
          )
        )
      )
    for (const minimum of [{ computeUnitPriceMicroLamports: "5", a: 7 }, { family: "solana" }, {}])
      assert.deepStrictEqual<unknown>(Either.getOrThrow(yield* read(minimum)).minimum, minimum)
    for (const wrong of [{ nonce: "9" }, { satPerVbyte: "1" }, { a: 1, gasPriceWei: null }, "5", [], 7])
      assert.isTrue(Either.isLeft(yield* read(wrong)), JSON.stringify(wrong))
    assert.deepStrictEqual(
      all.map((each) => Object.keys(Object(Object(each).minimum ?? {}))[0]),
      [..."0120120120"].map((turn) => ["nonce", "satPerVbyte", "family"][Number(turn)]).concat([undefined as never])
    )
  })
})

describe("a text in a path", () => {
  const requested: Array<string> = []
  const recording = WalletData.layer({ baseUrl: "http://wallet.test/below" }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(
      Layer.succeed(FetchHttpClient.Fetch, (async (url: URL) => {
        requested.push(url.href)
        return Response.json({ input: "a", matches: [] })
      }) as never)
    )
  )
  const lookUp = (text: string) =>
    Effect.provide(
      Effect.flatMap(WalletData, (client) => client.addresses.lookUp({ path: { text }, urlParams: {} })),
      recording
    )

  it("is one segment, encoded, and no other route", function* () {
    for (const text of ["0xd8dA#memo=12", "a?detail=true", "../utils/fund-testnet-account/0x1", "%41", "ä"]) {
      requested.length = 0
      yield* Effect.either(lookUp(text))
      assert.deepStrictEqual(requested, [`http://wallet.test/below/address/${encodeURIComponent(text)}`])
    }
  })

  it("is refused before it is sent if it would be another path, or has half of a character", function* () {
    requested.length = 0
    for (const text of [".", "..", "a\ud800"])
      assert.instanceOf(yield* Effect.flip(lookUp(text)), Problem.InvalidRequest)
    assert.deepStrictEqual(requested, [])
  })
})
