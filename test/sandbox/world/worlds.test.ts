import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { tron } from "../../../src/catalogue/tron.ts"
import { bitcoin } from "../../../src/catalogue/utxo/bitcoin.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import type { WorldError } from "../../../src/sandbox/world/World.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { isAll } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const inWorld = (world: World.World) => Sandbox.layer(Catalogue.all, { world })

interface Entry {
  readonly status: string
  readonly from: ReadonlyArray<{ readonly address: string; readonly amount: string }>
  readonly to: Entry["from"]
}

/** Native balances of two addresses (POST /balance), and sends from the first to the second (POST /history). */
const seen = (world: World.World, network: string, addresses: readonly [string, string]) =>
  Effect.gen(function* () {
    const service = yield* Service
    const networks = { [network]: addresses }
    const rows = yield* body<ReadonlyArray<{ readonly tokenType: string; readonly balance: string }>>(
      yield* service.post("/balance", { networks })
    )
    const histories = yield* body<Record<string, Record<string, ReadonlyArray<Entry>>>>(
      yield* service.post("/history", { networks })
    )
    const isOne = (sides: Entry["from"], address: string) =>
      sides.length === 1 && sides[0]?.address.toLowerCase() === address
    return {
      native: rows.filter(({ tokenType }) => tokenType === "NATIVE").map(({ balance }) => balance),
      sends: addresses.map((address) =>
        (histories[network]?.[address] ?? [])
          .filter((entry) => isOne(entry.from, addresses[0].toLowerCase()) && entry.to[0]?.address === addresses[1])
          .map(({ status, to }) => `${status} ${to[0]?.amount}`)
      )
    }
  }).pipe(Effect.provide(Service.layer({}, inWorld(world))))

const pairOf = (network: string): readonly [string, string] => {
  const facts = Catalogue.all.find(({ id }) => id === network)
  const [one = "", two = ""] = facts === undefined ? [] : samples(facts, 2, 9_000)
  return [one, two]
}

describe("a send in a world", () => {
  it.live("is not visible until it is confirmed: ethereum", function* () {
    const world = World.make()
    const [from, to] = pairOf("ethereum")
    for (const address of [from, to]) yield* world.set("ethereum", address, 10n ** 18n)
    yield* world.send("ethereum", { from, to, amount: 4n * 10n ** 17n })
    assert.deepStrictEqual(yield* seen(world, "ethereum", [from, to]), { native: ["1", "1"], sends: [[], []] })
    assert.strictEqual(yield* world.confirm("ethereum"), 1)
    assert.strictEqual(yield* world.confirm(), 0)
    const listed = ["Success 400000000000000000"]
    assert.deepStrictEqual(yield* seen(world, "ethereum", [from, to]), {
      native: ["0.6", "1.4"],
      sends: [listed, listed]
    })
  })

  it.live("is listed as pending and counted by indexers until it is confirmed: bitcoin", function* () {
    const world = World.make()
    const [from, to] = pairOf("bitcoin")
    for (const address of [from, to]) yield* world.set("bitcoin", address, 10n ** 8n)
    yield* world.send("btc", { from, to, amount: 4n * 10n ** 7n })
    const native = ["0.6", "1.4"]
    const waiting = ["Pending 40000000"]
    assert.deepStrictEqual(yield* seen(world, "bitcoin", [from, to]), { native, sends: [waiting, waiting] })
    assert.strictEqual(yield* world.balanceOf("bitcoin", to), 10n ** 8n)
    assert.strictEqual(yield* world.confirm(), 1)
    const listed = ["Success 40000000"]
    assert.deepStrictEqual(yield* seen(world, "bitcoin", [from, to]), { native, sends: [listed, listed] })
    assert.strictEqual(yield* world.balanceOf("bitcoin", to), 14n * 10n ** 7n)
  })

  it("has the time of its confirmation", function* () {
    const world = World.make()
    const [from, to] = pairOf("ethereum")
    yield* TestClock.setTime(Date.UTC(2027, 0, 1))
    yield* world.fund("ethereum", from, 10n)
    yield* world.send("ethereum", { from, to, amount: 1n })
    yield* world.send("ethereum", { from, to, amount: 2n })
    yield* TestClock.adjust("1 hour")
    yield* world.confirm()
    const sends = ledger({ ...ethereum, world }, from.toLowerCase()).filter(
      ({ counterparty }) => counterparty !== undefined
    )
    const at = Date.UTC(2027, 0, 1, 1) / 1000
    assert.deepStrictEqual(
      sends.map(({ amount, at, direction, ordinal }) => [direction, amount, at, ordinal]),
      [
        ["out", 1n, at, 0],
        ["out", 2n, at, 1]
      ]
    )
  })

  it("fails with a message if it is invalid", function* () {
    const world = World.make()
    const [from, to] = pairOf("base")
    yield* world.set("base", from, 10n)
    yield* world.send("base", { from, to, amount: 7n })
    const problem = <A>(effect: Effect.Effect<A, WorldError>) => Effect.map(Effect.flip(effect), String)
    const failures = [
      [world.send("base", { from, to, amount: 4n }), / can send at most 3 on Base, not 4$/],
      [world.send("base", { from, to, amount: 0n }), /amount must be at least one base unit$/],
      [world.send("base", { from, to: from, amount: 1n }), /sender and recipient must be different$/],
      [world.send("base", { from, to: "nobody", amount: 1n }), /"nobody" is not a Base address: /],
      [world.send("nowhere", { from, to, amount: 1n }), /unknown network "nowhere"$/],
      [world.fund("base", from, 1n, to), /no token of the simulated Base has the address "0x/],
      [world.set("base", from, 6n), / has pending sends of 7, which its balance must cover$/],
      [world.set("base", from, -1n), /balance must not be negative$/],
      [world.fund("base", from, -1n), /amount must not be negative$/],
      [
        world.set("bitcoin", pairOf("bitcoin")[0], 10n ** 16n),
        /simulated Bitcoin can hold more than 2100000000000000$/
      ],
      [world.set("solana", pairOf("solana")[0], 2n ** 60n), /simulated Solana can hold more than 9007199254740991$/]
    ] as const
    for (const [effect, expected] of failures) assert.match(yield* problem<unknown>(effect), expected)
    assert.strictEqual(yield* world.balanceOf("base", from), 10n)
  })

  const operation = FastCheck.record({
    kind: FastCheck.constantFrom("send", "send", "send", "confirm", "fund"),
    from: FastCheck.nat(4),
    to: FastCheck.nat(4),
    amount: FastCheck.bigInt(0n, 10n ** 12n),
    token: FastCheck.boolean()
  })

  for (const facts of [bitcoin, ethereum, tron])
    it.effect.prop(
      `conserves the total balance, and the histories add up to the balances: ${facts.id}`,
      [FastCheck.array(operation, { maxLength: 30 })],
      ([operations]) =>
        Effect.gen(function* () {
          const world = World.make({ seed: "conserved" })
          const inhabited = { ...facts, world }
          const addresses = samples(facts, 5)
          const contract = World.contractsOn(facts.platform)[0]
          const assets = [undefined, ...(contract === undefined ? [] : [contract.address])]
          const total = (token: string | undefined) =>
            Effect.map(
              Effect.forEach(addresses, (address) => world.balanceOf(facts.id, address, token)),
              (all) => all.reduce((sum, amount) => sum + amount, 0n)
            )
          const expected = new Map<string | undefined, bigint>()
          for (const asset of assets) expected.set(asset, yield* total(asset))
          for (const { amount, from, kind, to, token } of operations) {
            const asset = token ? contract?.address : undefined
            const [payer = "", payee = ""] = [addresses[from], addresses[to]]
            if (kind === "confirm") yield* world.confirm()
            if (kind === "fund") {
              yield* world.fund(facts.id, payer, amount, asset)
              expected.set(asset, (expected.get(asset) ?? 0n) + amount)
            }
            const transfer = { from: payer, to: payee, amount, ...(asset === undefined ? {} : { token: asset }) }
            if (kind === "send") yield* Effect.ignore(world.send(facts.id, transfer))
            for (const each of assets) assert.strictEqual(yield* total(each), expected.get(each))
          }
          yield* world.confirm()
          for (const address of addresses)
            for (const asset of assets) {
              const sum = ledger(inhabited, address).reduce(
                (all, { amount, contract, direction, failed, fee, received = 0n }) => {
                  const moved = failed || contract?.address !== asset ? 0n : direction === "in" ? amount : -amount
                  return all + moved - (direction === "out" && asset === undefined ? fee - received : 0n)
                },
                0n
              )
              assert.strictEqual(sum, yield* world.balanceOf(facts.id, address, asset))
              assert.isTrue(sum >= 0n)
            }
        }),
      { fastCheck: { numRuns: isAll ? 100 : 25 } }
    )
})

describe("two worlds in one process", () => {
  it.live("share only data that their seeds determine", function* () {
    const [one, two, other] = [World.make(), World.make(), World.make({ seed: "another" })]
    const [from, to] = pairOf("ethereum")
    const before = yield* seen(two, "ethereum", [from, to])
    yield* one.set("ethereum", from, 10n ** 18n)
    yield* one.send("ethereum", { from, to, amount: 10n ** 17n })
    yield* one.confirm()
    assert.strictEqual((yield* seen(one, "ethereum", [from, to])).native[0], "0.9")
    assert.deepStrictEqual(yield* seen(two, "ethereum", [from, to]), before)
    const native = yield* two.balanceOf("ethereum", from)
    assert.strictEqual(native, World.native(ethereum, from.toLowerCase()))
    assert.notStrictEqual(native, yield* other.balanceOf("ethereum", from))
    assert.notDeepEqual((yield* seen(other, "ethereum", [from, to])).native, before.native)
    const hashesIn = (world: World.World) => ledger({ ...ethereum, world }, from.toLowerCase()).map(({ id }) => id)
    assert.deepStrictEqual(
      hashesIn(two),
      ledger(ethereum, from.toLowerCase()).map(({ id }) => id)
    )
    assert.isEmpty(hashesIn(other).filter((id) => hashesIn(two).includes(id)))
  })
})
