import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Lever } from "../../../src/upstream/levers/Lever.ts"
import { samples } from "../../chains/families/samples.ts"
import { Service } from "../../support/app.ts"
import { eventually } from "../../support/process.ts"
import { holders } from "../../support/sandbox.ts"
import { liveNetworks } from "../../support/tier.ts"
import { assert, layer } from "../../support/vitest.ts"

const file = join(mkdtempSync(join(tmpdir(), "levers-")), "levers.json")

const reason = "closed for a test"

interface Row {
  readonly balance: string | null
  readonly error?: string
  readonly errorCode?: string
}

interface Described {
  readonly id: string
  readonly abilities: Readonly<
    Record<
      string,
      {
        readonly available: boolean
        readonly reason?: string
        readonly upstreams: ReadonlyArray<{ readonly name: string; readonly switchedOff?: string }>
      }
    >
  >
}

const json = <A>(response: Response) => Effect.promise(() => response.json() as Promise<A>)

const networks = Effect.flatMap(Service, ({ get }) => Effect.flatMap(get("/networks"), json<ReadonlyArray<Described>>))

const abilityOf = (id: string, ability: string) =>
  Effect.map(networks, (all) => {
    const found = all.find((network) => network.id === id)?.abilities[ability]
    assert.isDefined(found)
    return found
  })

/** Writes the file and waits until the service uses it. */
const using = (levers: ReadonlyArray<Partial<Lever>>, network: string, ability: string, isOff = levers.length > 0) =>
  Effect.gen(function* () {
    writeFileSync(file, JSON.stringify(levers))
    process.emit("SIGHUP")
    yield* eventually(
      Effect.filterOrFail(
        abilityOf(network, ability),
        ({ upstreams }) => upstreams.some(({ switchedOff }) => switchedOff !== undefined) === isOff,
        () => "not yet"
      )
    )
  })

const balances = (network: string, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const response = yield* post("/balance", { networks: { [network]: addresses } })
    assert.strictEqual(response.status, 200)
    return yield* json<ReadonlyArray<Row>>(response)
  })

writeFileSync(file, "[]")

layer(Service.layer({ LEVERS_FILE: file, MAX_REQUESTS: "10000" }), { excludeTestServices: true })("levers", (it) => {
  for (const [index, facts] of liveNetworks.entries())
    it(`of a whole network make its balances null with the reason, and never a number: ${facts.id}`, function* () {
      yield* using([{ state: "off", network: facts.id, reason }], facts.id, "balance")
      const rows = yield* balances(facts.id, samples(facts, 2, 20_000 + 10 * index))
      assert.isAtLeast(rows.length, 2)
      for (const { balance, error, errorCode } of rows) {
        assert.isNull(balance)
        assert.include(error ?? "", `is switched off: ${reason}`)
        assert.strictEqual(errorCode, "not_configured")
      }
      for (const ability of ["balance", "history", "fees"]) {
        const { available, reason: why = "", upstreams } = yield* abilityOf(facts.id, ability)
        if (upstreams.length === 0) continue
        assert.isFalse(available, ability)
        assert.include(why, `is switched off: ${reason}`)
      }
      const { post } = yield* Service
      const history = yield* post("/history", {
        networks: { [facts.id]: samples(facts, 1, 20_002 + 10 * index) },
        meta: true
      })
      assert.include(yield* Effect.promise(() => history.text()), `is switched off: ${reason}`)
      yield* using([], facts.id, "balance")
      const after = yield* balances(facts.id, samples(facts, 2, 20_000 + 10 * index))
      assert.isTrue(after.every(({ balance }) => balance !== null))
    })

  it("of one ability leave the others, and of one source the next one", function* () {
    yield* using([{ state: "off", network: "ethereum", ability: "history", reason }], "ethereum", "history")
    assert.isTrue((yield* abilityOf("ethereum", "balance")).available)
    assert.isFalse((yield* abilityOf("ethereum", "history")).available)
    assert.isFalse((yield* abilityOf("ethereum", "export")).available)
    const [row] = yield* balances("ethereum", holders(1))
    assert.isNotNull(row?.balance)
    const before = (yield* abilityOf("bitcoin", "balance")).upstreams
    assert.isAtLeast(before.length, 2)
    const [{ name }] = before as Arr.NonEmptyReadonlyArray<(typeof before)[number]>
    yield* using([{ state: "off", source: name, reason }], "bitcoin", "balance")
    const { available, upstreams } = yield* abilityOf("bitcoin", "balance")
    assert.isTrue(available)
    assert.deepStrictEqual(
      upstreams.map(({ switchedOff }) => switchedOff),
      upstreams.map((_, index) => (index === 0 ? reason : undefined))
    )
    const bitcoin = liveNetworks.find(({ id }) => id === "bitcoin")
    assert.isDefined(bitcoin)
    const rows = yield* balances("bitcoin", samples(bitcoin, 3, 30_000))
    assert.isTrue(rows.every(({ balance }) => balance !== null))
    yield* using([], "bitcoin", "balance")
  })

  it("apply to calls of clients to nodes, which other networks keep", function* () {
    yield* using([{ state: "off", network: "ethereum", ability: "rpc", reason }], "ethereum", "rpc")
    const { get, post } = yield* Service
    const call = (network: string) =>
      post(`/utils/rpc/${network}`, { jsonrpc: "2.0", id: 1, method: "eth_gasPrice", params: [] })
    const refused = yield* call("ethereum")
    assert.strictEqual(refused.status, 501)
    assert.include(yield* Effect.promise(() => refused.text()), `is switched off: ${reason}`)
    assert.strictEqual((yield* call("base")).status, 200)
    const metrics = yield* Effect.flatMap(get("/metrics"), (response) => Effect.promise(() => response.text()))
    assert.match(metrics, /^upstream_switched_off\{.*network="ethereum".*\} 1$/m)
    yield* using([], "ethereum", "rpc")
    assert.strictEqual((yield* call("ethereum")).status, 200)
  })

  it("lose no request of a burst while the file changes, and change no number", function* () {
    const addresses = holders(40)
    const expected = yield* Effect.forEach(addresses, (address) =>
      Effect.map(balances("ethereum", [address]), (rows) => rows[0]?.balance)
    )
    const read = (address: string, index: number) =>
      Effect.map(balances("ethereum", [address]), ([row]) => {
        if (row?.balance === null) assert.include(row.error ?? "", `is switched off: ${reason}`)
        else assert.strictEqual(row?.balance, expected[index])
        return row?.balance !== null
      })
    for (const isOff of [true, false, true, false, true, false]) {
      const burst = yield* Effect.fork(
        Effect.forEach([...addresses, ...addresses], (address, index) => read(address, index % 40), {
          concurrency: "unbounded"
        })
      )
      yield* using(isOff ? [{ state: "off", network: "ethereum", reason }] : [], "ethereum", "balance")
      writeFileSync(file, '[{"state"')
      process.emit("SIGHUP")
      assert.lengthOf(yield* Fiber.join(burst), 80)
      assert.strictEqual(yield* read(addresses[0] ?? "", 0), !isOff)
    }
    yield* using([], "ethereum", "balance")
  })
})
