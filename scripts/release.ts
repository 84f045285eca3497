// Makes the files of a release in dist/release, or of some targets: `bun run release [--target NAME]...`. Uploads nothing.
// `bun run release --cut DATE` moves the changes in CHANGELOG.md from "Unreleased" to the version of package.json, and
// keeps the OpenAPI document of the version.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import manifest from "../package.json" with { type: "json" }
import { compile, git, isTarget, type Target, targets } from "./build.ts"
import { notices, pageModules } from "./licenses.ts"
import { billOfMaterials, parseLock } from "./release/billOfMaterials.ts"
import { cut, sectionOf } from "./release/changelog.ts"
import { textOf } from "./release/licenses.ts"
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

/** Starts the binary if it is for this machine; throws if it is not the program of this version and commit. */
const tryHere = (file: string, target: Target, commit: string) => {
  if (target !== `${process.platform}-${process.arch}`) return "not started: it is for another machine"
  const title = Bun.spawnSync([file, "version"]).stdout.toString().trim()
  if (!title.startsWith(`${name} ${version} (commit ${commit}, `))
    throw new Error(`${file} is not this version: ${title}`)
  return title
}

const release = async (chosen: ReadonlyArray<Target>) => {
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
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const modules = new Set(await pageModules())
  for (const target of chosen) {
    const file = join(folder, `${name}-${version}-${target}${target.startsWith("windows") ? ".exe" : ""}`)
    for (const module of compile(file, target)) modules.add(module)
    console.log(`${target}: ${tryHere(file, target, commit)}`)
  }
  const bill = billOfMaterials({
    name,
    version,
    license,
    commit,
    time: new Date(`${git("show", "--no-patch", "--format=%cI", "HEAD")}`).toISOString(),
    bun: Bun.version,
    modules: [...modules],
    lock: parseLock(read("bun.lock")),
    read
  })
  writeFileSync(join(folder, `${name}-${version}.cdx.json`), bill)
  writeFileSync(join(folder, `LICENSES-${version}.txt`), `${textOf(notices([...modules]))}\n`)
  writeFileSync(join(folder, `${name}-${version}.openapi.json`), read(kept))
  writeFileSync(join(folder, `CHANGELOG-${version}.md`), sectionOf(changelog, version) ?? "")
  const sums = readdirSync(folder)
    .sort()
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, file)))
          .digest("hex")}  ${file}\n`
    )
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
  for (const file of readdirSync(folder).sort())
    console.log(`${file}  ${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`)
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
