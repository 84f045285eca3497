// Tests the library as its users install it: builds and packs it, installs the tarball in an empty project outside the
// repository, compiles the examples there with `strict`, and runs them.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import manifest from "../package.json" with { type: "json" }
import { start } from "../test/support/process.ts"

const root = resolve(import.meta.dir, "..")
const bun = process.execPath
const tsc = join(root, "node_modules/typescript/bin/tsc")

/** Timeout of each program, ms. */
const patience = 240_000

/** Outside of the repository, so that its node_modules are not found. */
const project = realpathSync(mkdtempSync(join(tmpdir(), "wallet-data-package-")))

/** Runs a program and returns its output; throws if it fails. */
const run = (command: ReadonlyArray<string>, cwd = project): string => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
    timeout: patience
  })
  if (exitCode === 0) return stdout.toString()
  throw new Error(`${command.join(" ")} ended with ${exitCode}\n${stdout}${stderr}`)
}

const step = async <A>(what: string, work: () => A | Promise<A>): Promise<A> => {
  const before = performance.now()
  const result = await work()
  console.log(`${what} (${((performance.now() - before) / 1000).toFixed(1)} s)`)
  return result
}

const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [{ name: manifest.name + name.slice(1), target }]
)

const examples = readdirSync(join(root, "examples"))

/** Builds and packs the library; returns the name of the tarball. */
const pack = () => {
  run([bun, "run", "build:lib"], root)
  run(["npm", "pack", "--silent", "--pack-destination", project], root)
  const [tarball = ""] = readdirSync(project).filter((name) => name.endsWith(".tgz"))
  return tarball
}

/** Installs the dependencies of the examples, and this package from the tarball. */
const install = (tarball: string) => {
  const named = examples.map((name) => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, "examples", name, "package.json"), "utf8")
    )
    return { ...dependencies, ...devDependencies }
  })
  const { typescript: _, ...dependencies } = Object.assign({}, ...named, { "wallet-data": `file:./${tarball}` })
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "trial", private: true, type: "module", dependencies }, undefined, 2)
  )
  run([bun, "install", "--prefer-offline", "--silent"])
  // Tags and classes of two copies would not be equal.
  for (const name of ["effect", "@effect/platform", "@effect/platform-bun"]) {
    const copies = [...new Bun.Glob(`**/node_modules/${name}/package.json`).scanSync(project)]
    if (copies.length !== 1) throw new Error(`the project has ${copies.length} copies of ${name}: ${copies.join(", ")}`)
  }
  for (const { name, target } of entries)
    for (const path of Object.values(target))
      if (!existsSync(join(project, "node_modules/wallet-data", path)))
        throw new Error(`${name}: the package has no ${path}`)
}

/** Checks that the library contains the bundled page. */
const checkPage = () => {
  const program =
    'import { files } from "./node_modules/wallet-data/dist/lib/http/page/files.js"; console.log(files.length)'
  if (!(Number(run([bun, "-e", program])) > 2)) throw new Error("the library has no page")
}

/** Compiles with the compiler's defaults and `strict`; also checks the declarations of packages. */
const compile = () => {
  for (const name of examples) cpSync(join(root, "examples", name), join(project, name), { recursive: true })
  mkdirSync(join(project, "entries"))
  writeFileSync(
    join(project, "entries/all.ts"),
    entries.map(({ name }, index) => `export * as entry${index} from "${name}"`).join("\n")
  )
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        target: "esnext",
        module: "nodenext",
        outDir: "out",
        rootDir: ".",
        rewriteRelativeImportExtensions: true
      },
      include: [...examples, "entries"]
    })
  )
  run([bun, tsc, "-p", project])
}

/** Starts a service over simulated upstreams for the client, and returns its URL. */
const service = Effect.gen(function* () {
  const env = { ...process.env, UPSTREAMS: "sandbox", CACHE: "memory", PORT: "0", HOST: "127.0.0.1" }
  const { until } = yield* start([bun, join(root, "src/main.ts"), "serve"], { cwd: project, env })
  const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
  return url
})

const runWithBun = (name: string) =>
  name === "mocked-upstream" ? run([bun, "test", `./${name}`]) : run([bun, join(name, "main.ts")])

try {
  const tarball = await step("built and packed", pack)
  await step("installed", () => install(tarball))
  await step(`compiled: ${examples.join(", ")}`, compile)
  await step("the page is in the library", checkPage)
  await step("every entry is imported by Bun", () => run([bun, "out/entries/all.js"]))
  for (const name of examples.filter((example) => example !== "wallet-client"))
    await step(`${name} runs on Bun`, () => console.log(runWithBun(name).trimEnd()))
  const tried = Effect.andThen(service, async (url) => {
    for (const runtime of ["node", bun])
      await step(`wallet-client runs on ${runtime === bun ? "Bun" : "Node"}`, () =>
        console.log(run([runtime, "out/wallet-client/wallet.js", url]).trimEnd().split("\n").at(-1))
      )
  })
  await Effect.runPromise(Effect.scoped(tried))
  rmSync(project, { recursive: true, force: true })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.error(`the project is in ${project}`)
  process.exitCode = 1
}
