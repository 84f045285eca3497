import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import { type Declared, Settings } from "../settings/Settings.ts"
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
    .map((item) => code(item))
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

/** Lists every variable; returns false if a value is not allowed. */
export const config = Effect.gen(function* () {
  const { declared, problems, unknown } = yield* inspected
  yield* print(declared.map(paragraph).join("\n\n"))
  for (const warning of unknown) yield* print(`\n${warning}`)
  return yield* report(problems)
})

/** Prints every variable with its default and meaning as markdown tables; values are not shown. */
export const configMarkdown = Effect.gen(function* () {
  const { declared, problems } = yield* inspected
  yield* print(tables(declared))
  return yield* report(problems)
})

/** Messages never contain the value, which may be a secret. */
const standing = ({ problem, set }: Declared): string => {
  if (problem !== undefined) return "  (the default: the value that is set is not allowed)"
  return set ? "" : "  (default)"
}

const paragraph = (declared: Declared): string =>
  [
    `${declared.name}=${declared.value}${standing(declared)}`,
    `  ${declared.meaning}`,
    `  allowed: ${declared.allowed}`,
    ...(declared.explanation === undefined ? [] : [`  here: ${declared.explanation}`]),
    ...(declared.set ? [`  default: ${declared.default === "" ? "(none)" : declared.default}`] : [])
  ].join("\n")
