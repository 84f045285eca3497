import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import { readEnvFile } from "../../src/settings/envFile.ts"
import { runInProcess } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Files = Readonly<Record<string, string | Uint8Array | undefined>>

/** A folder with these files; a directory where the content is undefined. */
const folderWith = (files: Files) =>
  Effect.tap(folder, (cwd) =>
    Effect.sync(() => {
      for (const [name, content] of Object.entries(files))
        if (content === undefined) mkdirSync(join(cwd, name))
        else writeFileSync(join(cwd, name), content)
    })
  )

/** Runs `wallet-data config` in such a folder, and checks that it writes no files there. */
const configIn = Effect.fnUntraced(function* (files: Files, environment = {}) {
  const cwd = yield* folderWith(files)
  const said = yield* runInProcess(["config"], environment, cwd)
  assert.sameMembers(readdirSync(cwd), Object.keys(files))
  return said
})

/** The error of `readEnvFile` in such a folder. */
const refusedIn = (files: Files) =>
  Effect.gen(function* () {
    const cwd = yield* folderWith(files)
    const system = yield* FileSystem.FileSystem
    const inside = {
      ...system,
      exists: (path: string) => system.exists(join(cwd, path)),
      stat: (path: string) => system.stat(join(cwd, path)),
      readFile: (path: string) => system.readFile(join(cwd, path))
    }
    const { message } = yield* Effect.flip(Effect.provideService(readEnvFile, FileSystem.FileSystem, inside))
    return message
  }).pipe(Effect.provide(BunFileSystem.layer))

describe.concurrent("the .env file of the working directory", () => {
  it.scopedLive("is read without expansion; the environment takes precedence, and .env.local is ignored", function* () {
    const { code, stdout } = yield* configIn(
      {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: must not be expanded
        ".env": 'APP_NAME="from-a-file"\nCOINGECKO_API_KEY=c${d}\nPORT=4000\n',
        ".env.local": "HOST=::1\nAPP_NAME=other"
      },
      { PORT: "5000" }
    )
    assert.strictEqual(code, 0)
    assert.match(stdout, /^APP_NAME=from-a-file$/m)
    assert.match(stdout, /^COINGECKO_API_KEY=<set>$/m)
    assert.match(stdout, /^PORT=5000$/m)
    assert.match(stdout, /^HOST=0\.0\.0\.0 {2}\(default\)$/m)
  })

  it.scopedLive("stops the start if it cannot be parsed", function* () {
    const { code, stderr, stdout } = yield* configIn({ ".env": "PORT=4000\nAPI_KEYS: secret" })
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^\.env: line 2 cannot be parsed; allowed: .*\n$/)
  })

  const unreadable = {
    ".env: is not a file": undefined,
    ".env: is not text in UTF-8": new Uint8Array([0x50, 0x3d, 0xff, 0xfe]),
    ".env: is larger than 1048576 bytes": "#".repeat(1_048_577)
  }
  for (const [problem, content] of Object.entries(unreadable))
    it.scopedLive(`is rejected if it cannot be read: ${problem}`, () =>
      Effect.map(refusedIn({ ".env": content }), (message) => assert.strictEqual(message, problem))
    )

  it("is not loaded by Bun itself in the binary", () => {
    const build = readFileSync("scripts/build.ts", "utf8")
    for (const option of ["dotenv", "bunfig"]) assert.include(build, `"--no-compile-autoload-${option}"`)
  })
})
