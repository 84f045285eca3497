import { parseArgs } from "node:util"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as App from "../App.ts"
import { nearest } from "../kernel/text/closest.ts"
import type { Environment, Settings } from "../settings/Settings.ts"
import { type Arguments, type Command, type CommandOptions, commands, version } from "./commands.ts"
import { print } from "./print.ts"

const everywhere: CommandOptions = {
  help: { short: "h", meaning: "print this help" },
  version: { short: "v", meaning: "print version, commit and runtime" }
}

/** The lines of the usage text for these options. */
export const usageOf = (options: CommandOptions): ReadonlyArray<string> => {
  const rows = Object.entries(options).map(([name, { meaning, short, value }]) => ({
    left: `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    meaning
  }))
  const width = Math.max(...rows.map(({ left }) => left.length))
  return rows.map(({ left, meaning }) => `  ${left.padEnd(width)}  ${meaning}`)
}

const column = 12

const usage = [
  "usage: wallet-data [command] [options]",
  "",
  ...Object.entries(commands).map(([name, { meaning }]) => `  ${name.padEnd(column)}${meaning}`),
  "",
  ...usageOf(everywhere),
  "",
  "wallet-data COMMAND --help lists the options of a command; the default command is serve.",
  "Settings are environment variables, or variables in a .env file: see wallet-data config."
].join("\n")

const usageOfCommand = (name: string, { meaning, options, words }: Command) =>
  [
    `usage: wallet-data ${name}${words.map((word) => ` ${word}`).join("")} [options]`,
    "",
    `  ${meaning}`,
    "",
    ...usageOf({ ...options, ...everywhere })
  ].join("\n")

/** Options and positional arguments of a command; left is the problem, for example a misspelt option. */
const parse = (args: ReadonlyArray<string>, options: CommandOptions, most: number): Either.Either<Arguments, string> =>
  Either.try({
    try: () =>
      parseArgs({
        args: [...args],
        allowPositionals: most > 0,
        options: Object.fromEntries(
          Object.entries(options).map(([name, { short, value }]) => [
            name,
            { type: value === undefined ? "boolean" : "string", ...(short === undefined ? {} : { short }) }
          ])
        )
      }),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Either.flatMap(({ positionals, values }) => {
      const empty = Object.keys(values).find((name) => values[name] === "")
      if (empty !== undefined) return Either.left(`Option '--${empty}' has an empty value`)
      if (positionals.length > most) return Either.left(`Unexpected argument '${positionals[most]}'`)
      return Either.right({ values, rest: positionals })
    })
  )

const usageError = (problem: string, help: string) => Effect.as(Console.error(`${problem}\n\n${help}`), false)

const printed = (text: string) => Effect.as(print(text), true)

/** The effect to run, and the variables that are set for it. */
interface Invocation {
  readonly run: Effect.Effect<boolean, unknown, Settings>
  readonly variables: Environment
  /** True for `config`, which shows all invalid values; other commands stop at the first. */
  readonly lenient: boolean
  /** True for `serve`, whose errors are entries of the log. */
  readonly isService?: boolean
}

const plain = (run: Invocation["run"]): Invocation => ({ run, variables: {}, lenient: true })

const commandInvocation = (name: string, command: Command, given: Arguments): Invocation => {
  const missing = command.words[given.rest.length]
  const help = usageOfCommand(name, command)
  if (given.values.help === true) return plain(printed(help))
  if (given.values.version === true) return plain(version)
  if (missing !== undefined) return plain(usageError(`${name} needs ${missing}`, help))
  const { lenient = false, run, variables } = command
  return { run: run(given), variables: variables?.(given) ?? {}, lenient, isService: name === "serve" }
}

const isHelp = (word: string) => ["help", "--help", "-h"].includes(word)

/** The command must be the first argument. Without a command the options belong to `serve`. */
const invocationOf = (args: ReadonlyArray<string>): Invocation => {
  const [word = "serve", ...rest] = args
  const helpFor = isHelp(word) ? rest[0] : undefined
  if (isHelp(word) && (helpFor === undefined || !Object.hasOwn(commands, helpFor))) return plain(printed(usage))
  if (word === "--version" || word === "-v") return plain(version)
  const name = helpFor ?? (word.startsWith("-") ? "serve" : word)
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined
  if (command === undefined) {
    const meant = nearest(name, Object.keys(commands))
    return plain(usageError(`${name} is not a command${meant === undefined ? "" : `; did you mean ${meant}?`}`, usage))
  }
  if (helpFor !== undefined) return plain(printed(usageOfCommand(name, command)))
  return Either.match(parse(word === name ? rest : args, { ...command.options, ...everywhere }, command.words.length), {
    onLeft: (problem) => plain(usageError(`${name}: ${problem}`, usageOfCommand(name, command))),
    onRight: (given) => commandInvocation(name, command, given)
  })
}

const ended = (succeeded: boolean) => (succeeded ? Effect.void : Effect.fail("ended badly"))

/** Prints an error in one line. Defects are printed in full by `command`. */
const reported = (format: (message: string) => Effect.Effect<string>) => (error: unknown) =>
  error === "ended badly"
    ? Effect.fail(error)
    : format(error instanceof Error ? error.message : String(error)).pipe(
        Effect.flatMap(Console.error),
        Effect.zipRight(Effect.fail(error))
      )

/** The reason why the service ends: an entry of the log if the log is JSON by its variable. */
const entryOr =
  <E>(environment: Effect.Effect<Environment, E>) =>
  (message: string) =>
    Effect.gen(function* () {
      const { LOG_FORMAT = "" } = yield* Effect.orElseSucceed(environment, (): Environment => ({}))
      if (LOG_FORMAT.trim().toLowerCase() !== "json") return message
      const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
      return JSON.stringify({ timestamp, level: "FATAL", message })
    })

/** Runs the command that the arguments name. Prints the reason and fails if the exit code must be 1. */
export const command = <E>(args: ReadonlyArray<string>, environment: Effect.Effect<Environment, E>) => {
  const { isService = false, lenient, run, variables: own } = invocationOf(args)
  return run.pipe(
    Effect.flatMap(ended),
    Effect.provide(
      Layer.unwrapEffect(Effect.map(environment, (variables) => App.settings({ ...variables, ...own }, { lenient })))
    ),
    Effect.tapDefect((cause) => Console.error(String(cause))),
    Effect.catchAll(reported(isService ? entryOr(environment) : Effect.succeed))
  )
}
