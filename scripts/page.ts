import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { PageFile } from "../src/http/page/files.ts"

// Bundles the page for browsers: `bun scripts/page.ts` prints its files as JSON, and `bun scripts/page.ts FILE` writes
// the module that replaces src/http/page/files.ts in the library.

const named = "[name]-[hash].[ext]"

/** Restores an attribute that the bundler drops: nothing must be painted before the script sets the chosen colours. */
const rendered = (html: string) => html.replace('<script type="module"', '<script type="module" blocking="render"')

/** The page and its files, all text. File names contain a hash of the content, except that of the page itself. */
const bundlePage = async (): Promise<ReadonlyArray<PageFile>> => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dirname, "../src/page/index.html")],
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/page/",
    naming: { entry: named, chunk: named, asset: named }
  })
  return Promise.all(
    outputs.map(async (output) => ({
      name: output.path.endsWith(".html") ? "index.html" : basename(output.path),
      contentType: output.type.replace(";charset", "; charset"),
      text: output.path.endsWith(".html") ? rendered(await output.text()) : await output.text()
    }))
  )
}

const json = JSON.stringify(await bundlePage())
const [, , target] = process.argv
if (target === undefined) process.stdout.write(json)
else writeFileSync(target, `export const files = ${json}\n`)
