import type { Declared } from "../settings/Settings.ts"

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

/** A fraction of a call is shown with three digits. */
const rounded = (text: string) => String(Number(Number(text).toPrecision(3)))

const budgets = (variables: Variables) => {
  const months = new Map(variables.map(({ default: calls, name }) => [name, calls]))
  return table(
    ["variables", "calls a second", "calls in any 31 days"],
    variables.flatMap(({ default: calls, name }) => {
      if (!perSecond.test(name)) return []
      const month = name.replace(perSecond, "_PER_MONTH")
      return [[`${code(name)}, ${code(month)}`, rounded(calls), months.get(month) ?? ""]]
    })
  )
}

/** Each variable belongs to the first group whose pattern fits its name. */
const groups = [
  { title: "Budgets", pattern: new RegExp(`${perSecond.source}|${perMonth.source}`), print: budgets },
  { title: "Addresses of upstreams", pattern: /^(?!OTLP_).*_URLS?$/, print: addresses },
  { title: "Keys and accounts", pattern: /_(API_KEY|ACCESS_KEY|PRIVATE_KEY|PROJECT_ID|ACCOUNT|PROJECT)$/, print: keys },
  { title: "The service", pattern: /^/, print: plain }
]

/** The variables as markdown: one table per group, those of the service itself first. */
export const tables = (variables: Variables): string => {
  const groupOf = ({ name }: Declared) => groups.find(({ pattern }) => pattern.test(name))
  return groups
    .toReversed()
    .map((group) => {
      const own = variables.filter((variable) => groupOf(variable) === group)
      return `### ${group.title}\n\n${group.print(own)}`
    })
    .join("\n\n")
}
