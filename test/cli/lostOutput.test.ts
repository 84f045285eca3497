import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { commands } from "../../src/cli/commands.ts"
import { print } from "../../src/cli/print.ts"
import { LogOutput, type Output } from "../../src/telemetry/LogSink.ts"
import { main, run } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { filesIn } from "../support/sources.ts"
import { assert, describe, it } from "../support/vitest.ts"

const error = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code })

/** Runs a command line of the shell; `$0` is the runtime and `$1` the program. */
const shell = (line: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(folder, (cwd) =>
    Effect.promise(async () => {
      const child = Bun.spawn(["bash", "-o", "pipefail", "-c", line, process.execPath, main], {
        cwd,
        env: { PATH: process.env.PATH ?? "", ...environment },
        stdout: "pipe",
        stderr: "pipe"
      })
      const [stdout, stderr, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited
      ])
      return { stdout, stderr, code }
    })
  )

/** The words of each command that ends by itself. `record` prints once it has called every upstream: see record.test.ts;
 * `lever` needs a store that processes share, and `licenses` has a text in the binary alone. */
const endings: Readonly<Record<string, ReadonlyArray<string>>> = {
  health: ["health --live"],
  check: ["check", "check --json"],
  config: ["config", "config --markdown"],
  key: ["key shop"],
  openapi: ["openapi", "openapi --generators"],
  version: ["version", "--version"],
  serve: ["serve --help", "help"]
}

describe.concurrent("a command whose output is lost", () => {
  it("is tried for every command", () => {
    assert.deepStrictEqual(
      Object.keys({ ...endings, lever: [], licenses: [], record: [] }).sort(),
      Object.keys(commands).sort()
    )
  })

  it.scopedLive("fails, and names the reason", function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") })),
      (listening) => Effect.promise(() => listening.stop(true))
    )
    const environment = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: String(server.port) }
    for (const words of Object.values(endings).flat()) {
      const result = yield* run(words.split(" "), environment, (_, done) => done(error("ENOSPC"), 0))
      assert.deepStrictEqual(result, { code: 1, stdout: "", stderr: "standard output: ENOSPC\n" }, words)
    }
    const inProcess = yield* shell('"$0" "$1" version > /dev/full')
    assert.deepStrictEqual(inProcess, { code: 1, stdout: "", stderr: "standard output: ENOSPC\n" })
  })

  it.scopedLive("fails if a part is lost, or if there was no output at the start", function* () {
    const part = yield* shell('ulimit -f 40; "$0" "$1" openapi > document.json')
    assert.deepStrictEqual([part.code, part.stderr], [1, "standard output: EFBIG\n"])
    const none = yield* shell('"$0" "$1" version >&-')
    assert.deepStrictEqual([none.code, none.stderr], [1, "standard output: EBADF\n"])
  })

  it.scopedLive("succeeds if its reader has left, and with the null device", function* () {
    const left = yield* shell('"$0" "$1" openapi | head -1')
    assert.deepStrictEqual(left, { code: 0, stdout: "{\n", stderr: "" })
    const unread = yield* shell('"$0" "$1" version > /dev/null')
    assert.deepStrictEqual(unread, { code: 0, stdout: "", stderr: "" })
  })
})

describe("print", () => {
  const to = (output: Output, text = "1234567") => Effect.provideService(print(text), LogOutput, output)

  it.live("writes the rest of a part, and tries again while the reader does not read", function* () {
    let text = ""
    let calls = 0
    yield* to({
      write: (bytes, done) => {
        if (calls++ % 2 === 0) return done(error("EAGAIN"), 0)
        text += new TextDecoder().decode(bytes.subarray(0, 3))
        done(null, Math.min(3, bytes.length))
      }
    })
    assert.deepStrictEqual([text, calls], ["1234567\n", 6])
  })

  it.live("fails with the code of any error but EPIPE", function* () {
    const end = (code: string) => Effect.exit(to({ write: (_, done) => done(error(code), 0) }))
    assert.deepStrictEqual(yield* end("EPIPE"), Exit.void)
    for (const code of ["ENOSPC", "EIO", "EFBIG"])
      assert.deepStrictEqual(yield* end(code), Exit.fail(`standard output: ${code}`))
  })

  it("is the only output of the commands", () => {
    const others = filesIn("src/cli").filter((path) => /Console\.(log|info)|stdout/.test(readFileSync(path, "utf8")))
    assert.deepStrictEqual(others, [])
  })
})
