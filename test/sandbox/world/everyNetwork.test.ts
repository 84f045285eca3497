import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as App from "../../../src/App.ts"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Observer } from "../../../src/upstream/Upstream.ts"
import { samples } from "../../chains/families/samples.ts"
import { sandboxEnvironment } from "../../support/sandbox.ts"
import { liveNetworks, networks } from "../../support/tier.ts"
import { assert, layer } from "../../support/vitest.ts"

const environment = { BLOCKFROST_PROJECT_ID: "sandbox", ZKEVM_RPC_URLS: "http://zkevm.invalid" }

const world = World.make()
const leftOut = new Set<string>()

/** All networks over a shared world; each test chooses the upstreams to leave out. */
const everyNetwork = App.useCases.pipe(
  Layer.fresh,
  Layer.provide(sandboxEnvironment(environment, Sandbox.layer(Catalogue.all, { world }))),
  Layer.provide(Layer.succeed(Observer, { leavesOut: (name) => leftOut.has(name), ended: () => undefined })),
  Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None))
)

const tokenOf = (facts: Catalogue.AnyFacts) =>
  World.contractsOn(facts.platform).find(({ coin }) => coin.id !== facts.native.coinId && coin.id !== "wrapped-solana")

layer(everyNetwork, { excludeTestServices: true })("a simulated world", (it) => {
  for (const facts of networks)
    it(`shows funded amounts in every source of balances: ${facts.id}`, function* () {
      const chain = Option.getOrThrow(yield* (yield* Chains).find(facts.id))
      const [text = "", other = ""] = samples(facts, 2, 7_000)
      const address = Either.getOrThrow(chain.address(text))
      const token = tokenOf(facts)
      const before = yield* world.balanceOf(facts.id, text)
      yield* world.fund(facts.id, text, 123_456n)
      if (token !== undefined) yield* world.set(facts.id, text, 7_777n, token.address)
      assert.strictEqual(yield* world.balanceOf(facts.id, address), before + 123_456n)
      const sources = Either.getOrElse((yield* chain.abilities).balance, () => [])
      assert.isNotEmpty(sources)
      for (const source of sources) {
        leftOut.clear()
        for (const name of sources) if (name !== source) leftOut.add(name)
        const { addresses } = yield* chain.holdings([address, Either.getOrThrow(chain.address(other))])
        const held = Either.getOrThrowWith(addresses[0] ?? Either.left(undefined), () => new Error(source))
        const amounts = held.map(({ amount }) => Either.getOrThrow(amount))
        assert.strictEqual(amounts[0], before + 123_456n, source)
        if (token !== undefined) assert.include(amounts.slice(1), 7_777n, source)
      }
      leftOut.clear()
    })

  for (const facts of liveNetworks)
    it(`shows a confirmed send to sender and recipient in every source of histories: ${facts.id}`, function* () {
      const chain = Option.getOrThrow(yield* (yield* Chains).find(facts.id))
      const history = Option.getOrThrow(Option.fromNullable(chain.history))
      const sources = Either.getOrElse((yield* chain.abilities).history ?? Either.left(""), () => [])
      assert.isNotEmpty(sources)
      const [from = "", to = ""] = samples(facts, 2, 8_000).map((text) => Either.getOrThrow(chain.address(text)))
      const token = tokenOf(facts)
      yield* world.fund(facts.id, from, 3_000_000n)
      yield* world.send(facts.id, { from, to, amount: 1_000_001n })
      if (token !== undefined) {
        yield* world.fund(facts.id, from, 5_000n, token.address)
        yield* world.send(facts.id, { from, to, amount: 4_321n, token: token.address })
      }
      yield* world.confirm(facts.id)
      const historyOf = (address: string) =>
        Effect.map(history({ address, limit: 100 }), ({ transactions }) => transactions)
      for (const source of sources) {
        leftOut.clear()
        for (const name of sources) if (name !== source) leftOut.add(name)
        const [sent, received] = [yield* historyOf(from), yield* historyOf(to)]
        for (const amount of token === undefined ? [1_000_001n] : [1_000_001n, 4_321n]) {
          const find = (transactions: typeof sent) =>
            transactions.filter((transaction) => transaction.to.some((movement) => movement.amount === amount))
          const [[one], [two]] = [find(sent), find(received)]
          assert.isDefined(one, `${source} ${amount}`)
          assert.strictEqual(one?.hash, two?.hash)
          assert.strictEqual(one?.status, "Success")
          for (const transaction of [one, two]) {
            assert.strictEqual(transaction?.timestamp, one?.timestamp)
            assert.deepStrictEqual(
              [transaction?.from, transaction?.to].map((sides) =>
                sides
                  ?.filter((side) => side.amount === amount)
                  .map((side) => Either.getOrThrow(chain.address(side.address)))
              ),
              [[from], [to]]
            )
          }
          assert.strictEqual(one?.fee, 0n)
        }
      }
      leftOut.clear()
    })
})
