import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { PageFile } from "../src/http/page/files.ts"

// Bundles the page for browsers: `bun scripts/page.ts` prints its files as JSON, and `bun scripts/page.ts FILE` writes
// the module that replaces src/http/page/files.ts in the library.

const named = "[name]-[hash].[ext]"

/** Restores an attribute that the bundler drops: nothing must be painted before the script sets the chosen colours. */
const rendered = (html: string) => html.replace('<script type="module"', '<script type="module" blocking="render"')

const publicPath = "/page/"

const build = async (entry: string, define: Record<string, string> = {}) => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dirname, "../src/page", entry)],
    target: "browser",
    minify: true,
    splitting: true,
    publicPath,
    naming: { entry: named, chunk: named, asset: named },
    define
  })
  return outputs
}

/**
 * The page and its files, all text. File names contain a hash of the content, except that of the page itself. The styles of
 * later views are a file that src/page/later.ts loads.
 */
const bundlePage = async (): Promise<ReadonlyArray<PageFile>> => {
  const styles = await build("style/later.css")
  const names = styles.map(({ path }) => basename(path))
  const page = await build("index.html", { LATER_STYLE: JSON.stringify(`${publicPath}${names[0]}`) })
  return Promise.all(
    [...page, ...styles].map(async (output) => ({
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
