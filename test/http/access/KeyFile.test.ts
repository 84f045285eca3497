import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { hashOf } from "../../../src/http/access/ApiKey.ts"
import { parse } from "../../../src/http/access/KeyFile.ts"

const hash = (key: string) => `sha256:${hashOf(key)}`
const entry = (more: object = {}) => ({ name: "shop", hash: hash("a"), ...more })
const problemOf = (value: unknown) =>
  Either.match(parse(typeof value === "string" ? value : JSON.stringify(value)), {
    onLeft: (problem) => problem,
    onRight: () => "no problem"
  })

describe("a key file", () => {
  it("has a name, a hash, limits and routes per key", () => {
    const [shop, rest] = Either.getOrThrow(
      parse(
        JSON.stringify([
          entry({ perMinute: 60, perDay: 1000, routes: ["/price*", "/utils/rpc/{network}"] }),
          { name: "all", hash: hash("b") }
        ])
      )
    )
    assert.deepInclude(shop, { name: "shop", hash: hashOf("a"), perMinute: 60, perDay: 1000 })
    const allowed = ["/price", "/price/coin", "/utils/rpc/:network", "/utils/rpc/:network/testnet", "/balance"]
    assert.deepStrictEqual(
      allowed.map((template) => shop?.allows(template)),
      [true, true, true, false, false]
    )
    assert.deepInclude(rest, { name: "all", perMinute: undefined, perDay: 0 })
    assert.isTrue(rest?.allows("/balance"))
  })

  it("may list plain keys, separated by line breaks or commas", () => {
    const [first, second, third] = ["wd_first-key-of-16", "c2Vjb25kIGtleQ+/==", "third.key~0123456"] as const
    const keys = Either.getOrThrow(
      parse(`# keys of the shop, and others\n${first}\n\n ${second} , ${third},${first}\r\n`)
    )
    assert.deepStrictEqual(
      keys.map(({ hash, name }) => [name, hash]),
      [first, second, third].map((key, index) => [`file-key-${index + 1}`, hashOf(key)])
    )
  })

  for (const [value, problem] of [
    ["", "has no key"],
    ["# none\n,\n", "has no key"],
    ...[
      "<!doctype html>",
      "<html><head><title>404 Not Found</title></head></html>",
      "404 page not found",
      "a-key-in-clear",
      "x".repeat(513),
      "a-key-in-clear-of-16 with-words",
      "a-key-in-clear-ünlike-any",
      "\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000"
    ].map(
      (line) =>
        [
          `${line.startsWith("<") ? "" : "a-key-in-clear-0123456789,"}\n${line}\na-key-in-clear-of-16`,
          "line 2 is not a key: a key has 16 to 512 letters, digits and characters of . _ ~ + / = -"
        ] as const
    ),
    ["[", "is not valid JSON"],
    [[], "has no key"],
    [{ keys: [] }, "is not a list of keys"],
    [[entry({ name: "a b" })], "0.name: must be 1 to 64 letters, digits, dots, hyphens or underscores"],
    [[{ name: "shop", hash: "a-key-in-clear" }], "0.hash: must be sha256: and 64 hexadecimal digits in lower case"],
    [[{ name: "shop" }], "0.hash: is missing"],
    [[entry({ perDay: -1 })], /^0\.perDay: Expected a number between 0 and 1000000000/],
    [[entry({ perMinute: 1.5 })], /^0\.perMinute: Expected an integer/],
    [[entry({ permInute: 5 })], /^0\.permInute: is unexpected/],
    [[entry({ routes: [] })], /^0\.routes\.0: is missing/],
    [[entry({ routes: ["/balances"] })], "0.routes: there is no route /balances; did you mean /balance?"],
    [[entry({ routes: ["/nothing/of/this*"] })], /^0\.routes: there is no route \/nothing\/of\/this\*/],
    [[entry(), entry({ hash: hash("b") })], "the name shop is used twice"],
    [[entry(), entry({ name: "other" })], "other has the hash of another key"]
  ] as const)
    it(`is rejected with an error that contains no key: ${problem}`, () => {
      const found = problemOf(value)
      if (typeof problem === "string") assert.strictEqual(found, problem)
      else assert.match(found, problem)
      assert.notInclude(found, "a-key-in-clear")
    })

  it("is either parsed or rejected, for any content", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(FastCheck.string(), FastCheck.json()), (text) => {
        const keys = Either.getOrElse(parse(text), () => [])
        for (const { hash: digest } of keys) assert.match(digest, /^[0-9a-f]{64}$/)
      }),
      { numRuns: 200 }
    ))
})
