import { cpSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

// Checks types and the diagnostics of Effect's language service in one pass: the patched compiler reports both. The
// language service's own command would read the whole project again for every fifty files. The patch is applied to a
// copy, because the installed compiler may be a link into the package manager's cache, which other projects share.

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
// The union of all transaction contexts and the layers of the whole service need more memory than Node's default.
run("node", "--max-old-space-size=8192", join(copy, "bin", "tsc"), "--noEmit")
