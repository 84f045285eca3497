import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import manifest from "../../package.json" with { type: "json" }
import { folder, runApart } from "../support/command.ts"

/** What `wallet-data config` says in a folder with these files; a directory where the content is undefined. */
const configIn = (files: Readonly<Record<string, string | Uint8Array | undefined>>, environment = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const cwd = yield* folder
      for (const [name, content] of Object.entries(files))
        if (content === undefined) mkdirSync(join(cwd, name))
        else writeFileSync(join(cwd, name), content)
      return yield* runApart(["config"], environment, cwd)
    })
  )

describe.concurrent("what lies in the working directory", () => {
  it.live("is read where it is .env, after the environment, and as it stands there", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* configIn(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: nothing of it is expanded
        { ".env": 'APP_NAME="from-a-file"\nAPI_KEYS=a$b,c${d}\nPORT=4000\n', ".env.local": "HOST=::1\nAPP_NAME=other" },
        { PORT: "5000" }
      )
      assert.strictEqual(code, 0)
      assert.match(stdout, /^APP_NAME=from-a-file$/m)
      assert.match(stdout, /^API_KEYS=<2 set>$/m)
      assert.match(stdout, /^PORT=5000$/m)
      assert.match(stdout, /^HOST=0\.0\.0\.0 {2}\(default\)$/m)
    })
  )

  const unreadable = {
    "\\.env: is not a file": undefined,
    "\\.env: is not text in UTF-8": new Uint8Array([0x50, 0x3d, 0xff, 0xfe]),
    "\\.env: is larger than 1048576 bytes": "#".repeat(1_048_577),
    "\\.env: line 2 is not understood; allowed: .*": "PORT=4000\nAPI_KEYS: secret"
  }
  for (const [problem, content] of Object.entries(unreadable))
    it.live(`stops the start where it is a .env that cannot be read or understood: ${problem}`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* configIn({ ".env": content })
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        assert.match(stderr, new RegExp(`^${problem}\n$`))
      })
    )

  it("is not read by the binary before the service runs", () => {
    for (const option of ["dotenv", "bunfig"]) assert.include(manifest.scripts.build, `--no-compile-autoload-${option}`)
  })
})
