import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { Chain, type Holding } from "../../../src/chains/Chain.ts"
import { layer as tonLayer } from "../../../src/chains/ton/Ton.ts"
import { friendly } from "../../../src/chains/ton/TonAddress.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { json, neverResponds, type Reply, refused, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  adapterNeeds,
  drift,
  holder,
  isOfMultiplier,
  jettonInfos,
  metadata,
  network,
  ranMethod,
  states,
  ston,
  token,
  toncenter,
  usdt,
  wallets
} from "./ton.ts"

const tokens = [token(usdt, "tether", 6), token(drift, "drift", 9), token(ston, "ston", 9)]
const declared = Object.fromEntries([drift, ston].map((jetton) => [jetton.toUpperCase(), metadata({ decimals: "9" })]))

/** TON Center on which the holder has 7 base units of each jetton, and masters run their get methods like this. */
const center = (runGetMethod: Reply | ((request: SentRequest) => Reply), jettons = [usdt, drift, ston]) =>
  toncenter({
    accountStates: json(states({ [holder]: "1" })),
    "jetton/wallets": ({ url }) => {
      const wanted = url.searchParams.get("jetton_address")
      const owned = jettons.filter((jetton) => wanted === null || wanted === friendly(jetton))
      return json(
        wallets(
          owned.map((jetton) => ({ owner: holder, jetton, balance: "7" })),
          declared
        )
      )
    },
    "/api/v2/runGetMethod": runGetMethod
  })

/** TonAPI without descriptions of jettons, whose balances have these multipliers. */
const balancesAt = (scaled: Readonly<Record<string, unknown>>) => (request: SentRequest) =>
  request.url.pathname === "/v2/accounts/_bulk"
    ? json({ accounts: [{ address: holder, balance: 1 }] })
    : json({
        balances: [usdt, drift, ston].map((address) => ({
          balance: "7",
          jetton: {
            address,
            decimals: address === usdt ? 6 : 9,
            ...(address in scaled ? { scaled_ui: scaled[address] } : {})
          }
        }))
      })

const summaryOf = ({ amount, asset, scaling }: Holding) => [
  asset === "native" ? "native" : asset.coinId,
  Either.match(amount, { onLeft: ({ message, reason }) => `${reason}: ${message}`, onRight: String }),
  ...(scaling === undefined ? [] : [Multiplier.format(scaling.multiplier)])
]

/** Without the reason of a failure, which depends on the source that was called last. */
const briefOf = (holding: Holding) =>
  Either.isLeft(holding.amount) ? [summaryOf(holding)[0], "unknown"] : summaryOf(holding)

type Ton = Effect.Effect.Success<ReturnType<typeof network>>["network"]

/** The drift in the balances of the holder, which must equal its balance alone and its multiplier in histories. */
const readDrift = (ton: Ton) =>
  Effect.gen(function* () {
    const [read = Either.right([])] = yield* settled(ton.holdings([holder]))
    const all = Either.getOrThrow(read).map(briefOf)
    const found = all.find(([name]) => name === "drift")
    assert.deepStrictEqual(briefOf(yield* settled(ton.holding(holder, Option.some(drift)))), found)
    const { scalings = () => Effect.dieMessage("no multipliers") } = ton
    const scaling = (yield* settled(scalings([drift]))).get(drift)
    const [, amount, multiplier] = found ?? []
    assert.deepStrictEqual(
      scaling &&
        Either.match(scaling, { onLeft: () => "unknown", onRight: (known) => Multiplier.format(known.multiplier) }),
      multiplier ?? (amount === "7" ? undefined : amount)
    )
    return all
  })

const plain = (...names: ReadonlyArray<string>) => names.map((name) => [name, name === "native" ? "1" : "7"])

const unreadable = "the multiplier of the jetton cannot be read"

/** Runs the get method like this for drift; other jettons do not have it. */
const onlyDrift =
  (reply: Reply) =>
  ({ body }: SentRequest): Reply => {
    assert.include(body, '"method":"get_display_multiplier"')
    return body.includes(friendly(drift)) ? reply : ranMethod(11)
  }

describe("a jetton with a multiplier (TEP-526)", () => {
  const seven = { numerator: "7000000000000000000000000000", denominator: "4000000000000000000000000000" }

  it("has the stored amount and the multiplier that its master returns, or that TonAPI returns with it", function* () {
    const master = onlyDrift(ranMethod(0, "0x7", "0x4"))
    for (const hosts of [
      { "toncenter.test": center(master) },
      { "tonapi.test": balancesAt({ [drift]: seven, [ston]: null }), "toncenter.test": () => refused }
    ]) {
      const { network: ton } = yield* network(hosts, { tokens, infos: (all) => jettonInfos(all, { [drift]: seven }) })
      assert.deepStrictEqual(yield* readDrift(ton), [
        ...plain("native", "tether"),
        ["drift", "7", "1.75"],
        ...plain("ston")
      ])
    }
  })

  it("is read in one call for many jettons, once a minute; a jetton without one once a day", function* () {
    const { network: ton, requests } = yield* network(
      { "toncenter.test": center(refused), "tonapi.test": balancesAt({}) },
      { tokens, infos: (all) => jettonInfos(all, { [drift]: seven }) }
    )
    const read = Effect.map(settled(ton.holdings([holder])), (all) => {
      const bodies = requests.splice(0).filter(isOfMultiplier)
      return [all.map(Either.getOrThrow).map((one) => one.map(summaryOf))[0]?.[2], bodies.map(({ body }) => body)]
    })
    const asked = (...account_ids: ReadonlyArray<string>) => JSON.stringify({ account_ids })
    const scaled = ["drift", "7", "1.75"]
    assert.deepStrictEqual(yield* read, [scaled, [asked(usdt, drift, ston)]])
    assert.deepStrictEqual(yield* read, [scaled, []])
    yield* TestClock.adjust("61 seconds")
    assert.deepStrictEqual(yield* read, [scaled, [asked(drift)]])
    yield* TestClock.adjust("24 hours")
    assert.deepStrictEqual(yield* read, [scaled, [asked(usdt, drift, ston)]])
  })

  it("is read from its master if TonAPI does not have the jetton", function* () {
    const { network: ton } = yield* network(
      { "toncenter.test": center(onlyDrift(ranMethod(0, "0x7", "0x4"))), "tonapi.test": balancesAt({}) },
      { tokens, infos: (all) => jettonInfos(all.filter((master) => master !== drift)) }
    )
    assert.deepInclude(yield* readDrift(ton), ["drift", "7", "1.75"])
  })

  it("has none if the multiplier is 1", function* () {
    const { network: ton } = yield* network(
      { "toncenter.test": center(onlyDrift(ranMethod(0, "0x5", "0x5"))) },
      { tokens }
    )
    assert.deepStrictEqual(yield* readDrift(ton), plain("native", "tether", "drift", "ston"))
  })

  const broken: Readonly<Record<string, Reply>> = {
    "another exit code": ranMethod(9),
    "a contract without code": ranMethod(-13),
    "a denominator of zero": ranMethod(0, "0x5", "0x0"),
    "a numerator of zero": ranMethod(0, "0x0", "0x5"),
    "a negative number": ranMethod(0, "-0x5", "0x5"),
    "an impossible multiplier": ranMethod(0, `0x${"f".repeat(62)}`, "0x1"),
    "a number of 33 bytes": ranMethod(0, `0x${"f".repeat(66)}`, `0x${"f".repeat(66)}`),
    "a single number": ranMethod(0, "0x5"),
    "an error of the indexer": json({ ok: false, error: "LITE_SERVER_UNKNOWN", code: 500 }),
    "a result without an exit code": json({ ok: true, result: { stack: [] } })
  }
  for (const [what, reply] of Object.entries(broken))
    it(`has no amount if its multiplier cannot be read: ${what}`, function* () {
      const { network: ton } = yield* network({ "toncenter.test": center(onlyDrift(reply)) }, { tokens })
      assert.deepStrictEqual(yield* readDrift(ton), [
        ...plain("native", "tether"),
        ["drift", "unknown"],
        ...plain("ston")
      ])
    })

  for (const scaledUi of [
    { numerator: "5" },
    { numerator: 5, denominator: 1 },
    { numerator: "1".repeat(76), denominator: "1" },
    "2"
  ])
    it(`has no amount if TonAPI returns an unusable multiplier: ${JSON.stringify(scaledUi).slice(0, 40)}`, function* () {
      const { network: ton } = yield* network(
        { "tonapi.test": balancesAt({ [drift]: scaledUi }) },
        { tokens, infos: (all) => jettonInfos(all, { [drift]: scaledUi }) }
      )
      const [read = Either.right([])] = yield* settled(ton.holdings([holder]))
      assert.deepStrictEqual(Either.getOrThrow(read).map(summaryOf), [
        ...plain("native", "tether"),
        ["drift", `bad_answer: ${unreadable}`],
        ...plain("ston")
      ])
    })

  it("has no amount until its multiplier is read, which continues after the request", function* () {
    const latch = yield* Effect.makeLatch(false)
    const slow = onlyDrift(Effect.zipRight(latch.await, ranMethod(0, "0x7", "0x4")))
    const { network: ton } = yield* network({ "toncenter.test": center(slow) }, { tokens })
    const read = Effect.map(settled(ton.holdings([holder])), ([first = Either.right([])]) =>
      Either.getOrThrow(first).map(summaryOf)
    )
    assert.deepInclude(yield* read, ["drift", "timeout: the multiplier of the jetton was not read in time"])
    yield* latch.open
    assert.deepStrictEqual(yield* read, [...plain("native", "tether"), ["drift", "7", "1.75"], ...plain("ston")])
  })

  it("does not delay other rows by a source that is silent", function* () {
    const { network: ton } = yield* network({ "toncenter.test": center(neverResponds) }, { tokens })
    const [read = Either.right([])] = yield* settled(ton.holdings([holder]))
    assert.deepStrictEqual(
      Either.getOrThrow(read).map(({ amount }) =>
        Either.match(amount, { onLeft: ({ reason }) => reason, onRight: String })
      ),
      ["1", "timeout", "timeout", "timeout"]
    )
  })
})

describe("the decimals of a jetton in a history", () => {
  it("come with its transfers or events, without another call, unless they contradict the list", function* () {
    const hash = `${"a".repeat(42)}A=`
    const transfer = (jetton: string) => ({
      ...{ source: holder, destination: usdt, amount: "5", jetton_master: jetton, trace_id: hash },
      ...{ transaction_hash: hash, transaction_lt: "1", transaction_now: 5, transaction_aborted: false }
    })
    const event = (address: string, decimals: number) => {
      const [sender, recipient] = [{ address: holder }, { address: usdt }]
      const moved = { sender, recipient, amount: "5", jetton: { address, decimals } }
      const actions = [{ type: "JettonTransfer", status: "ok", JettonTransfer: moved }]
      return { event_id: "a".repeat(64), timestamp: 5, lt: 1, in_progress: false, extra: 0, actions }
    }
    for (const [jetton, decimals, expected] of [
      [ston, 6, 6],
      [usdt, 9, undefined]
    ] as const) {
      const described = { [jetton.toUpperCase()]: metadata({ decimals: String(decimals) }) }
      const listed = toncenter({
        transactions: json({ transactions: [] }),
        "jetton/transfers": json({ jetton_transfers: [transfer(jetton)], metadata: described }),
        "/api/v2/runGetMethod": refused
      })
      const events = ({ url }: SentRequest) =>
        url.pathname.endsWith("/events") ? json({ events: [event(jetton, decimals)] }) : refused
      for (const hosts of [{ "toncenter.test": listed }, { "tonapi.test": events }]) {
        const { layer } = adapterNeeds(hosts, { tokens, infos: () => refused })
        const { chain, registry } = yield* Effect.provide(
          Effect.all({ chain: Chain, registry: TokenRegistry }),
          Layer.provideMerge(tonLayer, layer)
        )
        const part = yield* settled(chain.history?.({ address: holder, limit: 5 }) ?? Effect.die("no history"))
        assert.strictEqual(part.transactions.length, 1)
        const list = (yield* registry.lists).get("the-open-network")
        assert.strictEqual(list?.decimalsOf(jetton), expected)
      }
    }
  })

  it("are unknown if their metadata cannot be read, which takes no transfer with it", function* () {
    const hash = `${"a".repeat(42)}A=`
    const row = {
      ...{ source: holder, destination: usdt, amount: "5", jetton_master: ston, trace_id: hash },
      ...{ transaction_hash: hash, transaction_lt: "1", transaction_now: 5, transaction_aborted: false }
    }
    for (const odd of ["text", null, { [ston.toUpperCase()]: "text" }]) {
      const listed = toncenter({
        transactions: json({ transactions: [] }),
        "jetton/transfers": json({ jetton_transfers: [row], metadata: odd })
      })
      const { network: ton } = yield* network({ "toncenter.test": listed }, { tokens })
      const part = yield* settled(ton.history?.({ address: holder, limit: 5 }) ?? Effect.die("no history"))
      assert.strictEqual(part.transactions.length, 1)
    }
  })
})
