import { assert, describe, it } from "@effect/vitest"
import { type components, make } from "../../src/client/Client.ts"
import { type Ability, abilityState, variablesIn } from "../../src/page/status/abilities.ts"
import { daysOf, readStatus, successOf, unread } from "../../src/page/status/reports.ts"
import { budgetText, circuitText, failingIn, proposalsFor } from "../../src/page/status/standings.ts"

type Network = components["schemas"]["NetworkDescription"]

const reason = "no source: set A_KEY or B_RPC_URLS"

const works: Ability = { available: true, upstreams: [] }
const node = { name: "node", keyed: false, state: "down", circuits: ["open"] } as const
const untried: Ability = { available: true, upstreams: [{ ...node, state: "unknown", circuits: ["closed"] }] }
const tried: Ability = {
  available: true,
  upstreams: [...untried.upstreams, { ...node, state: "up", circuits: ["closed"] }]
}
const fails: Ability = { available: false, upstreams: [node], reason: "node timed out" }
const absent: Ability = { available: false, upstreams: [], reason: "Bitcoin has no tokens" }
const settable: Ability = { available: false, upstreams: [], reason }

const network: Network = {
  id: "one",
  aliases: [],
  family: "evm",
  chainId: 1,
  caip2: "eip155:1",
  name: "One",
  nativeCoin: { coinId: "one", symbol: "ONE", decimals: 18 },
  abilities: {
    balance: works,
    tokens: absent,
    history: settable,
    export: settable,
    rpc: fails,
    rawTransactions: absent,
    firstTransaction: settable,
    fees: works,
    transactionContext: works
  }
}

describe("the state of abilities", () => {
  it("distinguishes failing, untried, absent and configurable abilities", () => {
    assert.deepStrictEqual(
      [works, untried, tried, fails, absent, settable].map((ability) => abilityState(ability)),
      ["works", "untried", "works", "fails", "absent", "settable"]
    )
    assert.deepStrictEqual(failingIn([network]), ["Node proxy of One"])
  })

  it("lists the variables of a reason without duplicates, with all abilities that they would enable", () => {
    assert.deepStrictEqual(variablesIn("set A_KEY, or A_KEY and B2_RPC_URLS; XRP and USDT are no variables"), [
      "A_KEY",
      "B2_RPC_URLS"
    ])
    assert.deepStrictEqual(variablesIn(undefined), [])
    assert.deepStrictEqual(proposalsFor([network]), [
      {
        network: "One",
        abilities: ["History", "Export", "First transaction"],
        reason,
        variables: ["A_KEY", "B_RPC_URLS"]
      }
    ])
  })

  it("is described in words", () => {
    assert.strictEqual(circuitText([]), "no address")
    assert.strictEqual(circuitText(["closed", "open", "closed"]), "2 addresses in use, 1 avoided after failures")
    assert.strictEqual(circuitText(["from-the-future"]), "from-the-future")
    assert.strictEqual(budgetText(undefined), "not counted")
    assert.strictEqual(
      budgetText({ left: 1, usedThisMonth: 1200, perMonth: 10_000, perHour: 100 }),
      "1 call now; 1,200 this month, of 10,000 in any 31 days"
    )
  })
})

describe("reading the status", () => {
  const { signal } = new AbortController()
  const ready = { status: "ready", upstreams: [] }
  const client = (isBroken: () => boolean) =>
    make({
      baseUrl: "http://service.example",
      retries: 0,
      fetch: (url) =>
        isBroken()
          ? Promise.reject(new TypeError("down"))
          : Promise.resolve(Response.json(url.endsWith("/networks") ? [network] : ready))
    })

  it("keeps the earlier data after a failure, and has the reason of the failure", async () => {
    let isBroken = false
    const failures: Array<unknown> = []
    const read = (before: typeof unread) =>
      readStatus(
        client(() => isBroken),
        before,
        (error) => failures.push(error),
        signal
      )
    const first = await read(unread)
    assert.deepStrictEqual(first.networks, [network])
    assert.strictEqual(first.health?.status, "ready")
    assert.isUndefined(first.problem)
    isBroken = true
    const second = await read(first)
    assert.deepStrictEqual({ ...second, problem: undefined }, first)
    assert.match(second.problem ?? "", /cannot be reached/)
    assert.lengthOf(failures, 2)
  })
})

describe("the health in a response of a proxy", () => {
  it("is not known, whatever its JSON is", async () => {
    const answered = make({
      baseUrl: "http://service.example",
      retries: 0,
      fetch: (url) =>
        Promise.resolve(
          url.endsWith("/networks") ? Response.json([network]) : Response.json({ message: "no route" }, { status: 503 })
        )
    })
    const { health, problem } = await readStatus(answered, unread, () => undefined, new AbortController().signal)
    assert.isUndefined(health)
    assert.match(problem ?? "", /status 503/)
  })
})

describe("the availability of sources", () => {
  const report = {
    days: ["2026-11-24", "2026-11-25"],
    networks: { a: ["x", "y"] },
    sources: {
      x: [null, { day: "2026-11-25", calls: 8, failed: 2 }],
      y: [null, { day: "2026-11-25", calls: 2, failed: 0 }],
      z: null
    }
  }

  it("adds the calls of all sources by day, and is unknown for sources that were never called", () => {
    assert.deepStrictEqual(daysOf(report, ["x", "y", "z"]), [null, { calls: 10, failed: 2 }])
    assert.strictEqual(successOf(daysOf(report, ["x", "y"]) ?? []), 0.8)
    assert.isNull(daysOf(report, ["z"]))
    assert.isNull(daysOf(report, ["constructor"]))
    assert.isUndefined(successOf([null]))
  })
})
