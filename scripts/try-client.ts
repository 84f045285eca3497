// Tests the package of the promise client as its users install it: packs it, checks the package with publint and attw,
// compiles programs in both module systems, and calls a service with it in every runtime.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { chromium } from "playwright-core"
import { isMissing, tool } from "../test/support/tools.ts"
import { bun, pack, project, root, run, service, step, trial, tsc } from "./trial.ts"

const packageName = "wallet-data-client"

/** Runs a program of an npm package at this version. */
const npx = (tool: string, ...command: ReadonlyArray<string>) => run(["npx", "-y", "-p", tool, "--", ...command])

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

/** Writes the trial as an ES module, in CommonJS and as a script for pages. */
const bundle = async () => {
  const [esm, cjs, page] = ["out/trial.mjs", "out/trial.cjs", "out/page.js"]
  mkdirSync(join(project, "out"))
  const path = join(root, "scripts/clientTrial.ts")
  const end = "main(client, url).then(console.log, (error) => { console.error(error); process.exit(1) })"
  const sources = [
    [esm, "esm", `import process from "node:process"; const url = process.argv[2]; ${end}`],
    [cjs, "cjs", `const url = process.argv[2]; ${end}`],
    [page, "iife", "globalThis.trial = (url) => main(client, url)"]
  ] as const
  for (const [file, format, use] of sources) {
    const entry = join(project, `${file}.ts`)
    const load =
      format === "cjs" ? `const client = require("${packageName}")` : `import * as client from "${packageName}"`
    writeFileSync(entry, `import { main } from "${path}"\n${load}\n${use}\n`)
    const external = format === "iife" ? [] : [packageName]
    const { outputs } = await Bun.build({ entrypoints: [entry], format, external, target: "node" })
    writeFileSync(join(project, file), (await outputs[0]?.text()) ?? "")
  }
  return { esm, cjs, page }
}

/** Runs the trial in a page of the service, because a page may call its own origin only. */
const inChromium = async (file: string, url: string) => {
  const browser = await chromium.launch({ executablePath: tool("chromium") ?? "", args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage()
    await page.goto(`${url}/health/live`)
    await page.evaluate(await Bun.file(join(project, file)).text())
    return String(await page.evaluate(`trial(${JSON.stringify(url)})`))
  } finally {
    await browser.close()
  }
}

await trial(async () => {
  const tarball = await step(`packed ${packageName}`, () => pack(join(root, "packages/client")))
  await step("publint and attw find nothing", () => lint(tarball))
  await step("installed", () => install(tarball))
  await step("compiled as an ES module and as CommonJS", compile)
  const { cjs, esm, page } = await bundle()
  const runs: ReadonlyArray<readonly [string, (url: string) => string | Promise<string>]> = [
    ...["20", "22"].flatMap((version) =>
      [esm, cjs].map(
        (file) =>
          [
            `Node ${version}, ${file}`,
            (url: string) => npx(`node@${version}`, "node", "--expose-gc", file, url)
          ] as const
      )
    ),
    ["Bun", (url) => run([bun, esm, url])],
    ["Deno", (url) => npx("deno@2", "deno", "run", "--allow-net", esm, url)]
  ]
  const tryAll = async (url: string) => {
    for (const [runtime, work] of runs)
      await step(`runs on ${runtime}`, async () => console.log(`${(await work(url)).trim()} balances`))
    if (isMissing("chromium")) console.log("skipped because a program is not installed: Chromium")
    else await step("runs on Chromium", async () => console.log(`${await inChromium(page, url)} balances`))
  }
  const tried = Effect.flatMap(service, (url) => Effect.tryPromise({ try: () => tryAll(url), catch: (error) => error }))
  await Effect.runPromise(Effect.scoped(tried))
})
