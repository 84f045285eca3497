import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { fromText, inWords, type Lever, offReason, withLever } from "../../../src/upstream/levers/Lever.ts"

const off = (scope: Partial<Lever>, reason = "is behind"): Lever => ({ ...scope, state: "off", reason }) as Lever
const on = (scope: Partial<Lever>): Lever => ({ ...scope, state: "on" }) as Lever

describe("levers", () => {
  it("apply to a source, a network and an ability, and the last that applies decides", () => {
    const levers = [
      off({ source: "etherscan" }),
      on({ source: "etherscan", network: "base" }),
      off({ network: "sonic", ability: "history" }, "maintenance")
    ]
    assert.strictEqual(offReason(levers, "etherscan", {}), "is behind")
    assert.strictEqual(offReason(levers, "etherscan", { network: "bsc", ability: "history" }), "is behind")
    assert.isUndefined(offReason(levers, "etherscan", { network: "base", ability: "history" }))
    assert.strictEqual(offReason(levers, "sonic-rpc", { network: "sonic", ability: "history" }), "maintenance")
    assert.isUndefined(offReason(levers, "sonic-rpc", { network: "sonic", ability: "balance" }))
    assert.isUndefined(offReason(levers, "sonic-rpc", { network: "sonic" }))
  })

  it("are replaced by scope; one that switches on stays only where a wider one switches off", () => {
    const wide = off({ source: "etherscan" })
    const narrow = off({ source: "etherscan", network: "base" })
    assert.deepStrictEqual(withLever([narrow], off({ source: "etherscan", network: "base" }, "again")), [
      off({ source: "etherscan", network: "base" }, "again")
    ])
    assert.deepStrictEqual(withLever([narrow], on({ source: "etherscan", network: "base" })), [])
    const back = on({ source: "etherscan", network: "base" })
    assert.deepStrictEqual(withLever([wide], back), [wide, back])
    assert.deepStrictEqual(withLever([wide, back], on({ source: "etherscan" })), [back])
  })

  it("that switch on a wider or another scope switch on all of it", () => {
    const history = off({ network: "sonic", ability: "history" })
    const etherscan = off({ source: "etherscan" })
    const sonic = on({ network: "sonic" })
    assert.deepStrictEqual(withLever([history], sonic), [])
    assert.deepStrictEqual(withLever([history, etherscan], sonic), [etherscan, sonic])
    assert.isUndefined(offReason([etherscan, sonic], "etherscan", { network: "sonic" }))
    assert.deepStrictEqual(withLever([etherscan], on({ network: "sonic", ability: "history" })), [
      etherscan,
      on({ network: "sonic", ability: "history" })
    ])
    assert.deepStrictEqual(withLever([off({ network: "base" })], sonic), [off({ network: "base" })])
    // A later lever switched it off again.
    const base = on({ source: "etherscan", network: "base" })
    const later = off({ network: "base" })
    assert.deepStrictEqual(withLever([etherscan, base, later], base), [etherscan, later, base])
  })

  it("keep their place with a new reason, so that a later exception stays", () => {
    const wide = off({ source: "etherscan" })
    const back = on({ source: "etherscan", network: "base" })
    const again = off({ source: "etherscan" }, "over quota")
    assert.deepStrictEqual(withLever([wide, back], again), [again, back])
    // Not before a lever that undoes all of it.
    const all = on({ source: "etherscan" })
    const narrow = off({ source: "etherscan", network: "base" })
    assert.deepStrictEqual(withLever([narrow, all], narrow), [all, narrow])
  })

  it("are read from JSON; the first problem is named with its place", () => {
    const lever = { state: "off", source: "koios", reason: "returns old blocks" }
    assert.deepStrictEqual(fromText(JSON.stringify([lever])), Either.right([lever as Lever]))
    assert.deepStrictEqual(fromText("[]"), Either.right([]))
    const problem = (value: unknown) => Either.getOrElse(Either.flip(fromText(JSON.stringify(value))), () => "none")
    assert.deepStrictEqual(fromText("[{]"), Either.left("is not JSON"))
    assert.match(problem([{ ...lever, reason: undefined }]), /^0/)
    assert.match(problem([{ ...lever, reason: "two\nlines" }]), /must be one line of 1 to 200 characters/)
    assert.match(problem([{ ...lever, reason: "x".repeat(201) }]), /must be one line of 1 to 200 characters/)
    assert.match(problem([{ ...lever, abilty: "history" }]), /abilty/)
    assert.match(problem([{ ...lever, ability: "everything" }]), /must be one of balance, history/)
    assert.match(problem([{ state: "off", reason: "no scope" }]), /must name a source or a network/)
    assert.match(problem([{ ...lever, state: "away" }]), /state/)
    assert.match(problem(Array.from({ length: 201 }, () => lever)), /must have at most 200 levers/)
    assert.notStrictEqual(problem({ levers: [lever] }), "none")
    assert.notStrictEqual(problem(null), "none")
  })

  it("are described in words", () => {
    assert.strictEqual(inWords(off({ source: "koios" })), "koios off: is behind")
    assert.strictEqual(inWords(on({ network: "base", ability: "history" })), "all sources on base for history on")
  })
})
