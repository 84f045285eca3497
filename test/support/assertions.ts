import * as Equal from "effect/Equal"
import * as Utils from "effect/Utils"
import { chai, type TestContext } from "vitest"

const isObject = (value: unknown) => typeof value === "object" && value !== null

/**
 * Values of different classes are different, and Effect compares its own values. Chai takes `Option.some(1)` and
 * `Option.none()` for equal, and so any secrets, errors of one class whatever their fields, and equal fields of two classes.
 */
const comparator = (left: unknown, right: unknown): boolean | null => {
  if (!isObject(left) || !isObject(right)) return null
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false
  if (!Equal.isEqual(left) || !Equal.isEqual(right)) return null
  return (
    Equal.equals(left, right) ||
    Utils.structuralRegion(
      () => Equal.equals(left, right),
      (a, b) => !(Equal.isEqual(a) && Equal.isEqual(b)) && strictEqual(a, b)
    )
  )
}

const strictEqual = (left: unknown, right: unknown) => chai.util.eql(left, right, { comparator })

/** Makes all deep comparisons of chai's `assert` strict. */
export const compareStrictly = () => {
  chai.config.deepEqual = strictEqual
}

let executed = 0

const { assert } = chai.Assertion.prototype
chai.Assertion.prototype.assert = function (...given) {
  executed += 1
  return assert.apply(this, given)
}

/** Counts as an assertion, for a test that would never end if the event that it waits for did not come. */
export const eventCame = () => {
  executed += 1
}

/**
 * Fails a test that executes no assertion. Concurrent tests share the count: one of them without an assertion is noticed
 * only if no other one executes an assertion meanwhile.
 */
export const failsWithoutAssertion = ({ task }: TestContext) => {
  const before = executed
  return () => {
    if (task.result?.state !== "fail" && executed === before) throw new Error("The test executed no assertion.")
  }
}
