import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { check } from "./commands/Check.ts"
import { config } from "./commands/Config.ts"
import { openapi } from "./commands/OpenApi.ts"
import { serve } from "./commands/Serve.ts"
import { version } from "./commands/Version.ts"
import { readEnvFile } from "./settings/envFile.ts"
import { Settings } from "./settings/Settings.ts"

/** What each command does. One that ends says whether all was well. */
const commands = { serve, check, config, openapi, version }

const usage = `usage: wallet-data [command]

  serve    answer requests until told to stop (the default)
  check    try every upstream, print a table; exit 1 if any is down
  config   list every variable with its meaning, default and value; exit 1 if one is not allowed
  openapi  print the OpenAPI document
  version  print the version`

const named = (word = "serve") => {
  const known = Object.entries(commands).find(([name]) => name === word.replace(/^--/, ""))
  if (known !== undefined) return known[1]
  return word === "--help" || word === "help"
    ? Effect.as(Console.log(usage), true)
    : Effect.as(Console.error(`${word} is not a command\n\n${usage}`), false)
}

const ended = (well: boolean) => (well ? Effect.void : Effect.fail("ended badly"))

/** What stops a start is told to the operator in one line; anything else is a fault of ours and shown whole. */
const told = (error: unknown) =>
  error === "ended badly"
    ? Effect.fail(error)
    : Effect.zipRight(Console.error(error instanceof Error ? error.message : String(error)), Effect.fail(error))

/** `config` shows all values that are not allowed, every other command stops at the first. */
const layer = named(process.argv[2]) === config ? Settings.layerLenient : Settings.layer

/** The environment comes before the file. */
const settings = readEnvFile.pipe(
  Effect.map((file) => layer({ ...file, ...process.env })),
  Layer.unwrapEffect,
  Layer.provide(BunFileSystem.layer)
)

BunRuntime.runMain(
  named(process.argv[2]).pipe(
    Effect.flatMap(ended),
    Effect.provide(settings),
    Effect.tapDefect((cause) => Console.error(String(cause))),
    Effect.catchAll(told)
  ),
  { disableErrorReporting: true, disablePrettyLogger: true }
)
