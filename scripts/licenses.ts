// Prints the licenses of the program and of everything that its binary contains: `bun scripts/licenses.ts`. With a file,
// writes those of the page's packages there: the library contains their code, too.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import manifest from "../package.json" with { type: "json" }
import { modulesOf } from "./build.ts"
import { parseLock } from "./release/billOfMaterials.ts"
import { type Licensed, type Notice, noticesOf, textOf } from "./release/licenses.ts"

const root = resolve(import.meta.dir, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const modulesIn = async (entry: string, target: "browser" | "bun") => {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, entry)],
    root,
    target,
    minify: true,
    splitting: true,
    metafile: true
  })
  if (metafile === undefined) throw new Error(`the bundler does not list the modules of ${entry}`)
  return modulesOf(metafile)
}

/** Modules of the page, whose bundle is a text in the binary. */
export const pageModules = () => modulesIn("src/page/index.html", "browser")

/** Modules of the program, as the bundler sees them before it compiles for a machine. */
const programModules = () => modulesIn("src/main.ts", "bun")

/** The sources of the licenses of a program with these modules. */
export const licensed = (modules: ReadonlyArray<string>): Licensed => ({
  own: { name: manifest.name, version: manifest.version, license: manifest.license, file: "LICENSE" },
  bun: Bun.version,
  modules,
  lock: parseLock(read("bun.lock")),
  read,
  list: (folder) => readdirSync(join(root, folder))
})

/** The licenses of the program, of Bun and of the packages of these modules. */
export const notices = (modules: ReadonlyArray<string>): ReadonlyArray<Notice> => noticesOf(licensed(modules))

/** The same for all modules of this checkout. */
export const allNotices = async (): Promise<ReadonlyArray<Notice>> =>
  notices([...(await programModules()), ...(await pageModules())])

if (import.meta.main) {
  const [, , file] = process.argv
  if (file === undefined) process.stdout.write(`${textOf(await allNotices())}\n`)
  else writeFileSync(file, `${textOf(notices(await pageModules()).filter(({ name }) => name !== "bun"))}\n`)
}
