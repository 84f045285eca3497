import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ton } from "../../../src/sandbox/ton/ton.ts"
import type { Simulated } from "../../../src/sandbox/world/wire.ts"
import { Ton } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const ask = (upstream: unknown, path: string, query: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => {
    const requests = { method: "GET", path, query: new URLSearchParams(query), body: "", now: 1_790_000_000_000 }
    return (upstream as Simulated)(requests).json() as Promise<Record<string, never>>
  })

describe("the simulated indexers of TON", () => {
  it("find listed transactions by hash, and no others", function* () {
    const upstreams = new Map<string, unknown>(ton(Ton.info).map(([name, handler]) => [name, handler]))
    const [toncenter, tonapi] = [upstreams.get("toncenter"), upstreams.get("tonapi")]
    const path = "/api/v3/transactions"
    const unknown = yield* ask(toncenter, path, { hash: "00".repeat(32) })
    assert.deepStrictEqual<unknown>(unknown.transactions, [])
    let rows: ReadonlyArray<{ readonly hash: string }> = []
    for (let index = 1; rows.length === 0 && index < 20; index++)
      rows = (yield* ask(toncenter, path, { account: `0:${String(index).padStart(64, "0")}` })).transactions ?? []
    const { hash } = Option.getOrThrow(Option.fromNullable(rows[0]))
    assert.deepStrictEqual<unknown>((yield* ask(toncenter, path, { hash })).transactions, [rows[0]])
    const hex = Buffer.from(hash, "base64").toString("hex")
    assert.strictEqual<unknown>((yield* ask(tonapi, `/v2/blockchain/transactions/${hex}`)).hash, hex)
    assert.isDefined((yield* ask(tonapi, `/v2/blockchain/transactions/${"00".repeat(32)}`)).error)
  })
})
