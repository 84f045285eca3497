import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import type { Chain } from "../../../src/chains/Chain.ts"
import * as Contexts from "../../../src/chains/kit/context/Contexts.ts"
import type { TonContext } from "../../../src/domain/TransactionContext.ts"
import { SentTransactions } from "../../../src/features/sending/SentTransactions.ts"
import { signingContexts } from "../../../src/features/transactions/handlers.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { chainsOf } from "../../support/chains.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const context: TonContext = { family: "ton", state: "uninit", seqno: 0, wallet: null, walletId: null, balance: "1" }

/** A network whose addresses define how they respond. All of them first need `shared`. */
const contextsOf = Effect.fnUntraced(function* (
  addresses: ReadonlyArray<string>,
  shared: Effect.Effect<void> = Effect.void
) {
  const network = {
    facts: litecoin,
    address: (text: string) => (text === "malformed" ? Either.left("no address") : Either.right(text)),
    transactionContexts: Contexts.withShared(
      () => shared,
      (address) => {
        if (address === "hangs") return Effect.never
        if (address === "dies") return Effect.die(new Error("a fault of the adapter"))
        return Effect.succeed(context)
      }
    )
  } as unknown as Chain["Type"]
  const chains = chainsOf([network])
  const sent = Layer.provide(SentTransactions.layer, Memory.layer())
  const layer = Layer.mergeAll(chains, sent, Settings.layer({ REQUEST_DEADLINE_MS: "10000" }))
  const fiber = yield* Effect.fork(
    Effect.provide(
      Effect.flatMap(signingContexts, (contexts) => contexts({ litecoin: addresses })),
      layer
    )
  )
  yield* TestClock.adjust("8 seconds")
  const [{ results = [] } = {}] = yield* fiber
  return results.map(([text, { result }]) => [
    text,
    Either.match(result, { onLeft: ({ reason }) => reason, onRight: ({ family }) => family })
  ])
})

describe("the contexts of a request", () => {
  it("end before its deadline: an address that hangs, fails or is malformed does not affect the others", function* () {
    assert.deepStrictEqual(yield* contextsOf(["hangs", "first", "dies", "malformed", "last"]), [
      ["hangs", "timeout"],
      ["first", "ton"],
      ["dies", "upstream_error"],
      ["malformed", "invalid_address"],
      ["last", "ton"]
    ])
  })

  it("share one read that all addresses need, and end before the deadline if it hangs", function* () {
    let reads = 0
    const many = Array.from({ length: 40 }, (_, index) => `address ${index}`)
    const shared = Effect.sync(() => void reads++)
    assert.deepStrictEqual(
      yield* contextsOf(many, shared),
      many.map((address) => [address, "ton"])
    )
    assert.strictEqual(reads, 1)
    assert.deepStrictEqual(
      yield* contextsOf(many, Effect.never),
      many.map((address) => [address, "timeout"])
    )
  })
})
