import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import { command } from "./commands/Command.ts"
import { readEnvFile } from "./settings/envFile.ts"

/** The environment comes before the file. */
const environment = readEnvFile.pipe(
  Effect.map((file) => ({ ...file, ...process.env })),
  Effect.provide(BunFileSystem.layer)
)

BunRuntime.runMain(command(process.argv[2], environment), { disableErrorReporting: true, disablePrettyLogger: true })
