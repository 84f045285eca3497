import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../App.ts"
import type { Environment } from "../settings/Settings.ts"
import { check } from "./check.ts"
import { config, configMarkdown } from "./config.ts"
import { openapi } from "./openapi.ts"
import * as record from "./record.ts"
import { serve } from "./serve.ts"
import { version } from "./version.ts"

const usage = `usage: wallet-data [command]

  serve    answer requests until stopped (the default)
  check    try every upstream, print a table; exit 1 if any is down
  record DIR
           send every upstream typical queries and write the exchanges to DIR; exit 1 if a response no longer fits
  config   list every variable with its meaning, default and value; exit 1 if one is not allowed
           --markdown: their defaults and meanings as markdown tables
  openapi  print the OpenAPI document
  version  print the version`

const refusal = (problem: string) => Effect.as(Console.error(`${problem}\n\n${usage}`), false)

/** The commands. A command that ends returns whether it succeeded. */
const commands = { serve, check, record: refusal("record needs a folder: record DIR"), config, openapi, version }

const named = (word: string) => {
  const found = Object.entries(commands).find(([name]) => name === word.replace(/^--/, ""))
  if (found !== undefined) return found[1]
  return word === "--help" || word === "help"
    ? Effect.as(Console.log(usage), true)
    : refusal(`${word} is not a command`)
}

/** `record` has a folder and `config` an option; further arguments of other commands are ignored. */
const selected = ([word = "serve", option]: ReadonlyArray<string>) => {
  const found = named(word)
  if (found === commands.record && option !== undefined) return record.into(option)
  if (found !== config || option === undefined) return found
  return option === "--markdown" ? configMarkdown : refusal(`${option} is not an option of config`)
}

const ended = (succeeded: boolean) => (succeeded ? Effect.void : Effect.fail("ended badly"))

/** An error that stops the start is printed in one line; a defect is printed in full. */
const reported = (error: unknown) =>
  error === "ended badly"
    ? Effect.fail(error)
    : Effect.zipRight(Console.error(error instanceof Error ? error.message : String(error)), Effect.fail(error))

/** Runs the command that the arguments name. Prints the reason and fails where the exit code has to be 1. */
export const command = <E>(args: ReadonlyArray<string>, environment: Effect.Effect<Environment, E>) => {
  const chosen = selected(args)
  // `config` shows all values that are not allowed, every other command stops at the first.
  const lenient = chosen === config || chosen === configMarkdown
  const own = named(args[0] ?? "") === commands.record ? record.variables : {}
  return chosen.pipe(
    Effect.flatMap(ended),
    Effect.provide(
      Layer.unwrapEffect(Effect.map(environment, (variables) => App.settings({ ...variables, ...own }, { lenient })))
    ),
    Effect.tapDefect((cause) => Console.error(String(cause))),
    Effect.catchAll(reported)
  )
}
