import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ReadFailure, Scalings } from "../../../src/chains/Chain.ts"
import { fromDecimal } from "../../../src/domain/Multiplier.ts"
import { toEntry } from "../../../src/features/history/entries.ts"
import { recordsOf } from "../../../src/features/history/export/exportedAs.ts"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { parsed } from "../../support/csv.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { chain, dai, friend, holder, network, over, transaction } from "./histories.ts"

const amount = 5n * 10n ** 17n
const received = transaction(60, {
  from: [{ address: friend, amount, token: dai.address }],
  to: [{ address: holder, amount, token: dai.address }]
})

const unread: ReadFailure = { reason: "timeout", message: "late" }

/** The currency of the receipt, its price, and the record of an export. */
const shownWith = (
  scalings?: (tokens: ReadonlyArray<string>) => Effect.Effect<Scalings>,
  displayedPrices?: () => Effect.Effect<ReadonlyMap<string, unknown>>
) =>
  Effect.gen(function* () {
    const fake = network(
      "ethereum",
      chain(() => [received])
    )
    Object.assign(fake.service, { scalings, displayedPrices })
    const read = Effect.gen(function* () {
      const history = yield* History
      const [page] = yield* settled(history.transactions({ ethereum: [holder] }, 5))
      const parts = Chunk.toReadonlyArray(yield* settled(Stream.runCollect(history.whole({ ethereum: [holder] }))))
      return { page: page?.histories[0], parts }
    })
    const { page, parts } = yield* read.pipe(Effect.provide(Layer.provide(over(fake), Layer.fresh(Memory.layer()))))
    assert.isDefined(page)
    const [party] = toEntry(received, [], page.surroundings).to
    assert.strictEqual(party?.amount, String(amount))
    const currency = typeof party?.currency === "object" ? party.currency : undefined
    const [record] = parsed(parts.map(recordsOf).join("")).filter((fields) => fields[6] === "to")
    return {
      ...(currency !== undefined && "multiplier" in currency ? { multiplier: currency.multiplier } : {}),
      ...(currency?.approximate === undefined ? {} : { approximate: currency.approximate }),
      ...(displayedPrices === undefined ? { isPriced: currency?.price !== null } : { price: currency?.price }),
      record: [record?.[8], record?.[9], record?.[16]]
    }
  })

const of = (text: string) => ({ multiplier: Option.getOrThrow(fromDecimal(text)) })

describe("a transfer of a token with a multiplier", () => {
  it("has the stored amount and the current multiplier, and the displayed amount in an export", function* () {
    const asked: Array<ReadonlyArray<string>> = []
    const scalings = (tokens: ReadonlyArray<string>) =>
      Effect.sync(() => {
        asked.push(tokens)
        return new Map([[dai.address, Either.right(of("4"))]])
      })
    assert.deepStrictEqual(yield* shownWith(scalings), {
      multiplier: "4",
      approximate: true,
      isPriced: false,
      record: ["2", String(amount), "the amount is amountBaseUnits times the current multiplier 4"]
    })
    assert.deepStrictEqual(asked, [[dai.address], [dai.address]])
    const priced = { ...dai, coinId: dai.coinId, usd: 3, updatedAt: 1, source: "source" }
    assert.deepInclude(yield* shownWith(scalings, () => Effect.succeed(new Map([[dai.address, priced]]))), {
      multiplier: "4",
      price: 3
    })
  })

  it("has no displayed amount if the multiplier could not be read, and one of 1 is left out", function* () {
    const failing: ReadonlyArray<Effect.Effect<Scalings>> = [
      Effect.succeed(new Map([[dai.address, Either.left(unread)]])),
      Effect.never,
      Effect.die(new Error("internal"))
    ]
    for (const read of failing)
      assert.deepStrictEqual(yield* shownWith(() => read), {
        multiplier: null,
        isPriced: false,
        record: ["", String(amount), "the multiplier of the amount could not be read"]
      })
    const plain = { isPriced: true, record: ["0.5", String(amount), ""] }
    const change = { ...of("9"), at: received.timestamp }
    assert.deepStrictEqual(yield* shownWith(), plain)
    assert.deepStrictEqual(yield* shownWith(() => Effect.succeed(new Map())), plain)
    assert.deepStrictEqual(
      yield* shownWith(() => Effect.succeed(new Map([[dai.address, Either.right({ ...of("1"), change } as never)]]))),
      plain
    )
  })
})
