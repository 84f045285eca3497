import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Service } from "../support/app.ts"
import { clientOver } from "../support/programs.ts"
import { signers } from "../support/signers.ts"
import { simulated } from "../support/simulated.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"

// A wallet of each family over the JavaScript client, from the fee of a payment to its last status.

/** The client over a service on a simulated clock. */
const running = Effect.gen(function* () {
  const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
  const { handler } = Context.get(yield* live(Layer.build(Service.layer({ SUBSCAN_API_KEY: "key" }))), Service)
  const { make } = clientOver((url, init) =>
    Effect.runPromise(
      Effect.flatMap(live(finish(Effect.promise(() => handler(new Request(url, init))))), ({ outcome }) => outcome)
    )
  )
  return { client: make({ baseUrl: "http://wallet.test", cache: false }), pass }
})

const textOf = (network: string, raw: string): string => {
  if (network !== "sui") return raw
  const [bytes, [signature]] = JSON.parse(raw) as readonly [string, readonly [string]]
  return JSON.stringify({ bytes, signature })
}

/** The families whose payments are final after the fewest blocks; all of them in the second tier. */
const quick = ["tron", "polkadot"]

describe("a wallet", () => {
  for (const [network, make] of Object.entries(signers).filter(([id]) => isAll || quick.includes(id)))
    it.live(`pays on ${network}, and follows the payment until it is final`, () =>
      Effect.gen(function* () {
        const { client, pass } = yield* running
        const awaited = <A>(call: () => PromiseLike<A>) => Effect.promise(() => Promise.resolve(call()))
        const signer = yield* Effect.promise(async () => make())
        const fees = yield* awaited(() => client.fees(network))
        assert.strictEqual(fees.network, network)
        const networks = { [network]: [signer.sender] }
        const contexts = yield* awaited(() => client.transactions.context({ networks }))
        const context = contexts[network]?.[signer.sender]?.context ?? assert.fail("no context")
        const { hash, raw } = yield* Effect.promise(() => signer.pay(context as never))
        const transaction = textOf(network, raw)
        const decoded = yield* awaited(() => client.transactions.decode({ network, transaction }))
        assert.deepStrictEqual([decoded.hash, decoded.problems], [hash, []])
        assert.include(
          decoded.amounts.map(({ amountBaseUnits }) => amountBaseUnits),
          String(signer.amount)
        )
        const sent = yield* awaited(() => client.transactions.send({ network, transaction }))
        assert.deepInclude(sent, { network, accepted: true })
        const statusOf = Effect.map(
          awaited(() => client.transactions.status({ networks: { [network]: [hash] } })),
          (all) => all[network]?.[hash]
        )
        let status = yield* statusOf
        for (let waited = signer.blockTime; status?.final !== true && waited < 7_200_000; waited *= 2) {
          yield* pass(waited)
          status = yield* statusOf
        }
        // A block of Cardano is final after half a day, which takes too long even on a simulated clock.
        assert.deepInclude(status, { status: "confirmed", final: network !== "cardano" })
        const found = yield* awaited(() => client.transactions.byHash(network, hash))
        assert.deepInclude(found, { hash, status: "Success" })
      }).pipe(Effect.scoped)
    )
})
