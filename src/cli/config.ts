import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import { type Declared, Settings } from "../settings/Settings.ts"

/** Lists every variable; fails where a value is not allowed. */
export const config = Effect.gen(function* () {
  const settings = yield* Settings
  const refused = yield* App.declarations.pipe(
    Effect.scoped,
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.as(undefined),
    Effect.catchTag("SettingError", (error) => Effect.succeed(error.message))
  )
  const declared = yield* settings.declared
  yield* Console.log(declared.map(paragraph).join("\n\n"))
  // What stopped half-way has not declared all.
  for (const { meant, name } of refused === undefined ? yield* settings.unknown : [])
    yield* Console.log(
      `\n${name} is set, but no variable is called that${meant === undefined ? "" : `: was ${meant} meant?`}`
    )
  const problems = [
    ...declared.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`])),
    ...(refused === undefined ? [] : [refused])
  ]
  for (const problem of problems) yield* Console.error(`\n${problem}`)
  return problems.length === 0
})

const paragraph = (declared: Declared): string =>
  [
    `${declared.name}=${declared.value}${declared.set ? "" : "  (default)"}`,
    `  ${declared.meaning}`,
    `  allowed: ${declared.allowed}`,
    ...(declared.set ? [`  default: ${declared.default === "" ? "(none)" : declared.default}`] : [])
  ].join("\n")
