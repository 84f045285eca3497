import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import { type Declared, Settings } from "../settings/Settings.ts"
import { tables } from "./variableTables.ts"

/** Every variable, and the problems of the environment. */
const inspected = Effect.gen(function* () {
  const settings = yield* Settings
  const refused = yield* App.declarations.pipe(
    Effect.scoped,
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.as(undefined),
    Effect.catchTag("SettingError", (error) => Effect.succeed(error.message))
  )
  const declared = yield* settings.declared
  return {
    declared,
    // After an error not every variable is declared.
    unknown: refused === undefined ? yield* settings.unknown : [],
    problems: [
      ...declared.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`])),
      ...(refused === undefined ? [] : [refused])
    ]
  }
})

const report = (problems: ReadonlyArray<string>) =>
  Effect.as(
    Effect.forEach(problems, (problem) => Console.error(`\n${problem}`), { discard: true }),
    problems.length === 0
  )

/** Lists every variable; fails where a value is not allowed. */
export const config = Effect.gen(function* () {
  const { declared, problems, unknown } = yield* inspected
  yield* Console.log(declared.map(paragraph).join("\n\n"))
  for (const { meant, name } of unknown)
    yield* Console.log(
      `\n${name} is set, but no variable is called that${meant === undefined ? "" : `: was ${meant} meant?`}`
    )
  return yield* report(problems)
})

/** Prints every variable with its default and meaning as markdown tables; values are not shown. */
export const configMarkdown = Effect.gen(function* () {
  const { declared, problems } = yield* inspected
  yield* Console.log(tables(declared))
  return yield* report(problems)
})

/** The value of a secret is in no message. */
const standing = ({ problem, set }: Declared): string => {
  if (problem !== undefined) return "  (the default: the value that is set is not allowed)"
  return set ? "" : "  (default)"
}

const paragraph = (declared: Declared): string =>
  [
    `${declared.name}=${declared.value}${standing(declared)}`,
    `  ${declared.meaning}`,
    `  allowed: ${declared.allowed}`,
    ...(declared.set ? [`  default: ${declared.default === "" ? "(none)" : declared.default}`] : [])
  ].join("\n")
