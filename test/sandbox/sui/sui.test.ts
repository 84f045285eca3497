import * as Effect from "effect/Effect"
import { sui as info } from "../../../src/catalogue/sui.ts"
import { suiGraphql } from "../../../src/sandbox/sui/sui.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { owners } from "../../chains/sui/hosts.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const contracts = World.contractsOn(info.platform)

describe("the simulated Sui host", () => {
  /** The data of a response, as text; `null` if the query was rejected. */
  const ask = (query: string, variables: object) =>
    Effect.map(
      Effect.promise((): Promise<unknown> => {
        const body = JSON.stringify({ query, variables })
        return suiGraphql(info)({ method: "POST", path: "", query: new URLSearchParams(), body, now: 0 }).json()
      }),
      (answer) => JSON.stringify((answer as { readonly data: unknown }).data)
    )

  it("rejects a query with more lists of balances than the real service accepts", function* () {
    const query =
      "query ($keys: [AddressKey!]!) { all: multiGetAddresses(keys: $keys) { balances { nodes { totalBalance } } } }"
    const many = (count: number) => ({ keys: owners(count).map((address) => ({ address })) })
    assert.match(yield* ask(query, many(21)), /^\{"all":\[\{"balances":\{"nodes":\[\{"totalBalance":"\d+"/)
    assert.strictEqual(yield* ask(query, many(22)), "null")
  })

  it("returns balances in pages", function* () {
    const balances = (owner: string) =>
      contracts.filter((contract) => World.tokenBalance(info, contract, owner) > 0n).length
    const [o = ""] = owners(40).filter((text) => balances(text) === 1)
    const page = "{ pageInfo { hasNextPage endCursor } }"
    const first = yield* ask(`query ($o: SuiAddress!) { x: address(address: $o) { balances(first: 1) ${page} } }`, {
      o
    })
    const a = Buffer.from("1").toString("base64")
    assert.strictEqual(first, `{"x":{"balances":{"pageInfo":{"hasNextPage":true,"endCursor":"${a}"}}}}`)
    const next = `query ($o: SuiAddress!, $a: String!) { x: address(address: $o) { balances(first: 1, after: $a) ${page} } }`
    assert.include(yield* ask(next, { o, a }), `"hasNextPage":false`)
  })

  it("rejects malformed queries and queries with missing variables", function* () {
    for (const query of ["", "{ never { ends }", "query ($o: SuiAddress!) { address(address: $o) { address } }"])
      assert.strictEqual(yield* ask(query, {}), "null", query)
  })
})
