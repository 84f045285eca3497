import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { start } from "../test/support/process.ts"

// Parts of the scripts that try the packages as their users install them.

export const root = resolve(import.meta.dir, "..")
export const bun = process.execPath
export const tsc = join(root, "node_modules/typescript/bin/tsc")

/** Timeout of each program, ms. */
const patience = 240_000

/** Outside of the repository, so that its node_modules are not found. */
export const project = realpathSync(mkdtempSync(join(tmpdir(), "wallet-data-package-")))

/** Without the settings of the npm that runs this script, and without the `node` that Bun puts first: it is Bun. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_cache$)/i.test(name))),
  PATH: (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("/bun-node-"))
    .join(":")
}

/** Runs a program and returns its output; throws if it fails. */
export const run = (command: ReadonlyArray<string>, cwd = project): string => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], {
    cwd,
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
    timeout: patience
  })
  if (exitCode === 0) return stdout.toString()
  throw new Error(`${command.join(" ")} ended with ${exitCode}\n${stdout}${stderr}`)
}

/** Runs a program of an npm package at this version. */
export const npx = (tool: string, ...command: ReadonlyArray<string>) => run(["npx", "-y", "-p", tool, "--", ...command])

export const step = async <A>(what: string, work: () => A | Promise<A>): Promise<A> => {
  const before = performance.now()
  const result = await work()
  console.log(`${what} (${((performance.now() - before) / 1000).toFixed(1)} s)`)
  return result
}

/** Builds and packs the package in a folder into the project; returns the name of the tarball. */
export const pack = (folder: string): string =>
  run(["npm", "pack", "--silent", "--pack-destination", project], folder).trim().split("\n").at(-1) ?? ""

/** Starts a service over simulated upstreams for the client, and returns its URL. */
export const service = Effect.gen(function* () {
  const env = { ...process.env, UPSTREAMS: "sandbox", CACHE: "memory", PORT: "0", HOST: "127.0.0.1" }
  const { until } = yield* start([bun, join(root, "src/main.ts"), "serve"], { cwd: project, env })
  const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
  return url
})

/** Tries a package; removes the project if it works. */
export const trial = async (work: () => Promise<void>) => {
  try {
    await work()
    rmSync(project, { recursive: true, force: true })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error(`the project is in ${project}`)
    process.exitCode = 1
  }
}
