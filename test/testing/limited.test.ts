import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { Networks, Service, settled, Upstreams } from "../../src/testing/index.ts"
import { samples } from "../chains/families/samples.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Addresses of a network. */
const addresses = (network: string, count = 1) =>
  Catalogue.all.flatMap((facts) => (facts.id === network ? samples(facts, count) : []))

type Change = (upstreams: Upstreams.Upstreams) => Upstreams.Upstreams

/** Runs a test of a service with one network, and changed upstreams, at a fixed time. */
const over =
  (network: string, change: Change = identity, settings: Readonly<Record<string, string>> = {}) =>
  <A, E>(test: Effect.Effect<A, E, Service>) =>
    Effect.zipRight(
      TestClock.setTime(1_795_000_000_000),
      Effect.provide(
        test,
        Service.layer({
          networks: Networks.only(...Catalogue.all.map(({ id }) => id).filter((id) => id === network)),
          upstreams: change(Upstreams.sandboxOf(Catalogue.all.filter(({ id }) => id === network))),
          settings
        })
      )
    )

const limited =
  (form: "body" | "header", ...names: ReadonlyArray<string>): Change =>
  (upstreams) =>
    names.reduce((base, name) => Upstreams.fault(name, { limited: form })(base), upstreams)

const balances = (network: string, of = addresses(network)) =>
  Effect.flatMap(Service, ({ api }) => settled(api.balances.balances({ payload: { networks: { [network]: of } } })))

const history = (network: string) =>
  Effect.flatMap(Service, ({ api }) =>
    settled(api.history.history({ payload: { networks: { [network]: addresses(network) }, limit: 20 } }))
  )

const amounts = (network: string) =>
  Effect.map(balances(network), (rows) =>
    rows.map(({ balance, contractAddress, errorCode }) => ({ balance, contractAddress, errorCode }))
  )

interface Row {
  readonly hash: string
  readonly fee: string | null
}

const key = { TRONGRID_API_KEY: "free" }

describe("balances from the only source of a network", () => {
  const cases: ReadonlyArray<
    readonly [network: string, upstream: string, form: "body" | "header", settings?: Readonly<Record<string, string>>]
  > = [
    ["ethereum", "ethereum-rpc", "body"],
    ["ethereum", "ethereum-rpc", "header"],
    ["cardano", "koios", "header"],
    ["solana", "solana-rpc", "body"],
    ["solana", "solana-rpc", "header"],
    ["sui", "sui-graphql", "header"],
    ["tron", "trongrid", "body"],
    ["tron", "trongrid", "header"],
    ["tron", "trongrid", "header", key],
    ["ripple", "ripple-rpc", "body"],
    ["ripple", "ripple-rpc", "header"],
    ["polkadot", "polkadot-rpc", "body"],
    ["polkadot", "polkadot-rpc", "header"]
  ]
  const upstreams = new Set<string>()
  const isFirst = ([, upstream]: (typeof cases)[number]) => !upstreams.has(upstream) && upstreams.add(upstream)
  for (const [network, upstream, form, settings] of isAll ? cases : cases.filter(isFirst))
    it.effect(`are null and rate limited if ${upstream} refuses by its ${form}${settings ? ", with a key" : ""}`, () =>
      Effect.gen(function* () {
        const rows = yield* amounts(network)
        assert.deepStrictEqual(rows, [{ balance: null, contractAddress: null, errorCode: "rate_limited" }])
      }).pipe(over(network, limited(form, upstream), settings))
    )
})

describe("balances from another source", () => {
  const cases: ReadonlyArray<
    readonly [network: string, upstream: string, settings?: Readonly<Record<string, string>>]
  > = [
    ["bitcoin", "bitcoin-esplora"],
    ["bch", "bch-haskoin"],
    ["cardano", "blockfrost", { BLOCKFROST_PROJECT_ID: "mainnetFree" }],
    ["ton", "toncenter"]
  ]
  for (const [network, upstream, settings] of isAll ? cases : cases.slice(0, 1))
    it.effect(`are the same if ${upstream} refuses`, () =>
      Effect.gen(function* () {
        const usual = yield* over(network, identity, settings)(amounts(network))
        const [rows, calls] = yield* over(
          network,
          limited("header", upstream),
          settings
        )(
          Effect.zip(
            amounts(network),
            Effect.map(Service, ({ requests }) => requests.filter((request) => request.upstream === upstream).length)
          )
        )
        assert.deepStrictEqual(rows, usual)
        assert.isAbove(calls, 0)
      })
    )
})

describe("a history", () => {
  it.effect("comes from the next explorer if one refuses, and fails if all refuse", function* () {
    const rows = Effect.map(history("ethereum"), (found) => {
      const { ethereum = {} } = found as Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Row>>>>>
      return Object.values(ethereum).flat()
    })
    const usual = yield* over("ethereum")(rows)
    assert.isNotEmpty(usual)
    for (const refusing of [["etherscan"], ["etherscan", "ethereum-blockscout"]]) {
      const others = yield* over("ethereum", limited("body", ...refusing))(rows)
      // Lists of other explorers lack fees of received tokens, which may be unknown but not wrong.
      const expected = usual.map((row, index) => (others[index]?.fee === null ? { ...row, fee: null } : row))
      assert.deepStrictEqual(others, expected)
    }
    const all = limited("body", "etherscan", "ethereum-blockscout", "routescan")
    const failure = yield* over("ethereum", all)(Effect.flip(history("ethereum")))
    assert.match(JSON.stringify(failure), /No history could be fetched.*rate limit reached/)
  })

  it.effect("fails if Subscan refuses", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(history("polkadot"))
      assert.match(JSON.stringify(failure), /subscan: rate limit reached/)
    }).pipe(over("polkadot", limited("header", "subscan")))
  )
})

describe("prices", () => {
  for (const form of isAll ? (["body", "header"] as const) : (["header"] as const))
    it.effect(`are null if all sources refuse by their ${form}, next to the balances`, () =>
      Effect.gen(function* () {
        const [row] = yield* balances("bitcoin")
        assert.isString(row?.balance)
        assert.isNull(row?.tokenPrice)
        assert.isNull(row?.balanceUsd)
      }).pipe(over("bitcoin", limited(form, "coingecko", "defillama", "binance")))
    )
})

describe("the pause after a refusal", () => {
  const cases: ReadonlyArray<readonly [network: string, upstream: string, seconds: number]> = [
    ["solana", "solana-rpc", 10],
    ["polkadot", "polkadot-rpc", 30],
    // In the text of the body.
    ["tron", "trongrid", 30]
  ]
  for (const [network, upstream, seconds] of isAll ? cases : cases.slice(2))
    it.effect(`is the ${seconds} seconds that ${upstream} demands`, () =>
      Effect.gen(function* () {
        const { requests } = yield* Service
        const [first = "", second = "", third = ""] = addresses(network, 3)
        const calls = (address: string) =>
          Effect.map(
            balances(network, [address]),
            () => requests.filter((request) => request.upstream === upstream).length
          )
        const before = yield* calls(first)
        const refused = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* calls(second), before)
        assert.isBelow((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - refused, seconds * 1_000)
        yield* TestClock.adjust(`${seconds} seconds`)
        assert.isAbove(yield* calls(third), before)
      }).pipe(over(network, limited("header", upstream)))
    )
})

describe("a batch in another order", () => {
  it.effect("gives each call its own result", function* () {
    const usual = yield* over("ethereum")(amounts("ethereum"))
    const reordered = Upstreams.fault("ethereum-rpc", "reordered")
    const calls = ["eth_chainId", "eth_blockNumber"].map((method, id) => ({ jsonrpc: "2.0", id, method, params: [] }))
    const [rows, batch, unused] = yield* over(
      "ethereum",
      reordered
    )(
      Effect.gen(function* () {
        const { fetch, unused } = yield* Service
        const rows = yield* amounts("ethereum")
        const response = yield* settled(
          fetch("/utils/rpc/ethereum", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(calls)
          })
        )
        return [rows, yield* Effect.promise(() => response.json()), yield* unused] as const
      })
    )
    assert.deepStrictEqual(rows, usual)
    assert.deepInclude(batch, { jsonrpc: "2.0", id: 0, result: "0x1" })
    assert.deepStrictEqual(unused, [])
  })
})
