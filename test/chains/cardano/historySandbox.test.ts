import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { payment, stake, withBlockfrostKey } from "../../support/cardano.ts"
import { sums } from "../../support/histories.ts"
import { Cardano } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const contracts = World.contractsOn("cardano")

const holders = [
  ...Array.from({ length: 30 }, (_, index) => payment(index + 1)),
  ...Array.from({ length: 15 }, (_, index) => stake(index + 1)),
  "DdzFFzCqrhstmqBkaU98vdHu6PdqjqotmgudToWYEeRmQKDrn4cAgGv9EZKtu1DevLrMA1pdVazufUCK4zhFkUcQZ5Gm88mVHnrwmXvT"
]

/** Environment by source. Blockfrost is the source with a key if Koios has no calls left. */
const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = { koios: {}, blockfrost: withBlockfrostKey }

const network = (environment: Readonly<Record<string, string>>, only?: string) =>
  Effect.provide(
    Chain,
    Layer.provide(Cardano.layer, [
      Sandbox.layer([Cardano.info]),
      TokenRegistry.layerTest({}),
      Layer.fresh(Upstreams.layer),
      Memory.layer(),
      Settings.layer({ ...environment, ...(only === undefined ? {} : { KOIOS_PER_SECOND: only }) })
    ])
  )

describe("the history of the simulated Cardano", () => {
  for (const [name, environment] of Object.entries(sources))
    it(`adds up to the balances, from ${name}`, function* () {
      const cardano = yield* network(environment, name === "koios" ? undefined : "0.001")
      // Uses up the only call to Koios that its rate limit permits.
      if (name === "blockfrost")
        yield* settled(
          Effect.either(cardano.history?.({ address: payment(99), limit: 1 }) ?? Effect.dieMessage("no history"))
        )
      let [failed, minted] = [0, 0]
      for (const address of holders) {
        const part = yield* settled(cardano.history?.({ address, limit: 500 }) ?? Effect.dieMessage("no history"))
        assert.deepStrictEqual(
          { ...part, transactions: 0 },
          { transactions: 0, more: false, sources: [name], missing: [] }
        )
        const balances = sums(address, part.transactions)
        assert.strictEqual(balances.get("native") ?? 0n, World.native(Cardano.info, address))
        for (const contract of contracts)
          assert.strictEqual(balances.get(contract.address) ?? 0n, World.tokenBalance(Cardano.info, contract, address))
        failed += part.transactions.filter(({ status }) => status === "Failed").length
        for (const { from, to } of part.transactions)
          for (const token of new Set([...from, ...to].map((party) => party.token))) {
            const of = (parties: typeof from) =>
              parties.reduce((sum, party) => (party.token === token ? sum + party.amount : sum), 0n)
            if (token !== undefined && of(from) === 0n) minted++
            else assert.strictEqual(of(from), of(to))
          }
      }
      assert.isAbove(failed, 10)
      assert.isAbove(minted, 0)
    })

  it("is the same from both sources", function* () {
    const [koios, blockfrost] = [yield* network({}), yield* network(withBlockfrostKey, "0.001")]
    for (const address of holders.slice(20)) {
      const [item, other] = yield* settled(
        Effect.all(
          [koios, blockfrost].map((each) => each.history?.({ address, limit: 50 }) ?? Effect.dieMessage("none"))
        )
      )
      assert.deepStrictEqual(item?.transactions, other?.transactions)
    }
  })
})
