import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { Unread } from "../../src/chains/Chain.ts"
import { stakeOf } from "../../src/chains/cardano/CardanoAddress.ts"
import type { Fees } from "../../src/domain/fees/Fees.ts"
import { settled } from "../../src/testing/settled.ts"
import { type Bound, bounds, now } from "../support/bounds.ts"
import { type Lie, lyingSandbox } from "../support/lies.ts"
import { networkOf } from "../support/networkInSandbox.ts"
import { samples } from "./families/samples.ts"

// Every value that a transaction is built from, each below its lower bound and above its upper one.

const factsOf = (id: string) => {
  const facts = Catalogue.all.find((network) => network.id === id)
  return facts ?? assert.fail(`no network ${id}`)
}

/** What the fees and the context of an address are where all upstreams return these lies; and how many were returned. */
const read = ({ isAccount, network: id, subject }: Omit<Bound, "at" | "wrong">, lies: ReadonlyArray<Lie>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const facts = factsOf(id)
      const sandbox = lyingSandbox([facts])
      const network = yield* networkOf(
        facts,
        { ...sandbox, calls: new Map(), down: new Set() },
        {
          ...(id === "cardano" ? { BLOCKFROST_PROJECT_ID: "key" } : {})
        }
      )
      const address = samples(facts, 3).at(id === "cardano" ? 1 : 0) ?? ""
      const canonical = Either.getOrElse(network.address(isAccount === true ? (stakeOf(address) ?? "") : address), () =>
        assert.fail(address)
      )
      sandbox.rewriting.lies = lies
      const { current } = Option.getOrThrow(Option.fromNullable(network.fees))
      const reading: Effect.Effect<unknown, unknown> =
        subject === "fees"
          ? current
          : Effect.flatMap(network.transactionContexts?.([canonical]) ?? Effect.dieMessage("no contexts"), (reader) =>
              reader(canonical)
            )
      const result = yield* Effect.either(settled(reading, "1 second"))
      return { result, replaced: sandbox.rewriting.replaced }
    })
  )

const reasons = ["bad_answer", "upstream_error"]

/** Whether there is a reason in place of all numbers: of a context as a whole, of fees also level by level. */
const isRefused = (result: Either.Either<unknown, unknown>) => {
  if (Either.isLeft(result)) return reasons.includes((result.left as Unread).reason)
  const { levels } = result.right as { readonly levels?: Fees["levels"] }
  return Object.values(levels ?? { none: undefined }).every(
    (level) => level?.transferFeeBaseUnits === null && reasons.includes(level.errorCode ?? "")
  )
}

describe("a value that a transaction is built from", () => {
  it.effect("is read where no upstream lies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const rows = new Map(bounds.map((row) => [`${row.network} ${row.subject} ${row.isAccount ?? false}`, row]))
      for (const [name, bound] of rows) {
        const { result } = yield* read(bound, [])
        assert.isTrue(Either.isRight(result), `${name}: ${JSON.stringify(result)}`)
      }
    })
  )

  for (const { at, wrong, ...bound } of bounds)
    it.effect(
      `of ${bound.network} (${bound.isAccount === true ? "account" : bound.subject}) is refused beyond its bounds: ${at.source}`,
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(now)
          for (const value of wrong) {
            const { replaced, result } = yield* read(bound, [{ at, value }])
            const shown = `${typeof value === "function" ? value : JSON.stringify(value)}: ${JSON.stringify(result)}`
            assert.isAbove(replaced, 0, `nothing was replaced: ${shown}`)
            assert.isTrue(isRefused(result), shown)
          }
        })
    )
})
