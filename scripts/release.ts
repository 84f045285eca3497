// Makes the files of a release in dist/release, or of some targets: `bun run release [--target NAME]...`. Uploads nothing.
// `bun run release --cut DATE` moves the changes in CHANGELOG.md from "Unreleased" to the version of package.json, and
// keeps the OpenAPI document of the version. The variable RELEASE_KEY contains the secret key that signs.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import manifest from "../package.json" with { type: "json" }
import { compile, git, isTarget, type Target, targets } from "./build.ts"
import { licensed, pageModules } from "./licenses.ts"
import { cut, sectionOf } from "./release/changelog.ts"
import { documentsOf } from "./release/documents.ts"
import { sealed, whole } from "./release/folder.ts"
import { parseSecretKey } from "./release/minisign.ts"
import { builderOf } from "./release/provenance.ts"
import { refusalsOf } from "./release/refusalsOf.ts"

const root = resolve(import.meta.dir, "..")
const folder = join(root, "dist/release")
const { license, name, version } = manifest
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** Where the document of this version is kept. */
const kept = `docs/openapi/${version}.json`

/** The OpenAPI document of this commit, with default settings. */
const openapi = () => {
  const env = { PATH: process.env.PATH ?? "" }
  const { stdout, success } = Bun.spawnSync([process.execPath, "src/main.ts", "openapi"], { cwd: root, env })
  if (!success) throw new Error("`wallet-data openapi` failed")
  return stdout.toString()
}

/** The library path of an emulator for Linux on arm64 (Debian: qemu-user-static, libc6-arm64-cross). */
const arm64 = "/usr/aarch64-linux-gnu"

/** The command that starts programs of a target here; undefined if this machine cannot. */
const starterOf = (target: Target): ReadonlyArray<string> | undefined => {
  if (target === `${process.platform}-${process.arch}`) return []
  const emulator = Bun.which("qemu-aarch64-static")
  return target === "linux-arm64" && emulator !== null && existsSync(arm64) ? [emulator, "-L", arm64] : undefined
}

/** Starts a program; returns what it prints, or why it is not started. Throws if it is not of this version and commit. */
const tried = (file: string, target: Target, commit: string) => {
  const starter = starterOf(target)
  if (starter === undefined) return "not started: it is for another machine"
  const title = Bun.spawnSync([...starter, file, "version"])
    .stdout.toString()
    .trim()
  if (!title.startsWith(`${name} ${version} (commit ${commit}, `))
    throw new Error(`${file} is not this version: ${title}`)
  return title
}

/** The key that signs; processes that this one starts do not see it. */
const takeKey = () => {
  const { RELEASE_KEY: text = "" } = process.env
  delete process.env.RELEASE_KEY
  return text.trim() === "" ? undefined : parseSecretKey(text)
}

const release = async (chosen: ReadonlyArray<Target>) => {
  const key = takeKey()
  const changelog = read("CHANGELOG.md")
  const commit = git("rev-parse", "HEAD")
  const refusals = refusalsOf({
    commit,
    changes: git("status", "--porcelain") ?? "",
    tagged: git("rev-parse", "--verify", "--quiet", `refs/tags/v${version}^{commit}`),
    section: sectionOf(changelog, version),
    isDescribed: existsSync(join(root, kept)) && read(kept) === openapi(),
    unreleased: sectionOf(changelog, "Unreleased"),
    version
  })
  if (commit === undefined || refusals.length > 0) throw new Error(refusals.join("\n"))
  const last = await whole(folder, async (partial) => {
    const modules = new Set(await pageModules())
    const started: Record<string, string> = {}
    for (const target of chosen) {
      const file = join(partial, `${name}-${version}-${target}${target.startsWith("windows") ? ".exe" : ""}`)
      for (const module of compile(file, target)) modules.add(module)
      started[target] = tried(file, target, commit)
      console.log(`${target}: ${started[target]}`)
    }
    const { bill, documents } = documentsOf({
      ...licensed([...modules]),
      name,
      version,
      license,
      commit,
      time: new Date(`${git("show", "--no-patch", "--format=%cI", "HEAD")}`).toISOString(),
      openapi: read(kept),
      changelog: sectionOf(changelog, version) ?? ""
    })
    for (const [file, text] of Object.entries(documents)) writeFileSync(join(partial, file), text)
    const machine = `${process.platform}-${process.arch}`
    const builder = builderOf(process.env)
    return sealed(partial, { name, version, commit, bun: Bun.version, bill, builder, machine, started }, key)
  })
  for (const file of readdirSync(folder).sort())
    console.log(`${file}  ${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`)
  console.log(last)
}

const { values } = parseArgs({
  options: { target: { type: "string", multiple: true }, cut: { type: "string" } }
})
try {
  if (values.cut !== undefined) {
    writeFileSync(join(root, "CHANGELOG.md"), cut(read("CHANGELOG.md"), version, values.cut))
    writeFileSync(join(root, kept), openapi())
  } else {
    const chosen = values.target ?? Object.keys(targets)
    const unknown = chosen.filter((target) => !isTarget(target))
    if (unknown.length > 0)
      throw new Error(`unknown target ${unknown.join(", ")}; targets: ${Object.keys(targets).join(", ")}`)
    await release(chosen.filter(isTarget))
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
