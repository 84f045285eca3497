import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const workers = availableParallelism()

// Most code runs for a few seconds in a test: to optimize it in the last stage takes more time than it saves.
process.env.BUN_JSC_useFTLJIT ??= "0"

// Freed pages stay with the process: a worker spends a quarter of its time on returning them and faulting them in again.
process.env.MIMALLOC_PURGE_DELAY ??= "-1"

const isAll = process.env.TIER === "all"

// The same samples of properties in each run, so that a change fails for what it did; others in `test:all`.
process.env.SEED ??= isAll ? String(Date.now() % 2 ** 31) : "1"

/** The files that have more tests in the second tier: longer matrices, and recorded answers. */
const secondTier = () =>
  globSync("test/**/*.test.ts").filter((file) =>
    /support\/(tier|recordingFolders)\.ts"|\brecord(ed|ingsOf)\(/.test(readFileSync(file, "utf8"))
  )

const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: isAll ? secondTier() : ["test/**/*.test.ts"],
    // Generating and compiling clients takes as long as a hundred other tests: `bun run test:clients` does that alone.
    exclude: process.env.CLIENTS === undefined ? ["test/contract/generators.test.ts"] : [],
    reporters: process.env.CI === undefined ? ["default"] : ["dot"],
    ...(report === undefined ? {} : { reporters: ["dot", ["json", { outputFile: report }]] }),
    setupFiles: ["test/support/cpu.ts", "test/support/setup.ts"],
    globalSetup: [
      "test/support/tools.ts",
      "test/support/recordings.ts",
      "test/support/bundle.ts",
      "test/support/budget.ts"
    ],
    isolate: false,
    // Bun runs TypeScript by itself: nothing need be translated a second time, but to count the coverage.
    server: {
      deps: { external: process.argv.includes("--coverage") ? [] : [/\/(src|test)\/(?!support\/cpu\.).*\.ts$/] }
    },
    minWorkers: workers,
    maxWorkers: workers,
    // Limits for hangs: no test is about how long it takes.
    testTimeout: process.env.CI === undefined ? 60_000 : 300_000,
    hookTimeout: process.env.CI === undefined ? 60_000 : 300_000,
    coverage: { provider: "istanbul", include: ["src/**"], reporter: ["text", "lcov"] }
  }
})
