import { existsSync } from "node:fs"
import { createRequire } from "node:module"

/** Programs that tests run, with the tested parts of the service. `scripts/tools.sh` installs the programs. */
const uses = {
  anvil: "EVM networks, the faucet and EVM client libraries on a real node",
  chromium: "the page",
  kubectl: "deploy/kubernetes, as kustomize builds it",
  litecoind: "the Bitcoin family on a real node",
  minisign: "signatures of releases",
  nginx: "deploy/nginx.conf and rolling updates",
  openssl: "Redis over TLS, and fetches from hosts that third parties choose",
  promtool: "metrics, and the files for Prometheus",
  python3: "messages to systemd",
  "redis-server": "the store in Redis",
  "systemd-analyze": "the systemd unit"
}

type Name = keyof typeof uses

/** Path of the binary: the package's wrapper starts it as a child process that survives when the wrapper is killed. */
const anvil = (): string | undefined => {
  const cpu = process.arch === "x64" ? "amd64" : "arm64"
  try {
    const found = createRequire(import.meta.url)
      .resolve(`@foundry-rs/anvil-${process.platform}-${cpu}/package.json`)
      .replace("package.json", "bin/anvil")
    return existsSync(found) ? found : undefined
  } catch {
    return undefined
  }
}

const installed = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? undefined

/**
 * The path of a program, or undefined if it is not installed; suites that need it use `describe.skipIf`. Prefers the
 * build of Chromium without a user interface: it needs half the CPU time.
 */
export const tool = (name: Name): string | undefined => {
  if (name === "anvil") return anvil()
  return (name === "chromium" ? installed("chromium-headless-shell") : undefined) ?? installed(name)
}

export const isMissing = (name: Name): boolean => tool(name) === undefined

/** Runs once before all tests: prints which tests are skipped, or fails if REQUIRE_TOOLS is 1. */
export default () => {
  const missing = (Object.keys(uses) as Array<Name>).filter(isMissing)
  if (missing.length === 0) return
  const line = `skipped because a program is not installed: ${missing.map((name) => `${uses[name]} (${name})`).join("; ")}. scripts/tools.sh installs the programs`
  if (process.env.REQUIRE_TOOLS === "1") throw new Error(line)
  console.warn(line)
}
