import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { readEnvFile } from "../settings/envFile.ts"
import * as proxies from "../settings/proxies.ts"
import { onStop } from "../settings/signals.ts"
import { command } from "./Command.ts"

Object.assign(process.env, proxies.exceptLocalHosts(process.env))

/** The environment takes precedence over the file. */
const environment = readEnvFile.pipe(
  Effect.map((file) => ({ ...file, ...proxies.notInFile, ...process.env })),
  Effect.provide(BunFileSystem.layer)
)

/** Runs until the command has ended or a signal has stopped it; then the exit code is 0. */
const fiber = Effect.runFork(command(process.argv.slice(2), environment))
const keepAlive = setInterval(() => {}, 2 ** 31 - 1)
let isStopped = false
fiber.addObserver((exit) => {
  clearInterval(keepAlive)
  const code = Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause) ? 0 : 1
  if (isStopped || code !== 0) process.exit(code)
})
onStop(() => {
  isStopped = true
  fiber.unsafeInterruptAsFork(fiber.id())
})
