import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../../package.json" with { type: "json" }

interface Step {
  readonly run?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
}

interface Job {
  readonly if?: string
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: ReadonlyArray<Step>
}

const text = readFileSync(".github/workflows/release.yml", "utf8")
const { jobs, on, permissions } = Bun.YAML.parse(text) as {
  readonly jobs: Readonly<Record<string, Job>>
  readonly on: unknown
  readonly permissions: unknown
}
const steps = Object.values(jobs).flatMap((job) => job.steps)
const commands = steps.flatMap(({ run }) => run ?? [])

describe("the workflow of a release", () => {
  it("runs for tags of versions only, after the gate has passed", () => {
    assert.deepStrictEqual(on, { push: { tags: ["v*"] } })
    assert.match(jobs.test?.steps.map(({ run }) => run ?? "").join("\n") ?? "", /\.ci\/run$/)
    assert.strictEqual(jobs.programs?.needs, "test")
    for (const [name, { needs }] of Object.entries(jobs))
      if (!["test", "programs"].includes(name)) assert.strictEqual(needs, "programs", name)
  })

  it("uses commands and files that exist, and the runtime of the project", () => {
    const used = commands.flatMap((command) => [...command.matchAll(/bun@(\S+) run (\S+)/g)])
    assert.isNotEmpty(used)
    for (const [, , script = ""] of used) assert.property(manifest.scripts, script)
    const [, version] = /bun@(\S+)/.exec(manifest.scripts.prepack) ?? []
    for (const [, other] of commands.join("\n").matchAll(/bun@(\S+)/g)) assert.strictEqual(other, version)
    for (const { with: { file } = {} } of steps) if (file !== undefined) assert.isTrue(existsSync(file), file)
    assert.match(readFileSync("scripts/release/documents.ts", "utf8"), /`CHANGELOG-\$\{version\}\.md`/)
  })

  it("signs what it publishes, with rights of each job only, and names no registry", () => {
    assert.deepStrictEqual(permissions, { contents: "read" })
    for (const [name, { permissions: rights, steps }] of Object.entries(jobs)) {
      const publishes = steps.some(({ run = "", uses = "" }) => /gh release|npm publish|build-push/.test(run + uses))
      assert.strictEqual(rights?.["id-token"] === "write", publishes, name)
      const signs = steps.some(({ run = "", uses = "" }) => /--provenance|attest-build-provenance/.test(run + uses))
      assert.strictEqual(signs, publishes, name)
    }
    assert.notMatch(text, /npmjs|ghcr|docker\.io|quay/)
  })

  it("names its settings, which docs/releases.md explains", () => {
    const docs = readFileSync("docs/releases.md", "utf8")
    const settings = [...new Set([...text.matchAll(/\b(?:vars|secrets)\.(\w+)/g)].map(([, name = ""]) => name))]
    assert.isNotEmpty(settings)
    for (const name of settings) assert.include(docs, `\`${name}\``)
  })
})
