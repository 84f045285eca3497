import { join } from "node:path"
import type { PageFile } from "./files.ts"

/**
 * Bundles the page in a process of its own. A macro: it runs when the module that calls it is translated, for the binary
 * while that is built, and never in a service whose sources are not there. A bundler cannot be run within another one.
 */
export const bundle = (): ReadonlyArray<PageFile> => {
  const script = join(import.meta.dirname, "../../../scripts/page.ts")
  const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, script])
  if (exitCode !== 0) throw new Error(`the page cannot be bundled: ${stderr.toString()}`)
  return JSON.parse(stdout.toString())
}
