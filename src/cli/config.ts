import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import { readEnvFile } from "../settings/envFile.ts"
import { type Declared, type Environment, Settings } from "../settings/Settings.ts"
import { print } from "./print.ts"

type Variables = ReadonlyArray<Declared>

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;")

const code = (text: string) => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``)

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n")

/** A list of addresses, one line each. */
const listed = (text: string) =>
  text
    .split(",")
    .map((value) => code(value))
    .join("<br>")

const plain = (variables: Variables) =>
  table(
    ["variable", "default", "meaning", "allowed"],
    variables.map((variable) => [
      code(variable.name),
      code(variable.default),
      cell(variable.meaning),
      cell(variable.allowed)
    ])
  )

const addresses = (variables: Variables) =>
  table(
    ["variable", "default", "meaning"],
    variables.map((variable) => [code(variable.name), listed(variable.default), cell(variable.meaning)])
  )

const keys = (variables: Variables) =>
  table(
    ["variable", "meaning", "allowed"],
    variables.map((variable) => [code(variable.name), cell(variable.meaning), cell(variable.allowed)])
  )

const perSecond = /_PER_SECOND$/
const perMonth = /_PER_MONTH$/

/** Rounds to three significant digits. */
const rounded = (text: string) => String(Number(Number(text).toPrecision(3)))

const budgets = (variables: Variables) => {
  const months = new Map(variables.map(({ default: calls, name }) => [name, calls]))
  return table(
    ["variables", "calls per second", "calls in any 31 days"],
    variables.flatMap(({ default: calls, name }) => {
      if (!perSecond.test(name)) return []
      const month = name.replace(perSecond, "_PER_MONTH")
      return [[`${code(name)}, ${code(month)}`, rounded(calls), months.get(month) ?? ""]]
    })
  )
}

/** Each variable belongs to the first group whose pattern matches its name. */
const groups = [
  { title: "Budgets", pattern: new RegExp(`${perSecond.source}|${perMonth.source}`), print: budgets },
  { title: "Addresses of upstreams", pattern: /^(?!OTLP_).*_URLS?$/, print: addresses },
  { title: "Keys and accounts", pattern: /_(API_KEY|ACCESS_KEY|PRIVATE_KEY|PROJECT_ID|ACCOUNT|PROJECT)$/, print: keys },
  { title: "The service", pattern: /^/, print: plain }
]

/** The variables as markdown: one table per group, those of the service itself first. */
const tables = (variables: Variables): string => {
  const groupOf = ({ name }: Declared) => groups.find(({ pattern }) => pattern.test(name))
  return groups
    .toReversed()
    .map((group) => {
      const own = variables.filter((variable) => groupOf(variable) === group)
      return `### ${group.title}\n\n${group.print(own)}`
    })
    .join("\n\n")
}

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
    // After an error some variables are not declared, and would look unknown.
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

/** Where the value of a variable comes from; undefined for a default. */
const originOf =
  (settings: typeof Settings.Service, file: Environment) =>
  ({ name, set }: Declared): string | undefined => {
    if (!set) return undefined
    if (settings.runtime(name).trim() === "" && settings.runtime(`${name}_FILE`) !== "") return `${name}_FILE`
    return file[name] === settings.runtime(name) ? ".env" : "environment"
  }

/** How `config` shows the variables. */
interface Shown {
  /** Whether only those that are set are shown. */
  readonly onlySet: boolean
  readonly form: "text" | "json" | "markdown" | "check"
}

/** Lists the variables; returns false if a value is not allowed. Markdown has no values. */
export const config = ({ form, onlySet }: Shown) =>
  Effect.gen(function* () {
    const { declared, problems, unknown } = yield* inspected
    const settings = yield* Settings
    const origin = originOf(settings, yield* readEnvFile.pipe(Effect.provide(BunFileSystem.layer)))
    const listed = declared
      .filter(({ set }) => set || !onlySet)
      .map((variable) => (onlySet ? { ...variable, from: origin(variable) } : variable))
    if (form === "json") yield* print(JSON.stringify({ variables: listed, unknown, problems }, undefined, 2))
    if (form === "markdown") yield* print(tables(listed))
    if (form === "text") yield* print([...listed.map(paragraph), ...unknown].join("\n\n"))
    if (form === "check") for (const warning of unknown) yield* print(warning)
    if (form === "check" && problems.length === 0) yield* print("all values are allowed")
    return yield* report(problems)
  })

/** Messages never contain the value, which may be a secret. */
const standing = ({ problem, set }: Declared): string => {
  if (problem !== undefined) return "  (the default: the value that is set is not allowed)"
  return set ? "" : "  (default)"
}

const paragraph = (declared: Declared & { readonly from?: string | undefined }): string =>
  [
    `${declared.name}=${declared.value}${standing(declared)}`,
    `  ${declared.meaning}`,
    `  allowed: ${declared.allowed}`,
    ...(declared.explanation === undefined ? [] : [`  here: ${declared.explanation}`]),
    ...(declared.from === undefined ? [] : [`  from: ${declared.from}`]),
    ...(declared.set ? [`  default: ${declared.default === "" ? "(none)" : declared.default}`] : [])
  ].join("\n")
