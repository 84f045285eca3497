import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { readEnvFile } from "../settings/envFile.ts"
import * as proxies from "../settings/proxies.ts"
import { onStop } from "../settings/signals.ts"
import * as systemd from "../workers/systemd.ts"
import { command } from "./Command.ts"

Object.assign(process.env, proxies.exceptLocalHosts(process.env))

/** The environment takes precedence over the file. */
const environment = readEnvFile.pipe(
  Effect.map((file) => ({ ...file, ...proxies.notInFile, ...process.env })),
  Effect.provide(BunFileSystem.layer)
)

const words = process.argv.slice(2)

/** A stop is how the service ends, but an interruption of every other command, whose work is not done. */
const isService = words[0] === undefined || words[0] === "serve" || words[0].startsWith("-")
const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Runs until the command has ended or a signal has stopped it. */
const fiber = Effect.runFork(command(words, environment))
const keepAlive = setInterval(() => {}, 2 ** 31 - 1)
let stopped: number | undefined
fiber.addObserver((exit) => {
  clearInterval(keepAlive)
  const code = Exit.isSuccess(exit) ? 0 : Cause.isInterruptedOnly(exit.cause) ? (stopped ?? 0) : 1
  if (stopped !== undefined || code !== 0) process.exit(code)
})
onStop((signal) => {
  if (isService) systemd.stopping()
  stopped = isService ? 0 : codes[signal]
  fiber.unsafeInterruptAsFork(fiber.id())
})
