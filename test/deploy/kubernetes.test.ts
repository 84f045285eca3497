import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { isMissing, tool } from "../support/tools.ts"

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, checked by their types below
type Yaml = any

const base = resolve("deploy/kubernetes")
const read = (path: string) => readFileSync(join("deploy", path), "utf8")

/** The objects of a text of several documents. */
const parsed = (text: string): ReadonlyArray<Yaml> => [Bun.YAML.parse(text)].flat()

const files = ["wallet-data.yaml", "redis.yaml", "ingress.yaml"].flatMap((file) => parsed(read(`kubernetes/${file}`)))

const find = (objects: ReadonlyArray<Yaml>, kind: string, name = "wallet-data") =>
  objects.find((item) => item.kind === kind && item.metadata.name === name)

const containerOf = (objects: ReadonlyArray<Yaml>, name?: string) =>
  find(objects, "Deployment", name).spec.template.spec.containers[0]

/** The objects that `kubectl apply -k` sends for this folder. */
const rendered = (folder: string) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([tool("kubectl") ?? "", "kustomize", folder], { stderr: "pipe" })
  assert.strictEqual(exitCode, 0, stderr.toString())
  return parsed(stdout.toString())
}

/** The module of kubernetes-types that declares the objects of an API version. */
const moduleOf = (apiVersion: string) =>
  `kubernetes-types/${(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace(/^([\w-]+)[^/]*\.k8s\.io/, "$1")}`

/** Members that Kubernetes does not have and values of other types, as the compiler reports them. */
const misfits = (objects: ReadonlyArray<Yaml>) => {
  const folder = mkdtempSync(join(tmpdir(), "wallet-data-"))
  const program = objects.map(
    (item, index) =>
      `import type { ${item.kind} as Type${index} } from "${moduleOf(item.apiVersion)}"\n` +
      `export const object${index}: Type${index} = ${JSON.stringify(item)}\n`
  )
  writeFileSync(join(folder, "objects.ts"), program.join(""))
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    lib: ["lib.es5.d.ts"],
    types: [],
    baseUrl: resolve("node_modules"),
    moduleResolution: ts.ModuleResolutionKind.Node10,
    ignoreDeprecations: "5.0"
  }
  const found = ts.getPreEmitDiagnostics(ts.createProgram([join(folder, "objects.ts")], options))
  rmSync(folder, { recursive: true })
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
}

describe("the base for Kubernetes", () => {
  it.skipIf(isMissing("kubectl"))("is built, and every object has the members and types of Kubernetes 1.30", () => {
    const objects = rendered(base)
    assert.sameMembers(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name.replace(/-[a-z0-9]{10}$/, "")}`),
      [...files.map(({ kind, metadata }) => `${kind} ${metadata.name}`), "ConfigMap wallet-data"]
    )
    assert.deepStrictEqual(misfits(objects), [])
    const wrong = structuredClone(objects)
    containerOf(wrong).readinessProbe.timeoutSecond = 3
    containerOf(wrong, "wallet-data-redis").resources.limits = "1Gi"
    const [member = "", type = "", ...more] = misfits(wrong)
    assert.deepStrictEqual(more, [])
    assert.match(`${member}\n${type}`, /timeoutSecond/)
    assert.match(`${member}\n${type}`, /'string' is not assignable/)
  })

  it.skipIf(isMissing("kubectl"))("runs the image that an overlay sets, as the README does", () => {
    const [, overlay = ""] = /\n {4}(resources: \[[\s\S]+?)\n\n(?! {4})/.exec(read("README.md")) ?? []
    const folder = mkdtempSync(join(tmpdir(), "wallet-data-"))
    mkdirSync(join(folder, "overlay"))
    const text = overlay.replace("../wallet-data/deploy/kubernetes", relative(join(folder, "overlay"), base))
    writeFileSync(join(folder, "overlay/kustomization.yaml"), text.replace(/^ {4}/gm, ""))
    const objects = rendered(join(folder, "overlay"))
    rmSync(folder, { recursive: true })
    assert.strictEqual(containerOf(objects).image, "registry.example/wallet-data:0.1.0")
    assert.strictEqual(find(objects, "Ingress").spec.rules[0].host, "wallet.example")
  })

  it("has no image that others can publish, so that an overlay must set it", () => {
    assert.strictEqual(containerOf(files).image, "registry.invalid/wallet-data")
    assert.match(containerOf(files, "wallet-data-redis").image, /^redis:\d/)
  })

  it("reaches DNS of the cluster, of NodeLocal DNSCache and of OpenShift, and a collector", () => {
    const { egress } = find(files, "NetworkPolicy").spec
    const inNamespace = (name: string) => ({
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } }
    })
    const both = (port: number) => [
      { port, protocol: "UDP" },
      { port, protocol: "TCP" }
    ]
    const dns = { ...inNamespace("kube-system"), podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }
    for (const rule of [
      { ports: both(53), to: [dns, { ipBlock: { cidr: "169.254.20.10/32" } }] },
      { ports: both(5353), to: [inNamespace("openshift-dns")] },
      { ports: [{ port: 4318 }], to: [inNamespace("monitoring")] }
    ])
      assert.deepInclude(egress, rule)
  })

  it("has probes that bear a slow second, and end before the shutdown delay", () => {
    const { livenessProbe, readinessProbe, startupProbe } = containerOf(files)
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) assert.isAtLeast(probe.timeoutSeconds, 2)
    assert.isAtLeast(readinessProbe.failureThreshold, 2)
    const [, delay = ""] = /SHUTDOWN_DELAY_MS=(\d+)/.exec(read("kubernetes/kustomization.yaml")) ?? []
    const { failureThreshold, periodSeconds, timeoutSeconds } = readinessProbe
    assert.isBelow(failureThreshold * periodSeconds + timeoutSeconds, Number(delay) / 1000)
  })

  it("never runs two Redis, and restarts one that hangs", () => {
    assert.deepStrictEqual(find(files, "Deployment", "wallet-data-redis").spec.strategy, { type: "Recreate" })
    const { env, livenessProbe, readinessProbe } = containerOf(files, "wallet-data-redis")
    for (const { exec, timeoutSeconds } of [livenessProbe, readinessProbe]) {
      assert.deepStrictEqual(exec, { command: ["sh", "-c", "redis-cli ping | grep -q PONG"] })
      assert.isAtLeast(timeoutSeconds, 2)
    }
    const secretOf = (name: string) => env.find((item: Yaml) => item.name === name).valueFrom
    assert.deepStrictEqual(secretOf("REDISCLI_AUTH"), secretOf("REDIS_PASSWORD"))
  })

  it("counts the pod more of an update in the shares of the limits", () => {
    const [, replicas] = /REPLICAS=(\d+)/.exec(read("kubernetes/kustomization.yaml")) ?? []
    const { maxSurge } = find(files, "Deployment").spec.strategy.rollingUpdate
    assert.strictEqual(Number(replicas), find(files, "HorizontalPodAutoscaler").spec.maxReplicas + maxSurge)
  })

  it("bounds every folder of a pod", () => {
    for (const name of ["wallet-data", "wallet-data-redis"])
      for (const { emptyDir, name: volume } of find(files, "Deployment", name).spec.template.spec.volumes)
        if (emptyDir !== undefined) assert.match(emptyDir.sizeLimit ?? "", /^\d+[MG]i$/, `${name}: ${volume}`)
  })
})

describe("compose", () => {
  it("has a parent that replaces a frozen process of each replica", () => {
    const { services } = Bun.YAML.parse(read("compose.yaml")) as Yaml
    for (const name of ["wallet-data-1", "wallet-data-2"])
      assert.isAtLeast(Number(services[name].environment.WORKERS ?? 1), 2, name)
  })

  it("lists in the README what only a cluster or a container runtime shows", () => {
    const [, list = ""] = /## Not tried\n\n([\s\S]+?)(\n## |$)/.exec(read("README.md")) ?? []
    for (const word of [
      "NodeLocal DNSCache",
      "OpenShift",
      "collector",
      "registry.invalid",
      "sizeLimit",
      "Recreate",
      "WORKERS"
    ])
      assert.include(list, word)
  })
})
