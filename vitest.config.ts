import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/recordings.ts"],
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: { provider: "istanbul", include: ["src/**"], reporter: ["text", "lcov"] }
  }
})
