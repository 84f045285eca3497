import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { numberOf } from "../../../src/domain/units.ts"
import { epochAt, slotAt } from "../../../src/sandbox/cardano/CardanoChain.ts"
import { blockfrostParameters } from "../../../src/sandbox/cardano/CardanoParameters.ts"
import { network, pathOf, payment, withBlockfrostKey } from "../../support/cardano.ts"
import { blockfrostOf, historyOf, koiosOf, paid, timeOf } from "../../support/cardanoHistory.ts"
import { json, type Reply, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const alice = payment(1)
const hash = "a".repeat(64)
const all = paid(3)
const now = numberOf(timeOf(12_000_100))

/** Both sources, each with another balance; their newest blocks are as old as these times, seconds. */
const hosts = (ages: { readonly blockfrost: number; readonly koios: number }) => ({
  "blockfrost.test": (request: SentRequest): Reply => {
    const path = pathOf(request)
    const time = now - ages.blockfrost
    if (path === "/blocks/latest")
      return json({ hash, time, height: 12_000_100, slot: slotAt(time), epoch: epochAt(time) })
    return path === `/addresses/${alice}/extended`
      ? json({ address: alice, amount: [{ unit: "lovelace", quantity: "1" }] })
      : blockfrostOf(alice, all)(request)
  },
  "koios.test": (request: SentRequest): Reply =>
    pathOf(request) === "/tip"
      ? json([{ hash, block_no: 12_000_100, block_time: now - ages.koios }])
      : pathOf(request) === "/address_info"
        ? json([{ address: alice, balance: "2" }])
        : koiosOf(alice, all)(request)
})

/** The balance and the source of the history. */
const readings = (ages: Parameters<typeof hosts>[0]) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now * 1000)
    const { chain, holding, requests } = yield* network(hosts(ages), [], withBlockfrostKey)
    const balance = yield* settled(Effect.either(holding(alice, Option.none())))
    const history = yield* settled(Effect.either(historyOf(chain, { address: alice, limit: 5 })))
    const heads = requests.filter((request) => ["/blocks/latest", "/tip"].includes(pathOf(request)))
    return {
      balance: Either.match(balance, {
        onLeft: ({ message }) => message,
        onRight: ({ amount }) => Either.getOrThrow(amount)
      }),
      sources: Either.match(history, { onLeft: String, onRight: ({ sources }) => sources }),
      heads: heads.map(({ url }) => url.host)
    }
  })

describe("the newest block of a source of Cardano", () => {
  it("is read once for balances and histories if it fits the clock", function* () {
    assert.deepStrictEqual(yield* readings({ blockfrost: 490, koios: 490 }), {
      balance: 1n,
      sources: ["koios"],
      heads: ["blockfrost.test", "koios.test"]
    })
  })

  it("is a reason to use the next source if it is older than 25 blocks", function* () {
    assert.deepStrictEqual(yield* readings({ blockfrost: 501, koios: 0 }), {
      balance: 2n,
      sources: ["koios"],
      heads: ["blockfrost.test", "koios.test"]
    })
    assert.deepStrictEqual(yield* readings({ blockfrost: 0, koios: 501 }), {
      balance: 1n,
      sources: ["blockfrost"],
      heads: ["blockfrost.test", "koios.test"]
    })
  })

  it("is a reason for no balance if it is too old at all sources", function* () {
    const { balance } = yield* readings({ blockfrost: 501, koios: 501 })
    assert.strictEqual(balance, "koios: the node is behind the network")
  })

  /** Whether Blockfrost alone, with this newest block, gives a status and the network's part of a signing context. */
  const isUsed = (block: object) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now * 1000)
      const included = {
        ...{ hash, block_height: 12_000_000, block_time: now - 2_000, index: 0, fees: "1", deposit: "0" },
        ...{ withdrawal_count: 0, delegation_count: 0, valid_contract: true }
      }
      const newest = { hash, time: now, height: 12_000_100, slot: slotAt(now), epoch: epochAt(now), ...block }
      const { chain } = yield* network(
        {
          "blockfrost.test": (request) =>
            pathOf(request) === "/blocks/latest"
              ? json(newest)
              : pathOf(request) === "/epochs/latest/parameters"
                ? json(blockfrostParameters(epochAt(now)))
                : pathOf(request).endsWith("/utxos")
                  ? json([])
                  : pathOf(request) === `/txs/${hash}`
                    ? json(included)
                    : json({ status_code: 404, error: "Not Found", message: "" }, { status: 404 })
        },
        [],
        withBlockfrostKey
      )
      const statuses = yield* settled(Effect.either(chain.statuses?.read([hash]) ?? Effect.dieMessage("no statuses")))
      const reader = yield* chain.transactionContexts?.([alice]) ?? Effect.dieMessage("no contexts")
      const context = yield* settled(Effect.either(reader(alice)))
      return [
        Either.isRight(Either.flatMap(statuses, ([first]) => first ?? Either.left(undefined))),
        Either.isRight(context)
      ]
    })

  it("is a reason for no status and no context if it is old or contradicts its slot, and for no context if it does its epoch", function* () {
    for (const [block, uses] of [
      [{}, [true, true]],
      [{ time: now - 501, slot: slotAt(now - 501), epoch: epochAt(now - 501) }, [false, false]],
      [{ slot: slotAt(now) + 1 }, [false, false]],
      [{ epoch: epochAt(now) + 1 }, [true, false]]
    ] as const)
      assert.deepStrictEqual(yield* isUsed(block), [...uses])
  })
})
