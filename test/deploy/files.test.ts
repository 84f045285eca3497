import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { headLimit, longestHead } from "../../scripts/build.ts"
import * as monitoring from "../../scripts/monitoring.ts"
import { startVariables } from "../../src/settings/runtime.ts"
import { run } from "../support/command.ts"
import { alerts, dashboard, namesIn, panelExpressions, panels } from "../support/monitoring.ts"
import { sources } from "../support/sources.ts"
import { isMissing, tool } from "../support/tools.ts"
import { assert, describe, it } from "../support/vitest.ts"

const deploy = (path: string) => resolve("deploy", path)
const read = (path: string) => readFileSync(deploy(path), "utf8")

const runTool = (name: Parameters<typeof tool>[0], ...words: ReadonlyArray<string>) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([tool(name) ?? "", ...words])
  return { exitCode, output: `${stdout}${stderr}` }
}

const config = Effect.runSync(Effect.cached(run(["config"])))

/** The variables that `config` lists, two more, and those that the runtime reads. */
const variables = Effect.map(config, ({ stdout }) => [
  ...[...stdout.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = ""]) => name),
  ...["REPLICAS", "SHUTDOWN_DELAY_MS"],
  ...Object.keys(startVariables)
])

/** The ports of all default addresses of upstreams. */
const upstreamPorts = Effect.map(config, ({ stdout }) => [
  ...new Set([...stdout.matchAll(/https:\/\/[^\s,/:]+(?::(\d+))?/g)].map(([, port = "443"]) => Number(port)))
])

interface AlertTests {
  readonly tests: ReadonlyArray<{
    readonly input_series: ReadonlyArray<{ readonly series: string }>
    readonly promql_expr_test: ReadonlyArray<{ readonly exp_samples: ReadonlyArray<{ readonly labels: string }> }>
  }>
}

describe("prometheus", () => {
  for (const words of [
    ["config", "prometheus.yml"],
    ["rules", "alerts.yml"]
  ] as const)
    it.skipIf(isMissing("promtool"))(`promtool check ${words.join(" ")}`, () => {
      const { exitCode, output } = runTool("promtool", "check", words[0], deploy(`prometheus/${words[1]}`))
      assert.strictEqual(exitCode, 0, output)
    })

  it.skipIf(isMissing("promtool"))("the rules raise the alerts that they should", () => {
    const { exitCode, output } = runTool("promtool", "test", "rules", deploy("prometheus/alerts_test.yml"))
    assert.strictEqual(exitCode, 0, output)
  })

  it("every alert has a case in which it must fire and one in which it must not, both with its metrics and probes", () => {
    const { tests } = Bun.YAML.parse(read("prometheus/alerts_test.yml")) as AlertTests
    const cases = tests.map(({ input_series, promql_expr_test }) => ({
      metrics: new Set(input_series.map(({ series }) => series.replace(/\{.*/, ""))),
      hasProbes: ["/health/ready", "/health/live", "/metrics"].every((route) =>
        input_series.some(({ series }) => series.includes(`route="${route}"`))
      ),
      raised: new Set(
        promql_expr_test.flatMap(({ exp_samples }) =>
          exp_samples.map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1] ?? "")
        )
      )
    }))
    for (const { alert, expr } of alerts) {
      const { metrics } = namesIn(expr)
      const about = cases.filter((each) => each.hasProbes && metrics.every((name) => each.metrics.has(name)))
      assert.isTrue(
        about.some(({ raised }) => raised.has(alert)),
        `${alert} must fire`
      )
      assert.isTrue(
        about.some(({ raised }) => !raised.has(alert)),
        `${alert} must not fire`
      )
    }
  })

  it.skipIf(isMissing("promtool"))("understands the expressions of the dashboard", () => {
    const folder = mkdtempSync(join(tmpdir(), "wallet-data-"))
    const rules = panelExpressions.map((expr, index) => ({ record: `panel_${index}`, expr }))
    writeFileSync(join(folder, "rules.json"), JSON.stringify({ groups: [{ name: "panels", rules }] }))
    const { exitCode, output } = runTool("promtool", "check", "rules", join(folder, "rules.json"))
    rmSync(folder, { recursive: true })
    assert.strictEqual(exitCode, 0, output)
  })

  it("every metric in a rule or on the dashboard exists in the service", () => {
    const declared = new Set(
      sources.flatMap(({ code }) =>
        [...code.matchAll(/(?:(?:Metrics?|MetricKey)\.\w+|counters)\(\s*"([a-z_]+)"/g)].map(([, name = ""]) => name)
      )
    )
    assert.isAbove(declared.size, 25)
    const expressions = [...alerts.map(({ expr }) => expr), ...panelExpressions]
    assert.isAbove(expressions.length, 40)
    for (const expression of expressions) {
      const { metrics, others } = namesIn(expression)
      assert.isNotEmpty(metrics, expression)
      // A metric without a job would include other services. The right side of `or` shows only series whose labels the
      // left side does not have.
      assert.deepStrictEqual(others, [], expression)
      for (const name of metrics)
        assert.isTrue(name === "up" || declared.has(name.replace(/_bucket$/, "")), `${expression}: ${name}`)
    }
  })

  it("every alert has a severity, texts, a test and a section of the runbook, in the same order", () => {
    const runbook = readFileSync("docs/runbook.md", "utf8")
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, name = ""]) => name)
    assert.deepStrictEqual(
      headings,
      alerts.map(({ alert }) => alert)
    )
    const tests = read("prometheus/alerts_test.yml")
    for (const { alert, annotations, labels } of alerts) {
      assert.match(
        runbook,
        new RegExp(
          `## ${alert}\n\n- \\*\\*Means\\.\\*\\* [^#]+\n- \\*\\*Users see\\.\\*\\* [^#]+\n- \\*\\*Do\\.\\*\\* \\S`
        )
      )
      assert.include(["critical", "warning", "info"], labels.severity, alert)
      assert.deepStrictEqual(Object.keys(annotations), ["summary", "description", "runbook_url"], alert)
      assert.strictEqual(annotations.runbook_url, `docs/runbook.md#${alert.toLowerCase()}`)
      assert.include(tests, `{alertname="${alert}"`)
    }
  })

  it("the dashboard uses the provisioned data source, and shows each label in its legend", () => {
    const [source] = (Bun.YAML.parse(read("grafana/provisioning/datasources/prometheus.yaml")) as Yaml).datasources
    assert.strictEqual(dashboard.uid, "wallet-data")
    assert.strictEqual(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
    const variables = dashboard.templating.list
    assert.deepStrictEqual(
      variables.map(({ name, type }) => [name, type]),
      [
        ["datasource", "datasource"],
        ["instance", "query"],
        ["network", "query"],
        ["upstream", "query"]
      ]
    )
    assert.strictEqual(variables[0]?.current.value, source.uid)
    for (const { datasource, targets, type } of panels) {
      assert.strictEqual(datasource.uid, `\${datasource}`)
      for (const { expr } of targets) assert.include(expr, 'instance=~"$instance"')
      // A single number has no legend.
      for (const { expr, legendFormat } of type === "stat" ? [] : targets)
        for (const [, list = ""] of expr.matchAll(/(?:sum|max|min) by \(([^)]*)\)/g))
          for (const label of list.split(", ")) if (label !== "le") assert.include(legendFormat, `{{${label}}}`, expr)
    }
  })
})

describe("the dashboard", () => {
  const numbers = panels.filter(({ type }) => type === "stat")

  it("starts with a row of six numbers, whose thresholds are those of their alerts", () => {
    assert.lengthOf(numbers, 6)
    for (const { fieldConfig, gridPos, links = [], title } of numbers) {
      assert.strictEqual(gridPos.y, 0)
      const rules = alerts.filter(({ alert }) => links.some((link) => link.title === alert)).map(({ expr }) => expr)
      const limits = new Set(
        rules.flatMap((expr) => [...expr.matchAll(/ [<>=]+ ([\d.]+)\s*$/gm)].map(([, text]) => Number(text)))
      )
      // Down, no address left, and more than the whole budget are comparisons with 0, or between two metrics.
      for (const { value } of fieldConfig.defaults.thresholds?.steps ?? [])
        assert.isTrue(value === null || value === 1 || limits.has(value), `${title}: ${value}`)
    }
  })

  it("shows every alert at a panel, and has the texts of the runbook", () => {
    const shown = panels.flatMap(({ links = [] }) => links)
    for (const { alert, annotations } of alerts)
      if (alert !== "WalletDataKeyFileMissing")
        assert.isTrue(
          shown.some(({ title, url }) => title === alert && url === annotations.runbook_url),
          alert
        )
    for (const { description, title } of panels) assert.isAbove(description.length, 40, title)
    assert.deepStrictEqual(JSON.parse(monitoring.dashboard()), JSON.parse(read("grafana/dashboard.json")))
  })
})

describe("the Prometheus operator", () => {
  const [service, monitor] = Bun.YAML.parse(read("prometheus/operator/service-monitor.yaml")) as ReadonlyArray<Yaml>

  it("gets the alerts of alerts.yml, written by `bun run docs`", () => {
    assert.strictEqual(readFileSync(monitoring.ruleFile, "utf8"), monitoring.prometheusRule())
    const { kind, spec } = Bun.YAML.parse(monitoring.prometheusRule()) as Yaml
    assert.strictEqual(kind, "PrometheusRule")
    assert.deepStrictEqual(spec, Bun.YAML.parse(read("prometheus/alerts.yml")))
  })

  it("scrapes the metrics of every pod with the job of the alerts", () => {
    const { endpoints, jobLabel, selector } = monitor.spec
    const { scrape_configs, global } = Bun.YAML.parse(read("prometheus/prometheus.yml")) as Yaml
    assert.strictEqual(service.metadata.labels[jobLabel], scrape_configs[0].job_name)
    assert.deepStrictEqual(selector.matchLabels, service.metadata.labels)
    assert.strictEqual(endpoints[0].port, service.spec.ports[0].name)
    assert.strictEqual(endpoints[0].interval, global.scrape_interval)
    const deployment = (Bun.YAML.parse(read("kubernetes/wallet-data.yaml")) as ReadonlyArray<Yaml>).find(
      ({ kind }) => kind === "Deployment"
    )
    assert.deepStrictEqual(service.spec.selector, deployment.spec.selector.matchLabels)
    assert.deepInclude(deployment.spec.template.spec.containers[0].ports, {
      name: service.spec.ports[0].targetPort,
      containerPort: service.spec.ports[0].port
    })
  })

  it("is a separate component with every file of its folder", () => {
    const { kind, resources } = Bun.YAML.parse(read("prometheus/operator/kustomization.yaml")) as Yaml
    assert.strictEqual(kind, "Component")
    assert.sameMembers([...resources, "kustomization.yaml"], readdirSync(deploy("prometheus/operator")))
  })
})

// biome-ignore lint/suspicious/noExplicitAny: configuration files of other programs, without schemas
type Yaml = any

describe("the limits of the runtime", () => {
  it("are set everywhere, so that no start is a second one", () => {
    for (const file of ["Dockerfile", "compose.yaml", "wallet-data.service", "kubernetes/kustomization.yaml"])
      for (const [name, value] of Object.entries(startVariables))
        assert.match(read(file), new RegExp(`\\b${name}(=|: ")${value}\\b`), file)
  })
})

describe("compose", () => {
  const { services, volumes } = Bun.YAML.parse(read("compose.yaml")) as Yaml

  it("mounts files that exist and volumes that it declares", () => {
    for (const [name, service] of Object.entries<Yaml>(services))
      for (const mount of service.volumes ?? []) {
        const [from] = mount.split(":")
        assert.isTrue(from.startsWith(".") ? existsSync(deploy(from)) : from in volumes, `${name}: ${from}`)
      }
    const { args, context, dockerfile } = services["wallet-data-1"].build
    assert.isTrue(existsSync(join(deploy(context), dockerfile)))
    for (const name of Object.keys(args)) assert.match(read("Dockerfile"), new RegExp(`^ARG ${name}=`, "m"))
  })

  it.live("sets known variables, and a grace period longer than the shutdown delay", function* () {
    const known = yield* variables
    for (const name of ["wallet-data-1", "wallet-data-2"]) {
      const { environment, stop_grace_period } = services[name]
      for (const variable of Object.keys(environment)) assert.include(known, variable)
      assert.isAbove(Number.parseInt(stop_grace_period, 10), Number(environment.SHUTDOWN_DELAY_MS) / 1000 + 10)
    }
    const replicas = Object.keys(services).filter((name) => name.startsWith("wallet-data-"))
    assert.strictEqual(services["wallet-data-1"].environment.REPLICAS, String(replicas.length))
    for (const replica of replicas) {
      assert.deepStrictEqual(services[replica].networks.default, { aliases: ["wallet-data"] })
      assert.include(read("prometheus/prometheus.yml"), `"${replica}:9464"`)
    }
  })
})

describe("the Redis of compose", () => {
  const { networks, services } = Bun.YAML.parse(read("compose.yaml")) as Yaml

  it("has a password, and only the replicas reach it", () => {
    const { command, environment, networks: own } = services.redis
    assert.deepStrictEqual(command.slice(-2), ["--requirepass", environment.REDISCLI_AUTH])
    assert.include(services["wallet-data-1"].environment.REDIS_URL, `:${environment.REDISCLI_AUTH}@redis:`)
    assert.deepStrictEqual([own, networks.store], [["store"], { internal: true }])
    const others = Object.entries<Yaml>(services).filter(([, service]) =>
      [service.networks ?? []].flat().some((network) => network === "store" || network.store !== undefined)
    )
    assert.sameMembers(
      others.map(([name]) => name),
      ["redis", "wallet-data-1", "wallet-data-2"]
    )
  })
})

describe("kubernetes", () => {
  const { configMapGenerator, resources } = Bun.YAML.parse(read("kubernetes/kustomization.yaml")) as Yaml
  const objects = resources.flatMap((path: string) => Bun.YAML.parse(read(`kubernetes/${path}`))) as ReadonlyArray<Yaml>
  const find = (kind: string, name = "wallet-data") =>
    objects.find((resource) => resource.kind === kind && resource.metadata.name === name)
  const deployment = find("Deployment").spec
  const [container] = deployment.template.spec.containers

  it("the base includes every file of its folder, and generates the map of the service", () => {
    assert.sameMembers([...resources, "kustomization.yaml"], readdirSync(deploy("kubernetes")))
    assert.deepStrictEqual(
      configMapGenerator.map(({ name }: Yaml) => name),
      container.envFrom.map(({ configMapRef }: Yaml) => configMapRef.name)
    )
  })

  it.live("sets known variables, and a grace period longer than the shutdown delay", function* () {
    const data = Object.fromEntries(configMapGenerator[0].literals.map((text: string) => text.split("=")))
    const known = yield* variables
    for (const name of Object.keys(data)) assert.include(known, name)
    const { template } = deployment
    assert.isAbove(template.spec.terminationGracePeriodSeconds, Number(data.SHUTDOWN_DELAY_MS) / 1000 + 10)
    assert.strictEqual(template.metadata.annotations["prometheus.io/port"], data.METRICS_PORT)
    assert.strictEqual(
      String(container.ports.find(({ name }: Yaml) => name === "metrics").containerPort),
      data.METRICS_PORT
    )
  })

  it("scales the service, whose replicas it leaves to the autoscaler", () => {
    const { maxReplicas, minReplicas, scaleTargetRef } = find("HorizontalPodAutoscaler").spec
    assert.deepStrictEqual(scaleTargetRef, { apiVersion: "apps/v1", kind: "Deployment", name: "wallet-data" })
    assert.isUndefined(deployment.replicas)
    assert.isAbove(container.resources.requests.cpu.length, 0)
    // A disruption may stop a pod while another one serves.
    assert.isAtLeast(minReplicas, 2)
    assert.isAbove(maxReplicas, minReplicas)
    assert.strictEqual(find("PodDisruptionBudget").spec.maxUnavailable, 1)
  })

  it.live("the service reaches DNS, Redis, a collector and the default upstreams only", function* () {
    const { egress, ingress, podSelector, policyTypes } = find("NetworkPolicy").spec
    assert.deepStrictEqual(podSelector, deployment.selector)
    assert.deepStrictEqual(policyTypes, ["Ingress", "Egress"])
    const [, metrics] = ingress
    assert.deepStrictEqual(
      ingress.map(({ ports }: Yaml) => ports),
      [[{ port: "http" }], [{ port: "metrics" }]]
    )
    assert.lengthOf(metrics.from, 1)
    const redis = egress.find(({ ports }: Yaml) => ports[0].port === "redis")
    const upstreams = egress.at(-1)
    assert.lengthOf(egress, 5)
    assert.deepStrictEqual(redis.to, [{ podSelector: find("Deployment", "wallet-data-redis").spec.selector }])
    assert.sameMembers(
      upstreams.ports.map(({ port }: Yaml) => port),
      yield* upstreamPorts
    )
    // The address of a cloud's metadata service.
    assert.include(upstreams.to[0].ipBlock.except, "169.254.0.0/16")
  })

  it("the ingress forwards to the service with the values of nginx.conf, and never retries the funding GET", () => {
    const nginx = read("nginx.conf")
    for (const [name, path, values] of [
      ["wallet-data", "/", { "proxy-next-upstream": "error timeout http_503", "proxy-next-upstream-tries": "2" }],
      ["wallet-data-funding", "/utils/fund-testnet-account", { "proxy-next-upstream": "off" }]
    ] as const) {
      const { metadata, spec } = find("Ingress", name)
      const { host, http } = spec.rules[0]
      const backend = { service: { name: "wallet-data", port: { name: find("Service").spec.ports[0].name } } }
      assert.deepStrictEqual(http.paths, [{ path, pathType: "Prefix", backend }])
      assert.deepStrictEqual(spec.tls, [{ hosts: [host], secretName: "wallet-data-tls" }])
      const annotations = Object.fromEntries(
        Object.entries<string>(metadata.annotations).map(([key, value]) => [key.split("/")[1], value])
      )
      assert.deepInclude(annotations, values)
      assert.include(nginx, `location ${path} {`)
      for (const [key, value] of Object.entries(annotations))
        if (key.startsWith("proxy-") && key !== "proxy-body-size")
          assert.match(nginx, new RegExp(`${key.replaceAll("-", "_")} ${value}s?;`), key)
      assert.include(nginx, `client_max_body_size ${annotations["proxy-body-size"]};`)
      assert.include(nginx, `limit_conn clients ${annotations["limit-connections"]};`)
    }
  })

  it("every place has the same limit of request heads: a large raw transaction in a query fits, and little more", () => {
    assert.isAtLeast(longestHead, 400_000 + 8_192)
    assert.isAtMost(longestHead, 512_000)
    const buffers = `4 ${longestHead / 1024}k`
    assert.include(read("nginx.conf"), `large_client_header_buffers ${buffers};`)
    assert.include(read("kubernetes/ingress.yaml"), `large-client-header-buffers: "${buffers}"`)
    for (const [file, count] of Object.entries({ "package.json": 2, "docs/operating.md": 2 }))
      assert.deepStrictEqual(
        readFileSync(file, "utf8").match(/--max-http-header-size=\d+/g),
        Array(count).fill(headLimit),
        file
      )
  })

  it("Redis has a password, and only the service reaches it", () => {
    const secretOf = (name: string, variable: string) =>
      find("Deployment", name).spec.template.spec.containers[0].env.find((entry: Yaml) => entry.name === variable)
        .valueFrom.secretKeyRef
    assert.deepStrictEqual(secretOf("wallet-data", "REDIS_URL"), { name: "wallet-data-redis", key: "url" })
    assert.deepStrictEqual(secretOf("wallet-data-redis", "REDIS_PASSWORD"), {
      name: "wallet-data-redis",
      key: "password"
    })
    const [redis] = find("Deployment", "wallet-data-redis").spec.template.spec.containers
    assert.deepStrictEqual(redis.args.slice(-2), ["--requirepass", "$(REDIS_PASSWORD)"])
    const { port } = find("Service", "wallet-data-redis").spec.ports[0]
    for (const path of ["kubernetes/kustomization.yaml", "README.md"])
      assert.match(read(path), new RegExp(`url=redis://default:\\$\\w+@wallet-data-redis:${port}\n`))
    const policy = find("NetworkPolicy", "wallet-data-redis").spec
    assert.deepStrictEqual(policy.podSelector, find("Deployment", "wallet-data-redis").spec.selector)
    const [{ from, ports }] = policy.ingress
    assert.deepStrictEqual(from, [{ podSelector: find("Deployment").spec.selector }])
    assert.deepStrictEqual(ports, [{ port: redis.ports[0].name }])
  })

  it("selectors, ports, volumes and maps match each other", () => {
    for (const name of ["wallet-data", "wallet-data-redis"]) {
      const { selector, template } = find("Deployment", name).spec
      const service = find("Service", name).spec
      assert.deepStrictEqual(selector.matchLabels, template.metadata.labels)
      assert.deepStrictEqual(service.selector, template.metadata.labels)
      const [container] = template.spec.containers
      const ports = container.ports.map((port: Yaml) => port.name)
      for (const { targetPort } of service.ports) assert.include(ports, targetPort)
      for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
        const { httpGet } = container[probe] ?? {}
        if (httpGet !== undefined) assert.include(ports, httpGet.port)
      }
      const mounted = container.volumeMounts.map((mount: Yaml) => mount.name)
      assert.sameMembers(
        mounted,
        template.spec.volumes.map((volume: Yaml) => volume.name)
      )
      assert.isTrue(template.spec.securityContext.runAsNonRoot)
      assert.isTrue(container.securityContext.readOnlyRootFilesystem)
    }
    assert.deepStrictEqual(
      find("PodDisruptionBudget").spec.selector.matchLabels,
      find("Deployment").spec.template.metadata.labels
    )
  })
})

describe("the Dockerfile", () => {
  const lines = read("Dockerfile")
    .replaceAll(/ \\\n */g, " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const valueOf = (instruction: string) =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1))

  it("uses known instructions, an empty base image and an unprivileged user", () => {
    for (const line of lines)
      assert.match(
        line,
        /^(ARG|FROM|LABEL|WORKDIR|COPY|RUN|USER|VOLUME|ENV|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) \S/
      )
    assert.strictEqual(valueOf("FROM").at(-1), "scratch")
    assert.deepStrictEqual(valueOf("USER"), ["65532:65532"])
    assert.include(read("rootfs.sh"), "chown 65532:65532")
  })

  it("installs the dependencies before it copies the sources, and copies files that exist", () => {
    const copies = valueOf("COPY").filter((words) => !words.startsWith("--from"))
    const sources = copies.map((words) => words.split(" ").slice(0, -1))
    for (const path of sources.flat()) assert.isTrue(existsSync(path), path)
    assert.includeMembers(sources[0] ?? [], ["package.json", "bun.lock"])
    const [manifests, install, other] = lines.filter((line) => /^(COPY|RUN) /.test(line))
    assert.deepStrictEqual([manifests, install], [`COPY ${copies[0]}`, "RUN bun install --frozen-lockfile"])
    assert.notInclude(manifests, "src")
    assert.match(other ?? "", /^COPY /)
  })

  it("takes the build image, the version and the revision as arguments", () => {
    const [image, ...others] = valueOf("ARG")
    assert.match(readFileSync("README.md", "utf8"), new RegExp(`bun@${/:([\d.]+)-debian$/.exec(image ?? "")?.[1]} `))
    assert.deepStrictEqual(others, ["REVISION=unknown", "VERSION=unknown", "REVISION=unknown"])
    assert.match(valueOf("FROM")[0] ?? "", /^\$\{BUN_IMAGE\} AS build$/)
    const labels = new Map(
      [
        ...valueOf("LABEL")
          .join()
          .matchAll(/(\S+)="([^"]*)"/g)
      ].map(([, key, text]) => [key, text])
    )
    assert.strictEqual(labels.get("org.opencontainers.image.version"), "$VERSION")
    assert.strictEqual(labels.get("org.opencontainers.image.revision"), "$REVISION")
    assert.include(valueOf("RUN"), "COMMIT=$REVISION bun scripts/build.ts")
  })

  it("starts its binary and uses it as health check", () => {
    const [entry] = JSON.parse(valueOf("ENTRYPOINT").join())
    assert.include(read("rootfs.sh"), `"$root${entry}"`)
    assert.match(valueOf("HEALTHCHECK").join(), new RegExp(`CMD \\["${entry}", "health"\\]$`))
    assert.deepStrictEqual(JSON.parse(valueOf("CMD").join()), ["serve"])
    for (const path of ["deploy/rootfs.sh"]) assert.include(valueOf("RUN").join(), path)
  })
})

describe("the unit", () => {
  const unit = read("wallet-data.service")
  const whole = unit
    .replaceAll(/^#(?=\w+=)/gm, "")
    .replace("SupplementaryGroups=wallet-data-keys", "SupplementaryGroups=root")
  const setting = (name: string) => [...whole.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value)

  it("is started when the port is open, and restarted when it stands still", () => {
    assert.deepStrictEqual(setting("Type"), ["notify"])
    assert.deepStrictEqual(setting("WatchdogSec"), ["30"])
    assert.deepStrictEqual(setting("Restart"), ["always"])
    // Only the process that systemd started may send messages, which is the default.
    assert.deepStrictEqual(setting("NotifyAccess"), [])
  })

  it("has secrets of upstreams as credentials, and keys of clients in a file that a reload reads again", () => {
    const files = setting("Environment").flatMap((value = "") => /^(\w+_FILE)=(.*)$/.exec(value)?.slice(1) ?? [])
    assert.deepStrictEqual(files, [
      "COINGECKO_API_KEY_FILE",
      "%d/coingecko",
      "API_KEYS_FILE",
      "/etc/wallet-data/keys.json"
    ])
    assert.deepStrictEqual(setting("LoadCredential"), ["coingecko:/etc/wallet-data/coingecko"])
    assert.deepStrictEqual(setting("ExecReload"), ["/bin/kill -HUP $MAINPID"])
    // A mount of the file itself would not show the file that replaces it.
    assert.deepStrictEqual(setting("BindReadOnlyPaths"), [])
  })

  it.skipIf(isMissing("systemd-analyze")).each([
    ["as it is", unit],
    ["with its commented lines", whole]
  ])("passes systemd-analyze verify %s", (_, unit) => {
    const folder = mkdtempSync(join(tmpdir(), "wallet-data-"))
    assert.include(unit, "ExecStart=/usr/local/bin/wallet-data serve\n")
    writeFileSync(join(folder, "wallet-data.service"), unit.replace("/usr/local/bin/wallet-data serve", "/bin/true"))
    const { exitCode, output } = runTool("systemd-analyze", "verify", join(folder, "wallet-data.service"))
    rmSync(folder, { recursive: true })
    assert.strictEqual(output, "")
    assert.strictEqual(exitCode, 0)
  })
})

describe("the documents", () => {
  it("quote the shipped nginx configuration", () => {
    const [, block = ""] = /```nginx\n([\s\S]+?)```/.exec(readFileSync("docs/operating.md", "utf8")) ?? []
    assert.strictEqual(block, read("nginx.conf"))
  })

  it("name files that exist", () => {
    const links = [...read("README.md").matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path)
    assert.isAbove(links.length, 6)
    for (const path of links) assert.isTrue(existsSync(join(dirname(deploy("README.md")), path)), path)
  })
})
