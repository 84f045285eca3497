import { bun, npx, run } from "../trial.ts"
import { bundle } from "./bundle.ts"
import { chromium } from "./chromium.ts"
import type { Engine } from "./engine.ts"
import { hermes } from "./hermes.ts"
import { workerd } from "./workerd.ts"

const use = "main(client, url).then(console.log, (error) => { console.error(error); process.exit(1) })"
const esm = () =>
  bundle({
    file: "out/trial.mjs",
    format: "esm",
    loads: true,
    use: `import process from "node:process"; const url = process.argv[2]; ${use}`
  })
const cjs = () =>
  bundle({ file: "out/trial.cjs", format: "cjs", loads: true, use: `const url = process.argv[2]; ${use}` })

/** Loads the package as an ES module and as CommonJS. */
const node = (major: number): Engine => {
  const program = (...command: ReadonlyArray<string>) => npx(`node@${major}`, "node", ...command)
  return {
    name: `Node ${major}`,
    version: () => program("--version"),
    run: async (url) => {
      program("--expose-gc", await cjs(), url)
      return program("--expose-gc", await esm(), url)
    }
  }
}

const bunItself: Engine = {
  name: "Bun",
  version: () => run([bun, "--version"]),
  run: async (url) => run([bun, await esm(), url])
}

const deno: Engine = {
  name: "Deno",
  version: () => npx("deno@2", "deno", "--version").split("\n")[0] ?? "",
  run: async (url) => npx("deno@2", "deno", "run", "--allow-net", await esm(), url)
}

/** All engines that docs/client.md says the client runs on. */
export const engines: ReadonlyArray<Engine> = [...[20, 22, 24].map(node), bunItself, deno, workerd, chromium, hermes]
