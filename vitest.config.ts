import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

// One more than there are processors: while a file waits for a node or a process of its own, another one is run.
const workers = availableParallelism() + 1

// Most code runs for a few seconds in a test: to optimize it in the last stage takes more time than it saves.
process.env.BUN_JSC_useFTLJIT ??= "0"

// Freed pages stay with the process: a worker spends a quarter of its time on returning them and faulting them in again.
process.env.MIMALLOC_PURGE_DELAY ??= "-1"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Generating and compiling clients takes as long as a hundred other tests: `bun run test:clients` does that alone.
    exclude: process.env.CLIENTS === undefined ? ["test/contract/generators.test.ts"] : [],
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/tools.ts", "test/support/recordings.ts", "test/support/bundle.ts"],
    isolate: false,
    // Bun runs TypeScript by itself: nothing need be translated a second time, but to count the coverage.
    server: { deps: { external: process.argv.includes("--coverage") ? [] : [/\/(src|test)\/.*\.ts$/] } },
    minWorkers: workers,
    maxWorkers: workers,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: { provider: "istanbul", include: ["src/**"], reporter: ["text", "lcov"] }
  }
})
