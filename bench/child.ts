import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startVariables } from "../src/settings/runtime.ts"

export interface Child {
  readonly child: Bun.Subprocess
  /** The file with its output. */
  readonly output: string
  readonly url: string
}

/** Starts a process and waits until it logs its URL; its output goes to a file, as the log of a service does. */
export const start = async (
  folder: string,
  name: string,
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Child> => {
  const output = join(folder, `${name}.log`)
  await Bun.write(output, "")
  const child = Bun.spawn([...words], {
    stdout: Bun.file(output),
    stderr: "inherit",
    env: { ...startVariables, ...process.env, ...env }
  })
  for (;;) {
    const [, url] = /listening on (http:[^"\s]+)"/.exec(readFileSync(output, "utf8")) ?? []
    if (url !== undefined) return { child, output, url }
    if (child.exitCode !== null) throw new Error(`${name} ended`)
    await Bun.sleep(20)
  }
}

export const stop = async ({ child }: Child): Promise<void> => {
  child.kill("SIGTERM")
  await child.exited
}

/** Pins a command to one CPU core, so that server and load do not compete; unchanged without `taskset`. */
export const pinned = (core: number, ...words: ReadonlyArray<string>): ReadonlyArray<string> =>
  Bun.which("taskset") === null ? words : ["taskset", "-c", String(core), ...words]

/**
 * Moves a process to a control group that may use this share of one core; returns the function that removes the group
 * once the process has ended. Undefined without the right to do so.
 */
export const withQuota = (pid: number, share: number): (() => void) | undefined => {
  const isFirst = existsSync("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
  const group = join("/sys/fs/cgroup", isFirst ? "cpu" : "", `wallet-data-bench-${pid}`)
  const period = 100_000
  try {
    mkdirSync(group)
    if (isFirst) writeFileSync(join(group, "cpu.cfs_quota_us"), String(share * period))
    else writeFileSync(join(group, "cpu.max"), `${share * period} ${period}`)
    writeFileSync(join(group, "cgroup.procs"), String(pid))
    return () => rmdirSync(group)
  } catch {
    return undefined
  }
}

/** The memory that the shipped manifest allows the service, MB. */
export const shippedMemory = 1_024

/** Starts a command in a control group with this limit of memory; undefined without the right to make one. */
export const limited = (megabytes: number, words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const isFirst = existsSync("/sys/fs/cgroup/memory")
  const group = join("/sys/fs/cgroup", isFirst ? "memory" : "", `wallet-data-bench-${megabytes}`)
  try {
    mkdirSync(group, { recursive: true })
    writeFileSync(join(group, isFirst ? "memory.limit_in_bytes" : "memory.max"), String(megabytes * 1024 * 1024))
    return ["sh", "-c", `echo $$ > ${join(group, "cgroup.procs")} && exec "$@"`, "sh", ...words]
  } catch {
    return undefined
  }
}

/** Base address of each upstream at this server of `crowd/upstreams.ts`; each has its own host, as limits apply to hosts. */
const upstreamsAt = (server: string): ((upstream: string) => string) => {
  const { port } = new URL(server)
  const hosts = new Map<string, string>()
  return (upstream) => {
    const host = hosts.get(upstream) ?? `127.0.1.${hosts.size + 1}`
    hosts.set(upstream, host)
    return `http://${host}:${port}/${upstream}`
  }
}

/** The measured checkouts: the one that BEFORE names, if any, and this one. */
export const checkouts = (): ReadonlyArray<readonly [name: string, folder: string]> => {
  const before = process.env.BEFORE
  return [...(before !== undefined && existsSync(before) ? [["before", before] as const] : []), ["now", "."]]
}

/** The service of a checkout over the upstreams of `crowd/upstreams.ts`. */
interface MeasuredService {
  /** The folder of its log. */
  readonly folder: string
  readonly name: string
  readonly checkout: string
  readonly upstreams: string
  /** Ids of the EVM networks whose nodes are simulated. */
  readonly evm: ReadonlyArray<string>
  /** More variables; `at` is the base address of an upstream. */
  readonly env?: (at: ReturnType<typeof upstreamsAt>) => Readonly<Record<string, string>>
  /** Options of the runtime. */
  readonly options?: ReadonlyArray<string>
  /** The only processor core that it may use. */
  readonly core?: number
  /** The memory that it may use, MB, if the machine lets us limit it. */
  readonly memory?: number
}

const budgets = ["COINGECKO", "DEFILLAMA", "BINANCE", "BLOCKSCOUT", "ROUTESCAN", "ESPLORA", "SOLANA", "TRONGRID"]

/** Starts a service with budgets that delay no call. */
export const startService = ({
  checkout,
  core,
  env,
  evm,
  folder,
  memory,
  name,
  options = [],
  upstreams
}: MeasuredService) => {
  const at = upstreamsAt(upstreams)
  const command = ["bun", ...options, join(checkout, "src/main.ts"), "serve"]
  const words = (memory === undefined ? undefined : limited(memory, command)) ?? command
  return start(folder, name, core === undefined ? words : pinned(core, ...words), {
    CACHE: "memory",
    PORT: "0",
    HOST: "127.0.0.1",
    ...Object.fromEntries(budgets.map((source) => [`${source}_PER_SECOND`, "100000"])),
    COINGECKO_URL: at("coingecko"),
    COINGECKO_TOKENS_URL: at("coingecko-tokens"),
    DEFILLAMA_URL: at("defillama"),
    BINANCE_URL: at("binance"),
    ...Object.fromEntries(evm.map((id) => [`${id.toUpperCase().replaceAll("-", "_")}_RPC_URLS`, at(`${id}-rpc`)])),
    ...env?.(at)
  })
}
