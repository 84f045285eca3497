import { existsSync, readFileSync } from "node:fs"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import { readEnvFile } from "../settings/envFile.ts"
import * as proxies from "../settings/proxies.ts"
import { command } from "./Command.ts"

Object.assign(process.env, proxies.exceptLocalHosts(process.env))

/** The environment takes precedence over the file. */
const environment = readEnvFile.pipe(
  Effect.map((file) => ({ ...file, ...proxies.notInFile, ...process.env })),
  Effect.provide(BunFileSystem.layer)
)

const status = "/proc/self/status"

/** True if the process was started with `nohup`, and so must continue when the terminal closes. */
const ignoresHangup = existsSync(status) && /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readFileSync(status, "utf8"))

/** Shuts down as on SIGTERM, unless SIGHUP has another listener, such as the reload of API_KEYS_FILE. */
const hungUp = () => {
  if (process.listenerCount("SIGHUP") === 1) process.kill(process.pid, "SIGTERM")
}

if (!ignoresHangup) process.on("SIGHUP", hungUp)

BunRuntime.runMain(command(process.argv.slice(2), environment), {
  disableErrorReporting: true,
  disablePrettyLogger: true
})
