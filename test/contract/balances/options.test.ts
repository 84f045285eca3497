import * as Effect from "effect/Effect"
import { ripple } from "../../../src/catalogue/ripple.ts"
import type { Balance } from "../../../src/domain/Balance.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { operations } from "../../support/document.ts"
import { assert, layer } from "../../support/vitest.ts"

const [address = ""] = samples(ripple, 1)
const networks = { ripple: [address] }

layer(Service.layer(), { excludeTestServices: true })("currency and detail of balances", (it) => {
  const lookUp = Effect.fnUntraced(function* (query: string, more: object = {}, path = "/balance") {
    const request = path === "/balance" ? { networks } : { networkId: "ripple", address }
    return yield* (yield* Service).post(`${path}${query}`, { ...request, ...more })
  })

  it("have the same effect in the query and in the body", function* () {
    const rows = Effect.flatMap(lookUp("?currency=EUR&detail=true"), body<ReadonlyArray<Balance>>)
    const [row] = yield* rows
    assert.strictEqual(row?.currency, "eur")
    assert.strictEqual(row?.breakdown?.reserved !== undefined, true)
    for (const response of [
      lookUp("", { currency: "eur", detail: true }),
      lookUp("?detail=true", { currency: "eur" }),
      lookUp("?currency=eur", { currency: "EUR", detail: true })
    ])
      assert.deepStrictEqual(
        (yield* Effect.flatMap(response, body<ReadonlyArray<Balance>>))[0]?.breakdown,
        row?.breakdown
      )
    const single = yield* Effect.flatMap(lookUp("?currency=eur&detail=true", {}, "/balance/token"), body<Balance>)
    assert.strictEqual(single.currency, "eur")
    assert.deepStrictEqual(single.breakdown, row?.breakdown)
  })

  it("are rejected if query and body differ, or if a value is invalid", function* () {
    const refused = Effect.fnUntraced(function* (query: string, more?: object, path?: string) {
      const response = yield* lookUp(query, more, path)
      assert.strictEqual(response.status, 400, query)
      const { issues } = yield* body<{ readonly issues: ReadonlyArray<{ path: string; message: string }> }>(response)
      return issues.map(({ message, path }) => `${path} ${message}`.slice(0, 60))
    })
    assert.deepStrictEqual(yield* refused("?currency=eur", { currency: "chf" }), [
      "currency is eur in the query and chf in the body"
    ])
    assert.deepStrictEqual(yield* refused("?detail=false", { detail: true }, "/balance/token"), [
      "detail is false in the query and true in the body"
    ])
    assert.deepStrictEqual(yield* refused("?detail=yes"), ['detail must be true or false; it is "yes"'])
    assert.match((yield* refused("?currency=euro"))[0] ?? "", /^currency must be one of usd, aed/)
    assert.match(
      (yield* refused("?details=true"))[0] ?? "",
      /^details is not a known query parameter; did you mean "detail/
    )
    assert.match((yield* refused("", { detail: 1 }))[0] ?? "", /^detail must be true or false/)
  })

  it.effect("are documented as query parameters", () =>
    Effect.sync(() => {
      for (const id of ["balances.balances", "balances.token", "balances.stream"]) {
        const found = operations.find(({ operation }) => operation.operationId === id)
        const names = (found?.operation.parameters ?? []).map((parameter) => (parameter as { name?: string }).name)
        assert.includeMembers(names, ["currency", "detail"], id)
      }
    })
  )
})
