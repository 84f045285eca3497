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
 * Run once for the whole suite: what the tests start as processes, in few files. Such a process starts in half the time
 * of one that translates a thousand sources. The variable TEST_BUNDLE names the folder.
 */
export default async () => {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"))
  await Bun.build({ entrypoints: entries, root: ".", target: "bun", splitting: true, outdir: folder })
  process.env.TEST_BUNDLE = folder
  return () => rmSync(folder, { recursive: true })
}

/** The path of one of them. */
export const bundled = (entry: string) => join(process.env.TEST_BUNDLE ?? ".", entry.replace(/\.ts$/, ".js"))
