import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

// Writes the files of monitoring that follow from the alerts and the runbook: the rules for the Prometheus operator, and the
// descriptions of the panels of Grafana.

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))
const read = (file: string) => readFileSync(pathOf(file), "utf8")

export const ruleFile = "deploy/prometheus/operator/prometheus-rule.yaml"
export const dashboardFile = "deploy/grafana/dashboard.json"

/** The alerts as an object of the Prometheus operator. */
export const prometheusRule = (): string => {
  const groups = read("deploy/prometheus/alerts.yml").split("\n")
  const start = groups.indexOf("groups:")
  return [
    "# Written by `bun run docs` from deploy/prometheus/alerts.yml.",
    "apiVersion: monitoring.coreos.com/v1",
    "kind: PrometheusRule",
    "metadata:",
    "  name: wallet-data",
    "  labels: { app.kubernetes.io/name: wallet-data }",
    "spec:",
    ...groups.slice(start).map((line) => (line === "" ? "" : `  ${line}`))
  ].join("\n")
}

/** A part of the section of an alert in the runbook, in one line. */
const part = (runbook: string, alert: string, name: string): string => {
  const [, section = ""] = runbook.split(`## ${alert}\n`)
  const [, text = ""] = new RegExp(`- \\*\\*${name}\\.\\*\\* ([^]*?)\\n(?=- \\*\\*|## |$)`).exec(section) ?? []
  return text.replace(/\s+/g, " ").trim()
}

interface Panel {
  readonly description?: string
  readonly links?: ReadonlyArray<{ readonly title: string }>
}

/** The dashboard, whose panels with links to alerts have the texts of the runbook. Its format stays. */
export const dashboard = (): string => {
  const runbook = read("docs/runbook.md")
  const text = read(dashboardFile)
  const { panels } = JSON.parse(text) as { readonly panels: ReadonlyArray<Panel> }
  const member = (value: string) => `"description": ${JSON.stringify(value)}`
  return panels.reduce((changed, { description = "", links }) => {
    const texts = links?.map(
      ({ title }) => `${title}: ${part(runbook, title, "Means")} Users see: ${part(runbook, title, "Users see")}`
    )
    return texts === undefined ? changed : changed.replace(member(description), () => member(texts.join("\n\n")))
  }, text)
}

if (import.meta.main) {
  writeFileSync(pathOf(ruleFile), prometheusRule())
  writeFileSync(pathOf(dashboardFile), dashboard())
}
