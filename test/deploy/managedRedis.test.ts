import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { Settings } from "../../src/settings/Settings.ts"
import * as Stores from "../../src/storage/Stores.ts"
import { assert, describe, it } from "../support/vitest.ts"

// biome-ignore lint/suspicious/noExplicitAny: the form of a patch is what this file tests
type Yaml = any

const read = (path: string) => readFileSync(resolve("deploy", path), "utf8")

describe("the component of a managed Redis", () => {
  const { patches } = Bun.YAML.parse(read("managed-redis/kustomization.yaml")) as Yaml
  const base = Bun.YAML.parse(read("kubernetes/wallet-data.yaml")) as ReadonlyArray<Yaml>

  it("changes objects of the base at places that exist", () => {
    for (const { patch, target } of patches) {
      const object = base.find(({ kind, metadata }) => kind === target.kind && metadata.name === target.name)
      assert.isDefined(object)
      for (const { op, path } of Bun.YAML.parse(patch) as Yaml) {
        assert.strictEqual(op, "add")
        const steps = path.split("/").slice(1, -1) as ReadonlyArray<string>
        assert.isArray(steps.reduce((found: Yaml, step) => found?.[step], object))
      }
    }
  })

  it("sets variables of the service, and a file that it mounts", function* () {
    const added = patches.flatMap(({ patch }: Yaml) => (Bun.YAML.parse(patch) as Yaml).map(({ value }: Yaml) => value))
    const names = added.flatMap(({ name, mountPath, secret }: Yaml) => ((mountPath ?? secret) ? [] : (name ?? [])))
    assert.sameMembers(names, ["REDIS_LIMITS_URL", "REDIS_CA_FILE"])
    const declared = yield* Effect.zipRight(
      Stores.settings,
      Effect.flatMap(Settings, ({ declared }) => declared)
    ).pipe(Effect.provide(Settings.layer({})))
    for (const name of names)
      assert.include(
        declared.map((one) => one.name),
        name
      )
    const { value } = added.find(({ name }: Yaml) => name === "REDIS_CA_FILE")
    const { mountPath } = added.find(({ mountPath }: Yaml) => mountPath !== undefined)
    assert.isTrue(value.startsWith(`${mountPath}/`))
  })
})
