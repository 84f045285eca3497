import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as declare from "../../src/settings/declare.ts"
import { type Environment, SettingError, Settings } from "../../src/settings/Settings.ts"
import { folder } from "../support/process.ts"
import { assert, describe, it } from "../support/vitest.ts"

const secret = declare.secret({ name: "NODE_KEY", allowed: "a key", meaning: "a key" })
const urls = declare.urls({ name: "NODE_URLS", default: [], meaning: "nodes" })
const plain = declare.text({ name: "NODE_NAME", default: "none", allowed: "any", meaning: "a name" })

/** Reads the variables with a file of this content. */
const reading = (content: string | Uint8Array, environment: (path: string) => Environment) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "secret")
    writeFileSync(path, content)
    return yield* Effect.all([secret, urls, plain, Effect.flatMap(Settings, ({ unknown }) => unknown)]).pipe(
      Effect.provide(Settings.layer(environment(path)))
    )
  }).pipe(Effect.scoped)

describe("a secret in a file", () => {
  it("is read from the path in the _FILE variable, without the trailing line break", function* () {
    const [key] = yield* reading("abc def\n", (path) => ({ NODE_KEY_FILE: ` ${path} ` }))
    assert.strictEqual(key && Redacted.value(key), "abc def")
    const [, nodes] = yield* reading("https://a.example/key\n", (path) => ({ NODE_URLS_FILE: path }))
    assert.deepStrictEqual(nodes, ["https://a.example/key"])
    const [none] = yield* reading("abc", () => ({ NODE_KEY_FILE: " " }))
    assert.isUndefined(none)
  })

  it("is only read for secrets, and its _FILE variable does not count as misspelt", function* () {
    const [, , name, unknown] = yield* reading("abc", (path) => ({ NODE_NAME_FILE: path, NODE_KEY_FILE: path }))
    assert.strictEqual(name, "none")
    assert.notInclude(unknown.join(), "NODE_KEY_FILE")
  })

  for (const [problem, content, environment] of [
    [/^NODE_KEY_FILE: NODE_KEY is set too; only one of them is allowed$/, "abc", { NODE_KEY: "abc" }],
    [/^NODE_KEY_FILE: ".*secret" is empty$/, " \n", {}],
    [/^NODE_KEY_FILE: ".*secret" is not text in UTF-8$/, new Uint8Array([0xff, 0xfe]), {}],
    [/^NODE_KEY_FILE: ".*secret" has more than one line: line 2 is not allowed$/, "abc\ndef\n", {}],
    [/^NODE_KEY_FILE: ".*secret" has more than one line: line 2 is not allowed$/, "abc\rdef", {}],
    [/^NODE_KEY_FILE: ".*secret" has a character that is not allowed, such as NUL/, "abc\0def", {}],
    [/^NODE_KEY_FILE: ".*secret" has a character that is not allowed, such as NUL/, "abc\ufeffdef", {}],
    [/^NODE_KEY_FILE: ".*secret" is larger than 1048576 bytes$/, "x".repeat(1_048_577), {}]
  ] as const)
    it(`stops the start if it is not usable: ${problem.source.slice(15)}, ${JSON.stringify(content.slice(0, 8))}`, function* () {
      const error = yield* Effect.flip(reading(content, (path) => ({ ...environment, NODE_KEY_FILE: path })))
      assert.instanceOf(error, SettingError)
      assert.match(error.message, problem)
    })

  it.scoped("is a regular file: a pipe without a writer or an endless device stops the start", function* () {
    const pipe = join(yield* folder, "pipe")
    Bun.spawnSync(["mkfifo", pipe])
    for (const path of [pipe, "/dev/zero", "/dev", "/dev/null"]) {
      const error = yield* Effect.flip(Effect.provide(secret, Settings.layer({ NODE_KEY_FILE: path })))
      assert.strictEqual(error.message, `NODE_KEY_FILE: "${path}" is not a regular file`)
    }
  })

  it("loses a byte order mark at its start", function* () {
    const [key] = yield* reading("\ufeffabc def\r\n", (path) => ({ NODE_KEY_FILE: path }))
    assert.strictEqual(key && Redacted.value(key), "abc def")
  })

  it("is reported if it cannot be read; `config` still shows other variables", function* () {
    const environment = { NODE_KEY_FILE: "/nowhere/at/all", NODE_NAME: "n" }
    const error = yield* Effect.flip(Effect.provide(secret, Settings.layer(environment)))
    assert.strictEqual(error.message, 'NODE_KEY_FILE: "/nowhere/at/all" cannot be read: ENOENT')
    const declared = yield* Effect.all([secret, plain]).pipe(
      Effect.zipRight(Effect.flatMap(Settings, (settings) => settings.declared)),
      Effect.provide(Settings.layerLenient(environment))
    )
    assert.deepStrictEqual(
      declared.map(({ name, problem }) => [name, problem]),
      [
        ["NODE_KEY", 'NODE_KEY_FILE: "/nowhere/at/all" cannot be read: ENOENT'],
        ["NODE_NAME", undefined]
      ]
    )
  })
})
