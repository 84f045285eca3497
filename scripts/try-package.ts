// Tests the library as its users install it: builds and packs it, installs the tarball in an empty project outside the
// repository, compiles the examples there with `strict`, and runs them.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import manifest from "../package.json" with { type: "json" }
import { bun, pack, project, root, run, service, step, trial, tsc } from "./trial.ts"

const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [{ name: manifest.name + name.slice(1), target }]
)

const examples = readdirSync(join(root, "examples"))

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

const runWithBun = (name: string) =>
  name === "mocked-upstream" ? run([bun, "test", `./${name}`]) : run([bun, join(name, "main.ts")])

await trial(async () => {
  const tarball = await step("built and packed", () => pack(root))
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
})
