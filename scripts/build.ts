// Builds the binary for this machine, dist/wallet-data, or for another: `bun scripts/build.ts [TARGET]`.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { brotliCompressSync } from "node:zlib"
import { packagesIn, parseLock } from "./release/billOfMaterials.ts"

const root = resolve(import.meta.dir, "..")

/** Targets of releases, and their names for Bun. The baseline runtime also works on processors without AVX2. */
export const targets = {
  "linux-x64": "bun-linux-x64-baseline",
  "linux-x64-musl": "bun-linux-x64-musl-baseline",
  "linux-arm64": "bun-linux-arm64",
  "linux-arm64-musl": "bun-linux-arm64-musl",
  "darwin-x64": "bun-darwin-x64-baseline",
  "darwin-arm64": "bun-darwin-arm64",
  "windows-x64": "bun-windows-x64-baseline"
} as const

export type Target = keyof typeof targets

/** The longest request head, bytes: a raw transaction of 400,000 hexadecimal digits in the query, and all other fields. */
export const longestHead = 400 * 1024

/** Flag of Bun for {@link longestHead}. Bun keeps an unfinished head of that size for each connection. */
export const headLimit = `--max-http-header-size=${longestHead}`

export const isTarget = (name: string): name is Target => Object.hasOwn(targets, name)

/** Runs git; returns its output, or undefined if it fails or is missing, for example in a copy without history. */
export const git = (...words: ReadonlyArray<string>): string | undefined => {
  if (Bun.which("git") === null) return undefined
  const { stdout, success } = Bun.spawnSync(["git", ...words], { cwd: root, stderr: "ignore" })
  return success ? stdout.toString().trim() : undefined
}

/** The commit of the sources, with `-dirty` if files were changed. The variable COMMIT sets it in a copy without history. */
const commitOf = (): string => {
  const commit = git("rev-parse", "HEAD")
  if (commit === undefined) return process.env.COMMIT || "unknown"
  return git("status", "--porcelain") === "" ? commit : `${commit}-dirty`
}

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { bytesInOutput: number }>> }>>
}

/** Paths of the modules that have code in the outputs of a bundler, relative to the repository. */
export const modulesOf = ({ outputs }: Metafile): ReadonlyArray<string> =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
  )

/** Licenses of all parts of the binary; throws if a part has none. In another process, because this one does not wait. */
const printLicenses = () => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, "scripts/licenses.ts"], {
    cwd: root,
    stderr: "pipe"
  })
  if (exitCode !== 0) throw new Error(`the licenses of the binary are not complete: ${stderr}`)
  return stdout.toString()
}

let printed: string | undefined
const licenses = () => (printed ??= printLicenses())

/** Flag of Bun for the texts that `wallet-data licenses` prints. */
export const licensesDefined = (text: string) =>
  `--define=WALLET_DATA_LICENSES=${JSON.stringify(brotliCompressSync(text).toString("base64"))}`

/** Throws if the binary has a package whose license it does not contain. */
const checkLicenses = (modules: ReadonlyArray<string>) => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  for (const { name, version } of packagesIn({ modules, lock: parseLock(read("bun.lock")), read }))
    if (!licenses().includes(`\n${name} ${version}: `))
      throw new Error(`${name} ${version} is in the binary, but its license is not`)
}

/**
 * Compiles the binary to this file, for this machine if no target is given. Returns the modules that it contains. Throws
 * if it cannot be compiled, or if a part has no license. The runtime of another target is downloaded once, from the npm
 * registry.
 */
export const compile = (file: string, target?: Target): ReadonlyArray<string> => {
  mkdirSync(join(root, "dist"), { recursive: true })
  // The compiler writes source maps next to the binary, which contains them too.
  const folder = mkdtempSync(join(root, "dist/compile-"))
  try {
    const { exitCode, stderr } = Bun.spawnSync(
      [
        process.execPath,
        "build",
        "--compile",
        ...(target === undefined ? [] : [`--target=${targets[target]}`]),
        "--minify",
        "--sourcemap",
        "--bytecode",
        "--splitting",
        "--format=esm",
        "--no-compile-autoload-dotenv",
        "--no-compile-autoload-bunfig",
        `--compile-exec-argv=${headLimit}`,
        `--define=WALLET_DATA_COMMIT=${JSON.stringify(commitOf())}`,
        licensesDefined(licenses()),
        `--metafile=${join(folder, "modules.json")}`,
        `--outfile=${join(folder, "wallet-data")}`,
        "src/main.ts"
      ],
      { cwd: root, stderr: "pipe" }
    )
    if (exitCode !== 0)
      throw new Error(
        `${target ?? "the binary"} cannot be compiled: ${stderr}${/download/.test(`${stderr}`) ? "Bun downloads the runtime of a target once, from the npm registry, which it must be able to reach.\n" : ""}`
      )
    const binary = readdirSync(folder).find((name) => /^wallet-data(\.exe)?$/.test(name))
    if (binary === undefined) throw new Error(`the compiler wrote no binary:\n${stderr}`)
    const modules = modulesOf(JSON.parse(readFileSync(join(folder, "modules.json"), "utf8")))
    checkLicenses(modules)
    renameSync(join(folder, binary), file)
    return modules
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [target] = process.argv.slice(2)
  const known = target === undefined || isTarget(target) ? target : undefined
  if (target !== known) {
    console.error(`unknown target ${target}; targets: ${Object.keys(targets).join(", ")}`)
    process.exit(1)
  }
  const file = join(root, `dist/wallet-data${known === undefined ? "" : `-${known}`}`)
  compile(file, known)
  console.log(file)
}
