import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import type { NetworkFacts } from "../../../../src/catalogue/NetworkFacts.ts"
import { heightsOf } from "../../../../src/chains/kit/history/heights.ts"
import type { Transaction } from "../../../../src/domain/Transaction.ts"
import { millis } from "../../../../src/domain/units.ts"
import { native } from "../../../../src/features/balances/accounts.ts"
import * as PageCursor from "../../../../src/features/history/pages/PageCursor.ts"
import { rangeAfter, selectPage } from "../../../../src/features/history/pages/selectPage.ts"
import { rollBack } from "../../../../src/features/portfolio/rollBack.ts"
import { ledger, type Move } from "../../../../src/sandbox/world/ledger.ts"
import * as World from "../../../../src/sandbox/world/World.ts"
import { beginning } from "../../../../src/sandbox/world/WorldState.ts"
import { samples } from "../../../chains/families/samples.ts"
import type { AnyNetwork } from "../../../support/chains.ts"
import { networkOf, sandboxOf } from "../../../support/networkInSandbox.ts"
import { settled } from "../../../support/settled.ts"
import { liveNetworks } from "../../../support/tier.ts"
import { assert, describe, it } from "../../../support/vitest.ts"

/** The current time in UNIX seconds. All transactions are older. */
const now = Date.UTC(2026, 10, 22) / 1000

const keys = { SUBSCAN_API_KEY: "k", ETHERSCAN_API_KEY: "k", BLOCKFROST_PROJECT_ID: "k" }

/**
 * A random history: gaps between payments in seconds (0 within a block), page sizes, and for each page the source that
 * is down and the number of new payments.
 */
const scenario = FastCheck.record({
  gaps: FastCheck.array(FastCheck.oneof(FastCheck.constant(0), FastCheck.integer({ min: 1, max: 900_000 })), {
    minLength: 15,
    maxLength: 30
  }),
  sizes: FastCheck.array(FastCheck.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
  down: FastCheck.array(FastCheck.nat(4), { minLength: 1, maxLength: 6 }),
  arrivals: FastCheck.array(FastCheck.nat(3), { minLength: 1, maxLength: 5 })
})

type Scenario = typeof scenario extends FastCheck.Arbitrary<infer A> ? A : never

/** More pages than any of these histories has. */
const maxPages = 120

const read = (network: AnyNetwork, address: string, cursor: PageCursor.PageCursor | undefined, limit: number) =>
  network.history === undefined
    ? Effect.dieMessage("no history")
    : network.history({ address, ...(cursor === undefined ? { limit } : rangeAfter(cursor, limit)) })

const paying = (info: NetworkFacts, world: World.World, address: string) => {
  let count = 0
  return (second: number) =>
    world.state.settle(
      info.id,
      { id: (++count).toString(16).padStart(64, "0"), to: address, amount: 1_000_000n },
      second
    )
}

/** The balances of an address after each of its moves, by asset. */
const balancesAfter = (moves: ReadonlyArray<Move>) => {
  const owned = new Map([[native, 0n]])
  const add = (asset: string, amount: bigint) => owned.set(asset, (owned.get(asset) ?? 0n) + amount)
  return moves.map(({ amount, at, contract, direction, failed, fee, received = 0n }) => {
    if (!failed) add(contract?.address ?? native, direction === "in" ? amount : -amount)
    if (direction === "out") add(native, received - fee)
    return { at, owned: new Map(owned) }
  })
}

/**
 * Asserts that rolling the transactions back from the current balances gives the balances of the ledger at all times.
 */
const addsUp = Effect.fnUntraced(function* (
  network: AnyNetwork,
  address: string,
  transactions: ReadonlyArray<Transaction>,
  moves: ReadonlyArray<Move>
) {
  const own = (party: string) => (Either.getOrElse(network.address(party), () => party) === address ? address : party)
  const spelled = (side: Transaction["from"]) =>
    side.map((movement) => ({ ...movement, address: own(movement.address) }))
  const past = balancesAfter(moves)
  const times = [moves[0]?.at ?? 0, ...past.map(({ at }) => at)].map(
    (at, index) => at * 1000 - (index === 0 ? 1 : -999)
  )
  const { addresses } = yield* network.holdings([address])
  const holdings = Either.getOrThrow(addresses[0] ?? Either.right([]))
  const balances = new Map(
    holdings.map(({ amount, asset }) => [asset === "native" ? native : asset.address, Either.getOrThrow(amount)])
  )
  const { balances: rolled, contradicted } = rollBack(
    {
      holder: address,
      balances,
      transactions: transactions.map((transaction) => ({
        ...transaction,
        from: spelled(transaction.from),
        to: spelled(transaction.to)
      })),
      since: undefined,
      countsPending: network.facts.family === "utxo",
      assetOf: (token) => token
    },
    times.map(millis)
  )
  assert.deepStrictEqual([...contradicted], [])
  for (const column of rolled.values()) assert.strictEqual(column[0], 0n)
  // If several moves are in the same second, the last one counts.
  const after = past.map(({ at }) => past.findLast((state) => state.at === at)?.owned)
  const columnOf = (asset: string) => after.map((owned) => owned?.get(asset) ?? 0n).join()
  const rest = (column: ReadonlyArray<bigint | null>) => column.slice(1).join()
  assert.strictEqual(rest(rolled.get(native) ?? []), columnOf(native))
  // The ledger spells tokens differently, so only the amounts are compared.
  const assets = [...(past.at(-1)?.owned.keys() ?? [])]
  assert.sameMembers([...rolled.values()].map(rest), assets.map(columnOf))
})

describe("the pages of a history", () => {
  for (const info of liveNetworks)
    it(`on ${info.id} contain each transaction once, from any source, and add up to the balances at any time`, function* () {
      yield* TestClock.setTime(now * 1000)
      const world = World.make({ networks: [info] })
      const sandbox = sandboxOf(info, world)
      const network = yield* settled(networkOf(info, sandbox, keys))
      const names = Either.getOrElse((yield* network.abilities).history ?? Either.right([]), () => [])
      const [text = ""] = samples(info, 1, 77)
      const address = Either.getOrThrow(network.address(text))
      const [{ arrivals, down, gaps, sizes }] = FastCheck.sample(scenario, 1) as [Scenario]
      const pay = paying(info, world, address)
      let second = beginning
      for (const gap of gaps) {
        second += gap
        pay(second)
      }
      const whole = yield* settled(read(network, address, undefined, 500))
      assert.isFalse(whole.more)
      const scenarioText = `${JSON.stringify({ gaps, sizes, down, arrivals })}`
      assert.isAtLeast(whole.transactions.length, gaps.length)

      yield* settled(addsUp(network, address, whole.transactions, ledger({ ...info, world }, address)))

      const pages: Array<Transaction> = []
      let cursor: PageCursor.PageCursor | undefined
      let ended = false
      for (let page = 0; page < maxPages && !ended; page++) {
        sandbox.down.clear()
        const index = down[page % down.length] ?? 0
        if (names.length > 1) sandbox.down.add(names[index % names.length] ?? "")
        const limit = sizes[page % sizes.length] ?? 1
        const part = yield* settled(read(network, address, cursor, limit))
        const { next, transactions } = selectPage(part, cursor, limit, heightsOf(network))
        assert.isAtMost(transactions.length, limit)
        pages.push(...transactions)
        ended = next === undefined
        if (next !== undefined) {
          const owner = { network: info.id, address }
          cursor = Either.getOrThrow(PageCursor.fromText(owner, PageCursor.toText(owner, next)))
          assert.deepStrictEqual(cursor, next)
        }
        for (let more = arrivals[page % arrivals.length] ?? 0; more > 0; more--) pay(now - 4 * 3600 + page * 60)
      }
      assert.isTrue(ended, scenarioText)
      const hashes = pages.map(({ hash }) => hash)
      assert.strictEqual(new Set(hashes).size, hashes.length, scenarioText)
      const returned = new Map(pages.map((transaction) => [transaction.hash, transaction]))
      for (const { from, hash, status, to } of whole.transactions) {
        const found = returned.get(hash)
        assert.isDefined(found, `${hash} ${scenarioText}`)
        if (names.length === 1) assert.deepStrictEqual([found?.from, found?.to, found?.status], [from, to, status])
      }
    })
})
