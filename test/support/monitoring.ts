import { readFileSync } from "node:fs"

// The expressions of the alert rules and of the dashboard.

const read = (path: string) => readFileSync(`deploy/${path}`, "utf8")

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const rules = Bun.YAML.parse(read("prometheus/alerts.yml")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Alert> }>
}

export const alerts: ReadonlyArray<Alert> = rules.groups.flatMap((group) => group.rules)

interface Dashboard {
  readonly uid: string
  readonly annotations: { readonly list: ReadonlyArray<{ readonly expr: string }> }
  readonly templating: {
    readonly list: ReadonlyArray<{
      readonly name: string
      readonly type: string
      readonly current: { readonly value: string }
    }>
  }
  readonly panels: ReadonlyArray<Panel | Row>
}

interface Row {
  readonly id: number
  readonly type: "row"
  readonly title: string
}

interface Panel {
  readonly id: number
  readonly type: "timeseries" | "stat"
  readonly title: string
  readonly description: string
  readonly links?: ReadonlyArray<{ readonly title: string; readonly url: string }>
  readonly datasource: { readonly uid: string }
  readonly gridPos: { readonly y: number }
  readonly fieldConfig: {
    readonly defaults: { readonly thresholds?: { readonly steps: ReadonlyArray<{ readonly value: number | null }> } }
  }
  readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}

export const dashboard = JSON.parse(read("grafana/dashboard.json")) as Dashboard

/** The panels with data, without the titles of rows. */
export const panels = dashboard.panels.flatMap((panel) => (panel.type === "row" ? [] : [panel]))

const targets = panels.flatMap((panel) => panel.targets)

/** Expressions of the panels; the interval that Grafana inserts is five minutes. */
export const panelExpressions: ReadonlyArray<string> = [...dashboard.annotations.list, ...targets].map(({ expr }) =>
  expr.replaceAll("$__rate_interval", "5m")
)

const words = (list: string) => list.split(/[\s,]+/).filter((word) => word !== "")

/** The metrics and the labels in an expression, and identifiers that are neither, such as a metric without `{job=…}`. */
export const namesIn = (expression: string) => {
  const selectors = [...expression.matchAll(/([a-z_]*)\{([^}]*)\}/g)]
  const lists = [...expression.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)].flatMap(([, list = ""]) => words(list))
  const matchers = selectors.flatMap(([, , text = ""]) => [...text.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)])
  const named = matchers.flatMap(([, label, value = ""]) => (label === "__name__" ? value.split("|") : []))
  const rest = expression
    .replace(/[a-z_]*\{[^}]*\}/g, "")
    .replace(/\[\w+\]/g, "")
    .replace(/\b(?:by|on|group_left) \([^)]*\)/g, "")
    .replace(/\b[a-z_]+(?= *\()/g, "")
  return {
    metrics: [...selectors.flatMap(([, name = ""]) => (name === "" ? [] : [name])), ...named],
    labels: [...new Set([...lists, ...matchers.map(([, label = ""]) => label)])],
    others: [...rest.matchAll(/[a-z_]{2,}/g)].map(([word]) => word).filter((word) => word !== "and")
  }
}

/** The metrics with their labels in a response of /metrics. */
export const exported = (text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const all = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const before = all.get(name) ?? new Set()
    all.set(name, before.union(new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label))))
  }
  return all
}
