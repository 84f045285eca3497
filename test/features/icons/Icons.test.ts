import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { Icons } from "../../../src/features/icons/Icons.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store } from "../../../src/storage/Store.ts"
import { GuardedFetch } from "../../../src/upstream/guarded/GuardedFetch.ts"
import { type Fault, UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>'
const addressOf = (id: string) => `https://images.example/${id}.svg`
const down: Fault = { reason: "upstream_error", detail: "returned HTTP 500", status: 500 }
const gone: Fault = { reason: "upstream_error", detail: "returned HTTP 404", status: 404, final: true }
const other: Fault = { reason: "bad_answer", detail: "returned a response of another type" }

/** Icons over a simulated fetch; all coins but `bare` have an address. */
const icons = Effect.fnUntraced(function* (
  respond: (url: string) => Effect.Effect<string, Fault>,
  store = Memory.layer()
) {
  const fetches: Array<string> = []
  const context = yield* Layer.build(
    Icons.layer.pipe(
      Layer.provideMerge(store),
      Layer.provide([
        Layer.succeed(GuardedFetch, {
          get: ({ upstream, url }) => {
            fetches.push(url)
            return Effect.mapBoth(respond(url), {
              onFailure: (fault) => new UpstreamError({ upstream, ...fault }),
              onSuccess: (text) => Buffer.from(text)
            })
          }
        }),
        Layer.mock(Pricing, {
          facts: (ids) =>
            Effect.succeed(
              new Map(
                ids.map((id) => [id, { name: id, symbol: id, ...(id === "bare" ? {} : { image: addressOf(id) }) }])
              )
            )
        })
      ])
    )
  )
  const { icon } = Context.get(context, Icons)
  return {
    fetches,
    store: Context.get(context, Store),
    icon: (id: string) =>
      Effect.map(icon(CoinId.make(id)), ({ bytes, isFound }) => (isFound ? Buffer.from(bytes).toString() : undefined))
  }
})

describe("the icon of a coin", () => {
  it("is fetched once, also for concurrent requests, and again after a week", function* () {
    const { fetches, icon } = yield* icons(() => Effect.succeed(svg))
    assert.deepStrictEqual(yield* Effect.all([icon("a"), icon("a")], { concurrency: 2 }), [svg, svg])
    yield* TestClock.adjust("6 days")
    assert.strictEqual(yield* icon("a"), svg)
    assert.deepStrictEqual(fetches, [addressOf("a")])
    yield* TestClock.adjust("2 days")
    assert.strictEqual(yield* icon("a"), svg)
    yield* TestClock.adjust(0)
    assert.lengthOf(fetches, 2)
  })

  it("is drawn without a fetch if no address is known", function* () {
    const { fetches, icon } = yield* icons(() => Effect.succeed(svg))
    assert.isUndefined(yield* icon("bare"))
    assert.deepStrictEqual(fetches, [])
  })

  const failures = [
    ["the source fails", Effect.fail(down), 5],
    ["there is no image", Effect.fail(gone), 60],
    ["the response has another type", Effect.fail(other), 60],
    ["the bytes are no image", Effect.succeed("<html></html>"), 60]
  ] as const
  for (const [cause, response, minutes] of failures)
    it(`is drawn if ${cause}, and fetched again after ${minutes} minutes`, function* () {
      const { fetches, icon } = yield* icons(() => response)
      assert.isUndefined(yield* icon("a"))
      yield* TestClock.adjust(minutes * 60_000 - 1)
      assert.isUndefined(yield* icon("a"))
      assert.lengthOf(fetches, 1)
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* icon("a"))
      assert.lengthOf(fetches, 2)
    })

  it("is read from the store, and checked again", function* () {
    const first = yield* icons(() => Effect.succeed(svg))
    yield* first.icon("a")
    const shared = Layer.succeed(Store, first.store)
    const second = yield* icons(() => Effect.fail(down), shared)
    assert.strictEqual(yield* second.icon("a"), svg)
    assert.deepStrictEqual(second.fetches, [])
    const entries = first.store.open("icons", 1)
    for (const value of [btoa("<html></html>"), btoa(svg.replace("circle", "script")), "%", 5, null]) {
      yield* entries.setMany(new Map([[addressOf("a"), { at: 0, value }]]), "1 day")
      const third = yield* icons(() => Effect.fail(down), shared)
      assert.isUndefined(yield* third.icon("a"))
      assert.lengthOf(third.fetches, 1)
    }
  })
})
