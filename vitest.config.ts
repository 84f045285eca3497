import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/recordings.ts"],
    isolate: false,
    // Bun runs TypeScript by itself: what is under test need not be translated a second time, but to count its coverage.
    server: { deps: { external: process.argv.includes("--coverage") ? [] : [/\/src\/.*\.ts$/] } },
    // By default one processor is left to the process that starts the others, which has hardly anything to do.
    maxWorkers: "100%",
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: { provider: "istanbul", include: ["src/**"], reporter: ["text", "lcov"] }
  }
})
