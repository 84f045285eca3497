import { appendFileSync } from "node:fs"
import * as Equal from "effect/Equal"
import * as Utils from "effect/Utils"
import { chai, type TestContext } from "vitest"

const isObject = (value: unknown) => typeof value === "object" && value !== null

/**
 * Treats values of different classes as different, and compares Effect's data types with Effect's equality. Without it,
 * chai treats these as equal: `Option.some(1)` and `Option.none()`, any two secrets, any two errors of a class, and
 * instances of two classes with equal fields.
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

/** The files of recorded responses that the running test has read and not compared yet. */
const read = new Set<string>()

/** The files of recorded responses that the running test has read before a comparison. */
const compared = new Set<string>()

/** Notes that the running test has read a recorded response. */
export const noteRead = (file: string) => {
  read.add(file)
}

const { assert } = chai.Assertion.prototype
chai.Assertion.prototype.assert = function (...given) {
  executed += 1
  // Only assertions with an expected value pass it and the actual value on.
  if (given.length > 4 && read.size > 0) {
    for (const file of read) compared.add(file)
    read.clear()
  }
  return assert.apply(this, given)
}

/** Counts as an assertion: for tests that wait for an event and would never end without it. */
export const eventCame = () => {
  executed += 1
}

const listed = new Set<string>()

/** Appends the files that were compared for the first time in this worker to the list of recordings.ts. */
const list = () => {
  const path = process.env.COMPARED
  if (path === undefined) return
  for (const file of compared)
    if (!listed.has(file)) {
      listed.add(file)
      appendFileSync(path, `${file}\n`)
    }
}

/**
 * Fails a test that executes no assertion, and lists the recorded responses that a passing test compares. Concurrent
 * tests share the count and the list: a test without an assertion is detected only if no other test executes an
 * assertion at the same time.
 */
export const observeAssertions = ({ task }: TestContext) => {
  const before = executed
  read.clear()
  compared.clear()
  return () => {
    if (task.result?.state === "fail") return
    if (executed === before) throw new Error("The test executed no assertion.")
    list()
  }
}
