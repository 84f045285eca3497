import { join } from "node:path"
import type { PageFile } from "./files.ts"

/**
 * Bundles the page in a separate process, because a bundler cannot run inside another. A macro: it runs when the
 * calling module is transpiled (for the binary, at build time), and never in a service without sources.
 */
export const bundle = (): ReadonlyArray<PageFile> => {
  const script = join(import.meta.dirname, "../../../scripts/page.ts")
  const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, script])
  if (exitCode !== 0) throw new Error(`the page cannot be bundled: ${stderr.toString()}`)
  return JSON.parse(stdout.toString())
}
