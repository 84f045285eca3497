import { cpSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

// The types of the project and the diagnostics of Effect's language service in one pass. The service's own command reads the
// whole project again for each fifty files; its patch lets the compiler report them. What is patched is a copy: the installed
// compiler may be a link into the package manager's cache, which other projects share.

const run = (...command: ReadonlyArray<string>) => {
  const { exitCode } = Bun.spawnSync([...command], { stdio: ["ignore", "inherit", "inherit"] })
  if (exitCode !== 0) process.exit(exitCode)
}

const installed = dirname(Bun.resolveSync("typescript/package.json", import.meta.dir))
const copy = join(dirname(installed), ".cache", "typescript-with-effect")

rmSync(copy, { recursive: true, force: true })
cpSync(installed, copy, { recursive: true })
run("bun", "scripts/snippets.ts")
run("effect-language-service", "patch", "--module", "tsc", "--dir", copy, "--log-level", "error")
// The union of all transaction contexts and the layers of the whole service take more than Node's default.
run("node", "--max-old-space-size=8192", join(copy, "bin", "tsc"), "--noEmit")
