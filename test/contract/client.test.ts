import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import manifest from "../../package.json" with { type: "json" }
import { Api } from "../../src/contract/Api.ts"
import { NotImplemented, TooLarge } from "../../src/contract/Problem.ts"
import { uncachedPipeline } from "../../src/http/pipeline.ts"
import { row, serverDependencies, token } from "../support/edge.ts"

const client = HttpApiClient.make(Api, { baseUrl: "http://wallet.test" })

/** The typed client, whose requests are served in this process. */
const wired = Layer.unwrapEffect(
  Effect.map(uncachedPipeline, (handler) =>
    Layer.provideMerge(
      FetchHttpClient.layer,
      Layer.succeed(FetchHttpClient.Fetch, ((input: URL, init?: RequestInit) =>
        handler(new Request(input.href, init))) as unknown as typeof globalThis.fetch)
    )
  )
).pipe(Layer.provide(serverDependencies({})))

describe("a client made from the contract", () => {
  it.effect("sends valid requests and decodes the responses of the service", () =>
    Effect.gen(function* () {
      const { balances, status } = yield* client
      const rows = yield* balances.balances({ payload: { networks: { ethereum: ["0x1", "0x2"] } } })
      assert.deepStrictEqual(rows, [row, row])
      assert.deepStrictEqual(yield* status.live(), { status: "live", version: manifest.version, commit: "unknown" })
      assert.strictEqual((yield* status.ready()).status, "starting")
      assert.match(yield* status.metrics(), /# TYPE/)
    }).pipe(Effect.provide(wired))
  )

  it.effect("decodes problems, with the id of the request", () =>
    Effect.gen(function* () {
      const { balances, faucet, nodes } = yield* client
      const large = yield* Effect.flip(balances.token({ payload: token("too-many") }))
      assert.instanceOf(large, TooLarge)
      assert.match(large.requestId ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(yield* nodes.protocolParameters({}), {
        parameters: { min_fee_a: 44 },
        blockData: { height: 1 }
      })
      const missing = yield* Effect.flip(faucet.fund({ path: { address: row.holderAddress } }))
      assert.instanceOf(missing, NotImplemented)
    }).pipe(Effect.provide(wired))
  )
})
