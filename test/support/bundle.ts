import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const entries = [
  "src/main.ts",
  "scripts/run.ts",
  "test/support/chartWriter.ts",
  "test/support/leaseRounds.ts",
  "test/support/redisOverTls.ts",
  "test/support/serveEdge.ts"
]

/**
 * Runs once for the whole suite: bundles the programs that tests start as processes. A bundled program starts twice as
 * fast as one that transpiles a thousand source files. TEST_BUNDLE is the path of the folder.
 */
export default async () => {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"))
  await Bun.build({ entrypoints: entries, root: ".", target: "bun", splitting: true, outdir: folder })
  process.env.TEST_BUNDLE = folder
  return () => rmSync(folder, { recursive: true })
}

/** The path of a bundled entry point. */
export const bundled = (entry: string) => join(process.env.TEST_BUNDLE ?? ".", entry.replace(/\.ts$/, ".js"))
