import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { ReadFailure } from "../../src/chains/Chain.ts"
import { stakeOf } from "../../src/chains/cardano/CardanoAddress.ts"
import type { Fees } from "../../src/domain/fees/Fees.ts"
import { settled } from "../../src/testing/settled.ts"
import { type Bound, bounds, now } from "../support/bounds.ts"
import { rewritingSandbox, type WrongValue } from "../support/lies.ts"
import { networkOf } from "../support/networkInSandbox.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { samples } from "./families/samples.ts"

// Tests every value that a transaction is built from, below its lower bound and above its upper bound.

const factsOf = (id: string) => {
  const facts = Catalogue.all.find((network) => network.id === id)
  return facts ?? assert.fail(`no network ${id}`)
}

/** A network whose upstreams return wrong values on demand. */
const readerWithWrongValues = Effect.fnUntraced(function* ({ isAccount, network: id }: Bound) {
  const facts = factsOf(id)
  const sandbox = rewritingSandbox([facts])
  const environment = id === "cardano" ? { BLOCKFROST_PROJECT_ID: "key" } : {}
  const network = yield* networkOf(facts, { ...sandbox, calls: new Map(), down: new Set() }, environment)
  const sample = samples(facts, 3).at(id === "cardano" ? 1 : 0) ?? ""
  const address = Either.getOrThrow(network.address(isAccount === true ? (stakeOf(sample) ?? "") : sample))
  /** Reads the fees or the context of an address while all upstreams return these wrong values. */
  const read = Effect.fnUntraced(function* (subject: Bound["subject"], lies: ReadonlyArray<WrongValue>) {
    sandbox.rewriting.lies = lies
    sandbox.rewriting.replaced = 0
    const reader = yield* network.transactionContexts?.([address]) ?? Effect.dieMessage("no contexts")
    const fees = yield* Effect.fromNullable(network.fees)
    const reading: Effect.Effect<unknown, unknown> = subject === "fees" ? fees.current : reader(address)
    const result = yield* Effect.either(settled(reading, "1 second"))
    return { result, replaced: sandbox.rewriting.replaced }
  })
  return read
})

const groups = Map.groupBy(bounds, ({ isAccount, network }) => `${network}${isAccount === true ? " (account)" : ""}`)

const reasons = ["bad_answer", "upstream_error"]

/** True if a reason replaces all numbers. A context fails as a whole; fees may also fail level by level. */
const isRefused = (result: Either.Either<unknown, unknown>) => {
  if (Either.isLeft(result)) return reasons.includes((result.left as ReadFailure).reason)
  const { levels } = result.right as { readonly levels?: Fees["levels"] }
  return Object.values(levels ?? { none: undefined }).every(
    (level) => level?.transferFeeBaseUnits === null && reasons.includes(level.errorCode ?? "")
  )
}

describe("a value that a transaction is built from is rejected outside its bounds", () => {
  for (const [name, [first, ...others]] of groups)
    it(`on ${name}`, function* () {
      yield* TestClock.setTime(now)
      if (first === undefined) return
      const read = yield* readerWithWrongValues(first)
      for (const subject of ["fees", "context"] as const) {
        const { result } = yield* read(subject, [])
        assert.isTrue(Either.isRight(result), `${subject}: ${JSON.stringify(result)}`)
      }
      for (const { at, subject, wrong } of [first, ...others])
        for (const value of wrong) {
          // The head of TON's indexers is read once per minute.
          yield* TestClock.adjust("61 seconds")
          const { replaced, result } = yield* read(subject, [{ at, value }])
          const shown = `${subject}, ${at.source} is ${typeof value === "function" ? value : JSON.stringify(value)}`
          assert.isAbove(replaced, 0, `${shown}: nothing was replaced`)
          assert.isTrue(isRefused(result), `${shown}: ${JSON.stringify(result)}`)
        }
    })
})
