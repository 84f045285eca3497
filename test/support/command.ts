import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { command } from "../../src/cli/Command.ts"
import { bundled } from "./bundle.ts"

type Environment = Readonly<Record<string, string>>

export const main = bundled("src/main.ts")
export const starter = bundled("scripts/run.ts")

/** Bun's settings of the project, as in its folder. */
const bunfig = `--config=${resolve("bunfig.toml")}`

/** A folder that goes with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wallet-data-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Nothing of the environment of the tests gets in. */
const surroundings = (environment: Environment) => ({ PATH: process.env.PATH ?? "", ...environment })

/** Runs a command to its end in this process: what it prints, and the exit code. */
export const run = (words: ReadonlyArray<string>, environment: Environment = {}) =>
  Effect.gen(function* () {
    const printed = { stdout: "", stderr: "" }
    const to = (stream: keyof typeof printed) => (text: string) =>
      Effect.sync(() => {
        printed[stream] += `${text}\n`
      })
    const console = yield* Console.consoleWith(Effect.succeed)
    const exit = yield* Effect.exit(
      Console.withConsole(command(words, Effect.succeed(environment)), {
        ...console,
        log: to("stdout"),
        error: to("stderr")
      })
    )
    return { ...printed, code: Exit.isSuccess(exit) ? 0 : 1 }
  })

/** Runs a command to its end in a process of its own, in a folder of its own. */
export const runApart = (words: ReadonlyArray<string>, environment: Environment = {}, cwd?: string) =>
  runScript(main, words, environment, cwd)

/** The same for another script than the service's. */
export const runScript = (script: string, words: ReadonlyArray<string>, environment: Environment = {}, cwd?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = Bun.spawn([process.execPath, bunfig, script, ...words], {
        cwd: cwd ?? (yield* folder),
        env: surroundings(environment),
        stdout: "pipe",
        stderr: "pipe"
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const [stdout, stderr, code] = yield* Effect.promise(() =>
        Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
      )
      return { stdout, stderr, code }
    })
  )

/** A process that goes on, with all that it starts; what is left of them dies with the scope. */
export const start = (words: ReadonlyArray<string>, environment: Environment = {}) =>
  Effect.gen(function* () {
    const cwd = yield* folder
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([process.execPath, bunfig, ...words], {
          cwd,
          env: surroundings(environment),
          stdout: "pipe",
          stderr: "inherit",
          detached: true
        })
      ),
      (child) =>
        Effect.try(() => process.kill(-child.pid, "SIGKILL")).pipe(
          Effect.ignore,
          Effect.zipRight(Effect.promise(() => child.exited))
        )
    )
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
    let output = ""
    /** Reads on while the condition is true; false at the end of the output. */
    const readWhile = (going: () => boolean) =>
      Effect.promise(async () => {
        while (going()) {
          const { done, value } = await reader.read()
          if (done) return false
          output += value
        }
        return true
      })
    return {
      child,
      said: () => output,
      /** What the process says first that fits; fails where it ends before. */
      until: (pattern: RegExp) =>
        Effect.flatMap(
          readWhile(() => !pattern.test(output)),
          () => Effect.fromNullable(pattern.exec(output))
        ).pipe(
          Effect.catchTag("NoSuchElementException", () => Effect.dieMessage(`ended without ${pattern}: ${output}`))
        ),
      /** Waits for the end of it and of all that it started. */
      ended: Effect.asVoid(readWhile(() => true))
    }
  })

/** Tries until it succeeds, for five seconds at most. */
export const soon = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, Schedule.spaced("20 millis").pipe(Schedule.upTo("5 seconds")))

/** Fails while something listens there. */
export const closed = (url: string) =>
  Effect.flip(Effect.tryPromise(() => fetch(url, { headers: { connection: "close" } })))
