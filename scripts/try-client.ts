// Tests the package of the promise client as its users install it: packs it, checks the package with publint and attw,
// compiles programs in both module systems, and calls a service with it in every runtime.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { packageName } from "./engines/bundle.ts"
import type { Engine } from "./engines/engine.ts"
import { engines } from "./engines/engines.ts"
import { bun, npx, pack, project, root, run, service, step, trial, tsc } from "./trial.ts"

const documentation = readFileSync(join(root, "docs/client.md"), "utf8")

const install = (tarball: string) => {
  const dependencies = { [packageName]: `file:./${tarball}` }
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "trial", private: true, dependencies }))
  run([bun, "install", "--silent"])
}

/** Checks that the package has the files that it names, and types that fit each module system. */
const lint = (tarball: string) => {
  npx("publint@0.3.25", "publint", "run", "--strict", join(project, tarball))
  npx("@arethetypeswrong/cli@0.18.5", "attw", join(project, tarball))
}

const program = `
const networks = { ethereum: ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"] }
export const total = async (baseUrl: string): Promise<number> => {
  const rows = await make({ baseUrl }).balances({ networks })
  // @ts-expect-error a balance is a text or null
  const wrong: number | undefined = rows[0]?.balance
  return rows.length
}
`

/** Compiles a program in both module systems, with `strict` and without the types of Node. */
const compile = () => {
  for (const extension of ["mts", "cts"])
    writeFileSync(join(project, `program.${extension}`), `import { make } from "${packageName}"\n${program}`)
  const lib = ["es2022", "dom", "dom.iterable"]
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2022", lib, types: [] }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["program.*"] }))
  run([bun, tsc, "-p", project])
}

/** Whether docs/client.md says that the engine cannot be started, with this error. */
const isDocumented = (name: string, message: string) => {
  const [, error] = new RegExp(`${name} cannot be started: \`([^\`]+)\``).exec(documentation) ?? []
  return error !== undefined && message.includes(error)
}

/** Starts an engine and returns its version; undefined if it does not start, which is an error where all must start. */
const versionOf = async ({ name, version }: Engine) => {
  try {
    return (await version()).trim()
  } catch (error) {
    const line = `${name} cannot be started: ${error instanceof Error ? error.message : error}`
    if (process.env.REQUIRE_TOOLS === "1" && !isDocumented(name, line)) throw new Error(line)
    console.log(`skipped: ${line}`)
    return undefined
  }
}

const tryAll = async (url: string) => {
  for (const engine of engines) {
    const version = await versionOf(engine)
    if (version === undefined) continue
    await step(`runs on ${engine.name}: ${version}`, async () => {
      const balances = (await engine.run(url)).trim()
      if (!(Number(balances) > 0)) throw new Error(`${engine.name} read no balances, but ${balances}`)
    })
  }
}

await trial(async () => {
  const tarball = await step(`packed ${packageName}`, () => pack(join(root, "packages/client")))
  await step("publint and attw find nothing", () => lint(tarball))
  await step("installed", () => install(tarball))
  await step("compiled as an ES module and as CommonJS", compile)
  const tried = Effect.flatMap(service, (url) => Effect.tryPromise({ try: () => tryAll(url), catch: (error) => error }))
  await Effect.runPromise(Effect.scoped(tried))
})
