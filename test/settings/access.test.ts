import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as App from "../../src/App.ts"
import { closest } from "../../src/kernel/text/closest.ts"
import { type Environment, Settings } from "../../src/settings/Settings.ts"
import { isKeyed } from "../../src/settings/variables.ts"
import { assert, describe, it } from "../support/vitest.ts"

const key = "a-key-of-16-char"

/** Whether clients need keys, or why the start ends. */
const access = (environment: Environment) =>
  Effect.map(Effect.either(Effect.provide(isKeyed, Settings.layer(environment))), (result) =>
    Either.match(result, { onLeft: ({ message }) => message, onRight: (keyed) => (keyed ? "keyed" : "open") })
  )

describe("the service", () => {
  it("is open without keys, and with ACCESS=open whatever looks like a mistake", function* () {
    for (const environment of [
      {},
      { ACCESS: "auto" },
      { ACCESS: "open" },
      { ACCESS: "open", API_KEYS: "", API_KEYS_FILE: " " },
      { ACCESS: "open", API_KEY: key, APIKEYS: key },
      { COINGECKO_API_KEY: key, SOME_KEYS: key, API_KEY: "", HOST: "::1" }
    ])
      assert.strictEqual(yield* access(environment), "open", JSON.stringify(environment))
  })

  it("needs keys if there are any, whatever other names are set", function* () {
    for (const environment of [
      { API_KEYS: key },
      { API_KEYS: ` ${key} , ${"k".repeat(512)}` },
      { API_KEYS: key, API_KEY: "other", APP_KEY: "other" },
      { API_KEYS_FILE: "/run/keys" }
    ])
      assert.strictEqual(yield* access(environment), "keyed", JSON.stringify(environment))
  })

  it("refuses a value without the form of a key, and prints no part of it", function* () {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an unexpanded reference
    const reference = "${WALLET_KEY}"
    for (const [value, problem] of [
      ["a", "item 1 of 1 is not a key"],
      [key.slice(1), "item 1 of 1 is not a key"],
      ["k".repeat(513), "item 1 of 1 is not a key"],
      [`${key},a key with blanks in it`, "item 2 of 2 is not a key"],
      [`${key},,${key}`, "item 2 of 3 is empty"],
      ["$WALLET_KEY", "item 1 of 1 is a reference, which is not expanded here"],
      [reference, "item 1 of 1 is a reference, which is not expanded here"],
      ["", "there is no item in the list"],
      [" ", "there is no item in the list"],
      [",", "there is no item in the list"]
    ] as const) {
      const allowed = "keys of 16 to 512 letters, digits and characters of . _ ~ + / = -, separated by commas"
      const said = yield* access({ API_KEYS: value })
      assert.strictEqual(said, `API_KEYS: ${problem}; allowed: ${allowed}; an empty value only with ACCESS=open`)
    }
    for (const value of ["", " ", "$FILE", reference])
      assert.match(yield* access({ API_KEYS_FILE: value }), /^API_KEYS_FILE: ".*" is not allowed; allowed: the path of/)
  })

  it("does not start with a name like API_KEYS or API_KEYS_FILE, which would open it", function* () {
    for (const [name, meant] of [
      ["API_KEY", "API_KEYS"],
      ["APIKEYS", "API_KEYS"],
      ["APIKEY", "API_KEYS"],
      ["api_keys", "API_KEYS"],
      ["API_KYES", "API_KEYS"],
      ["API_KEY_FILE", "API_KEYS_FILE"],
      ["API_KEYSFILE", "API_KEYS_FILE"],
      ["API_KEYS_FIEL", "API_KEYS_FILE"]
    ] as const)
      assert.strictEqual(
        yield* access({ [name]: key }),
        `ACCESS: ${name} is set but is not a known variable: did you mean ${meant}? Without keys every client can use the service; set ACCESS=open if that is meant`
      )
  })

  it("refuses keys with ACCESS=open, and another word", function* () {
    assert.strictEqual(
      yield* access({ ACCESS: "open", API_KEYS: key }),
      "ACCESS: open is not allowed while API_KEYS is set"
    )
    assert.strictEqual(
      yield* access({ ACCESS: "open", API_KEYS_FILE: "/run/keys" }),
      "ACCESS: open is not allowed while API_KEYS_FILE is set"
    )
    assert.match(yield* access({ ACCESS: "closed" }), /^ACCESS: "closed" is not allowed; allowed: auto, open$/)
  })

  it("has no other variable with a name like these", function* () {
    const names = yield* Effect.provide(
      Effect.zipRight(
        Effect.scoped(App.declarations),
        Effect.flatMap(Settings, ({ declared }) => declared)
      ),
      App.settings({})
    )
    const alike = names.flatMap(({ name }) =>
      closest(name, ["API_KEYS", "API_KEYS_FILE"]) === undefined ? [] : [name]
    )
    assert.deepStrictEqual(alike, ["API_KEYS", "API_KEYS_FILE"])
  })
})
