import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { headLimit } from "../scripts/build.ts"
import { freePort } from "../test/support/process.ts"
import { tool } from "../test/support/tools.ts"
import { type Child, pinned, start, stop } from "./child.ts"
import { cpuOf, figure, median } from "./measure.ts"

const rounds = 9
const seconds = 1
/** Seconds that a runtime with a JIT compiler needs on one core to reach its full speed. */
const warmUp = 15
const connections = 32
const wantedLatency = 0.4
const wantedTail = 1
const wantedRate = 0.3
const wantedCoalesced = 0.45

const script = (name: string) => new URL(`./proxy/${name}.ts`, import.meta.url).pathname
const service = new URL("../src/main.ts", import.meta.url).pathname

/** The proxies use core 0; the node and the load share core 1. */
const bun = (core: number, ...words: ReadonlyArray<string>) => pinned(core, process.execPath, ...words)

interface Load {
  readonly count: number
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

const load = async (url: string, connections: number, time = seconds): Promise<Load> => {
  const child = Bun.spawn([...bun(1, script("load"), url, String(time), String(connections))], {
    stdout: "pipe",
    stderr: "inherit"
  })
  return (await new Response(child.stdout).json()) as Load
}

/** nginx with one worker and persistent connections to the node; undefined if it is not installed. */
const nginx = async (folder: string, node: string): Promise<Child | undefined> => {
  const binary = tool("nginx")
  if (binary === undefined) return undefined
  const port = freePort()
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`
  )
  const settings = `
    daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
    events { worker_connections 1024; }
    http {
      access_log ${folder}/access.log; ${temporary.join(" ")} client_body_buffer_size 64k; keepalive_requests 1000000000;
      upstream node { server ${new URL(node).host}; keepalive 64; keepalive_requests 1000000000; }
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header connection ""; }
      }
    }`
  await mkdir(folder, { recursive: true })
  await Bun.write(join(folder, "nginx.conf"), settings)
  const words = [binary, "-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")]
  const child = Bun.spawn([...pinned(0, ...words)], { stdout: "inherit", stderr: "inherit" })
  const url = `http://127.0.0.1:${port}`
  while (child.exitCode === null) {
    if (
      await fetch(url).then(
        () => true,
        () => false
      )
    )
      return { child, output: "", url }
    await Bun.sleep(20)
  }
  throw new Error("nginx ended")
}

const calls = async (node: string): Promise<number> => Number(await (await fetch(node)).text())

/** Number of calls that the node receives when many clients send the same call at the same moment. */
const together = async (node: string, url: string, clients: number): Promise<number> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_gasPrice", params: [] })
  const before = await calls(node)
  const answers = await Promise.all(
    Array.from({ length: clients }, async () => {
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
      return (await answer.text()).includes('"result":"0xa1')
    })
  )
  if (!answers.every((good) => good)) throw new Error("a call failed")
  return (await calls(node)) - before
}

const milliseconds = (time: number) => `${time.toFixed(2)} ms`

/** Measures distinct `eth_call`s with responses of 1 kB: through the service, through other proxies, and directly. */
export const proxy = async (): Promise<void> => {
  console.log(
    `\nPOST /utils/rpc/ethereum, eth_call of 1 kB, compared with the node itself and other proxies, ${rounds} rounds`
  )
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-bench-"))
  const node = await start(folder, "node", bun(1, script("node")))
  // Makes all other upstreams unreachable.
  const outside = { ETHEREUM_RPC_URLS: node.url, HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "", NO_PROXY: "" }
  const serve = (name: string, more: Readonly<Record<string, string>>) =>
    start(folder, name, bun(0, headLimit, service, "serve"), {
      ...outside,
      CACHE: "memory",
      HOST: "127.0.0.1",
      PORT: "0",
      ...more
    })
  const ours = await serve("service", {})
  const coalescing = await serve("coalescing", { COALESCED_RPC_NETWORKS: "ethereum" })
  const bare = await start(folder, "bare", bun(0, script("bare"), node.url))
  const other = await nginx(join(folder, "nginx"), node.url)
  const route = `${ours.url}/utils/rpc/ethereum`
  const coalesced = `${coalescing.url}/utils/rpc/ethereum`
  const targets = { direct: node.url, ...(other && { nginx: other.url }), service: route, coalesced, bare: bare.url }

  for (const [name, url] of Object.entries(targets))
    await load(url, connections, name === "service" || name === "coalesced" || name === "bare" ? warmUp : seconds)

  const processes: Readonly<Record<string, Child | undefined>> = {
    service: ours,
    coalesced: coalescing,
    bare,
    nginx: other
  }
  const measured = async (connections: number) => {
    const found = new Map<string, Array<Load & { readonly cpu: number }>>()
    for (const name of Object.keys(targets)) found.set(name, [])
    for (let round = 0; round < rounds; round++)
      for (const [name, url] of Object.entries(targets)) {
        const pid = processes[name]?.child.pid
        const before = pid === undefined ? 0 : cpuOf(pid)
        const result = await load(url, connections)
        const cpu = pid === undefined ? Number.NaN : ((cpuOf(pid) - before) / result.count) * 1000
        found.get(name)?.push({ ...result, cpu })
      }
    const all = (name: keyof typeof targets, figure: keyof Load | "cpu") =>
      (found.get(name) ?? []).map((item) => item[figure])
    return {
      of: (name: keyof typeof targets, figure: keyof Load | "cpu") => median(all(name, figure)),
      /** The median of ratios per round, because the speed of a shared machine changes over time. */
      ratio: (name: keyof typeof targets, other: keyof typeof targets) => {
        const others = all(other, "rate")
        return median(all(name, "rate").map((rate, round) => rate / (others[round] ?? Number.NaN)))
      }
    }
  }

  const element = await measured(1)
  for (const name of Object.keys(targets).filter((name) => name !== "direct") as Array<keyof typeof targets>) {
    const [p50, p99] = (["p50", "p99"] as const).map((at) => element.of(name, at) - element.of("direct", at))
    const value = `p50 ${milliseconds(p50 ?? Number.NaN)}, p99 ${milliseconds(p99 ?? Number.NaN)}`
    if (name === "service")
      figure(
        "added latency",
        value,
        `${wantedLatency}, ${wantedTail} ms`,
        p50 !== undefined && p50 <= wantedLatency && p99 !== undefined && p99 <= wantedTail
      )
    else console.log(`    through ${name.padEnd(37)} ${value}`)
  }
  const many = await measured(connections)
  const beside = (name: keyof typeof targets, own: keyof typeof targets = "service") =>
    `${many.ratio(own, name).toFixed(2)}  ${many.of(own, "rate").toFixed(0)} of ${many.of(name, "rate").toFixed(0)}/s`
  if (other === undefined) console.log("  compared with nginx: skipped, it is not installed")
  else
    figure(
      `responses per second, relative to nginx`,
      beside("nginx"),
      String(wantedRate),
      many.ratio("service", "nginx") >= wantedRate
    )
  if (other !== undefined)
    figure(
      "the same with reads in batches",
      beside("nginx", "coalesced"),
      String(wantedCoalesced),
      many.ratio("coalesced", "nginx") >= wantedCoalesced
    )
  console.log(`    relative to a bare Bun.serve with fetch       ${beside("bare")}`)
  console.log(`    relative to the node                          ${beside("direct")}`)
  const costs = Object.keys(processes).filter((name) => processes[name] !== undefined)
  console.log(
    `    CPU time per call                             ${costs.map((name) => `${name} ${many.of(name as keyof typeof targets, "cpu").toFixed(0)} us`).join(", ")}`
  )
  const made = await together(node.url, route, 1000)
  figure("1,000 equal reads at once, calls to the node", String(made), "1", made === 1)
  for (const child of [ours, coalescing, bare, node, ...(other === undefined ? [] : [other])]) await stop(child)
  await rm(folder, { recursive: true })
}

if (import.meta.main) await proxy()
