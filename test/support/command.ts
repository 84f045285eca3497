import { resolve } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { command } from "../../src/cli/Command.ts"
import { LogOutput, type Output } from "../../src/telemetry/LogSink.ts"
import { bundled } from "./bundle.ts"
import { folder, start } from "./process.ts"

type Environment = Readonly<Record<string, string>>

export const main = bundled("src/main.ts")
export const runScriptPath = bundled("scripts/run.ts")

/** The project's Bun settings, also outside of its folder. */
const bunfig = `--config=${resolve("bunfig.toml")}`

/** Excludes the test runner's environment, except PATH. Without the optimizing compiler, a short process uses less CPU. */
const childEnvironment = (environment: Environment) => ({
  PATH: process.env.PATH ?? "",
  BUN_JSC_useDFGJIT: "0",
  ...environment
})

/** Standard output that goes to a function. */
export const outputTo = (take: (text: string) => void) =>
  Layer.succeed(LogOutput, {
    write: (bytes, done) => {
      take(new TextDecoder().decode(bytes))
      done(null, bytes.length)
    }
  })

/** Runs a command in this process until it ends, by default with an output that is returned with the exit code. */
export const run = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  environment: Environment = {},
  output?: Output["write"]
) {
  const printed = { stdout: "", stderr: "" }
  const taken = outputTo((text) => {
    printed.stdout += text
  })
  const console = yield* Console.consoleWith(Effect.succeed)
  const exit = yield* command(words, Effect.succeed(environment)).pipe(
    Effect.provide(output === undefined ? taken : Layer.succeed(LogOutput, { write: output })),
    Console.withConsole({
      ...console,
      error: (text: string) =>
        Effect.sync(() => {
          printed.stderr += `${text}\n`
        })
    }),
    Effect.exit
  )
  return { ...printed, code: Exit.isSuccess(exit) ? 0 : 1 }
})

/** Runs a command in a new process until it ends, by default in a temporary folder. */
export const runInProcess = (words: ReadonlyArray<string>, environment: Environment = {}, cwd?: string) =>
  runScript(main, words, environment, cwd)

/** Runs a script in a new process until it ends, by default in a temporary folder. */
export const runScript = (script: string, words: ReadonlyArray<string>, environment: Environment = {}, cwd?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = Bun.spawn([process.execPath, bunfig, script, ...words], {
        cwd: cwd ?? (yield* folder),
        env: childEnvironment(environment),
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

/** Starts a script on Bun in a temporary folder; `words` are the script and its arguments. */
export const startScript = (words: ReadonlyArray<string>, environment: Environment = {}) =>
  Effect.flatMap(folder, (cwd) =>
    start([process.execPath, bunfig, ...words], { cwd, env: childEnvironment(environment) })
  )

/** Fails if a server responds at this URL. */
export const closed = (url: string) =>
  Effect.flip(Effect.tryPromise(() => fetch(url, { headers: { connection: "close" } })))
