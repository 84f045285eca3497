import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { ReadFailure } from "../../../src/chains/Chain.ts"
import * as Unlisted from "../../../src/chains/kit/holdings/unlisted.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import { listOf } from "../../../src/providers/TokenRegistry.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const listed = { address: "listed", coinId: CoinId.make("listed"), name: "", symbol: "", decimals: 0, thumbnail: "" }
const known = Option.some(listOf([listed], 0))

const fault: ReadFailure = { reason: "bad_answer", message: "broken" }

const asset = (address: string, decimals: number, name = "") => ({ address, decimals, name, symbol: "", thumbnail: "" })
const holding = (address: string, amount: bigint, decimals = 0) => ({
  asset: asset(address, decimals),
  amount: Either.right(amount)
})

const owns = (...owned: ReadonlyArray<Unlisted.OwnedToken>): Unlisted.Unlisted => Either.right({ owned })

const nothingDeclared = () => Effect.succeed(new Map<string, Either.Either<Unlisted.Declared | null, ReadFailure>>())

describe("the unlisted tokens of an address", () => {
  it("are those with a balance that the list does not have", () => {
    const owned = [
      { address: "listed", amount: 1n },
      { address: "other", amount: 2n },
      { address: "empty", amount: 0n },
      { address: "unread", amount: undefined }
    ]
    assert.deepStrictEqual(Unlisted.notIn(known, owned), [
      { address: "other", amount: 2n },
      { address: "unread", amount: undefined }
    ])
  })

  it("are not known without a list", () => {
    assert.deepStrictEqual(Unlisted.notIn(Option.none(), [{ address: "other", amount: 2n }]), [])
  })

  it.effect("are absent if they were not requested", () =>
    Effect.map(Unlisted.readUnlisted(undefined, nothingDeclared), (found) => assert.deepStrictEqual(found, {}))
  )

  it.effect("have the decimals, names and scalings that they declare, each read once for all addresses", () =>
    Effect.gen(function* () {
      const requested: Array<string> = []
      const scaling = { multiplier: Option.getOrThrow(Multiplier.fromDecimal("2")) }
      const found = yield* Unlisted.readUnlisted(
        [
          owns(
            { address: "a", amount: 1n },
            { address: "b", amount: 2n },
            { address: "c", amount: 3n, declared: { decimals: 3, name: "With it" } }
          ),
          owns({ address: "a", amount: 4n })
        ],
        (tokens) => {
          requested.push(...tokens)
          return Effect.succeed(
            new Map([
              ["a", Either.right({ decimals: 1 })],
              ["b", Either.right({ decimals: 2, scaling: Either.right(scaling) })]
            ])
          )
        }
      )
      assert.deepStrictEqual(requested, ["a", "b"])
      assert.deepStrictEqual(found, {
        unlisted: [
          {
            tokens: [
              holding("a", 1n, 1),
              { ...holding("b", 2n, 2), scaling },
              { asset: asset("c", 3, "With it"), amount: Either.right(3n) }
            ],
            omitted: 0,
            withoutDecimals: 0
          },
          { tokens: [holding("a", 4n, 1)], omitted: 0, withoutDecimals: 0 }
        ]
      })
    })
  )

  it.effect("are counted without decimals, and missing with the reason if these or a balance could not be read", () =>
    Effect.gen(function* () {
      const { unlisted = [] } = yield* Unlisted.readUnlisted(
        [
          owns({ address: "none", amount: 1n }, { address: "fine", amount: 2n }),
          owns({ address: "failed", amount: 1n }, { address: "fine", amount: 2n }),
          owns({ address: "not returned", amount: 1n }),
          owns({ address: "fine", amount: undefined }),
          Either.left(fault),
          Either.right({ owned: [], unread: fault, more: 7, scams: new Set(["fine"]) })
        ],
        () =>
          Effect.succeed(
            new Map<string, Either.Either<Unlisted.Declared | null, ReadFailure>>([
              ["none", Either.right(null)],
              ["fine", Either.right({ decimals: 0 })],
              ["failed", Either.left(fault)]
            ])
          )
      )
      const fine = [holding("fine", 2n)]
      const unreadBalance: ReadFailure = {
        reason: "bad_answer",
        message: "the balances of some tokens could not be read"
      }
      assert.deepStrictEqual(unlisted, [
        { tokens: fine, omitted: 0, withoutDecimals: 1 },
        { tokens: fine, omitted: 0, withoutDecimals: 0, unread: fault },
        { tokens: [], omitted: 0, withoutDecimals: 0, unread: Unlisted.undeclared },
        { tokens: [], omitted: 0, withoutDecimals: 0, unread: unreadBalance },
        { tokens: [], omitted: 0, withoutDecimals: 0, unread: fault },
        { tokens: [], omitted: 7, withoutDecimals: 0, unread: fault, scams: new Set(["fine"]) }
      ])
    })
  )

  it.effect("are at most 500 for an address, of which no more are read", () =>
    Effect.gen(function* () {
      let requested = 0
      const many = Array.from({ length: 10_000 }, (_, index) => ({ address: String(index), amount: 1n }))
      const { unlisted = [] } = yield* Unlisted.readUnlisted([owns(...many)], (tokens) => {
        requested = tokens.length
        return Effect.succeed(new Map(tokens.map((token) => [token, Either.right({ decimals: 0 })])))
      })
      assert.deepStrictEqual(
        [requested, unlisted.map(({ omitted, tokens }) => [tokens.length, omitted])],
        [500, [[500, 9_500]]]
      )
    })
  )

  it.effect("are missing after two seconds if their declarations take longer", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.fork(
        Unlisted.readUnlisted([owns({ address: "a", amount: 1n })], () => Effect.never)
      )
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(reading), {
        unlisted: [{ tokens: [], omitted: 0, withoutDecimals: 0, unread: Unlisted.undeclared }]
      })
    })
  )

  it.effect("are missing with the reason for every address if a separate reading takes too long", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.fork(Unlisted.inTime(10_000, ["a", "b"], Effect.never))
      yield* TestClock.adjust("7 seconds")
      const late = { tokens: [], omitted: 0, withoutDecimals: 0 }
      const unread: ReadFailure = { reason: "timeout", message: "the tokens were not read in time" }
      assert.deepStrictEqual(yield* Fiber.join(reading), {
        unlisted: [
          { ...late, unread },
          { ...late, unread }
        ]
      })
    })
  )
})
