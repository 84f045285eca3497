import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkouts, start, startService, stop } from "../child.ts"
import { cpuOf, figure } from "../measure.ts"

export const evm = ["ethereum", "base", "polygon", "arbitrum", "optimism"]
export const networks = [...evm, "bitcoin", "solana", "tron"]

/** Upstreams: median of the log-normal response times (ms), its sigma, and the share of failures. */
export const latency = 140
export const spread = 0.5
export const failures = 0.02

const seconds = 10

export interface Opened {
  readonly balance: ReadonlyArray<number>
  readonly history: ReadonlyArray<number>
  readonly incomplete: number
}

export const percentile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

/** The other upstreams of the wallets. */
export const env = (at: (upstream: string) => string) => ({
  ROUTESCAN_URL: at("routescan"),
  BITCOIN_ESPLORA_URLS: at("bitcoin-esplora"),
  SOLANA_RPC_URLS: at("solana-rpc"),
  TRONGRID_URL: at("trongrid"),
  ...Object.fromEntries(evm.map((id) => [`${id.toUpperCase()}_BLOCKSCOUT_URL`, at(`${id}-blockscout`)]))
})

/**
 * New wallets at a rising rate: how long balances and histories take, how many calls an open costs, and how much CPU.
 * `BEFORE` is another checkout, measured in the same run.
 */
export const wallets = async (): Promise<void> => {
  console.log(
    `\na wallet opened: POST /balance and /history of ${networks.length} networks, upstreams at ${latency} ms`
  )
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-day-"))
  const upstreams = await start(folder, "upstreams", ["bun", "bench/crowd/upstreams.ts"])
  let opened = 0
  const load = async (url: string, rate: number, time = seconds): Promise<Opened> => {
    const words = ["bun", "bench/day/load.ts", url, String(rate), String(time), String(opened), ...networks]
    opened += rate * time
    const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" })
    return (await new Response(child.stdout).json()) as Opened
  }
  const services = []
  for (const [name, checkout] of checkouts())
    services.push({ name, ...(await startService({ folder, name, checkout, upstreams: upstreams.url, evm, env })) })
  for (const { url } of services) await load(url, 5)
  await fetch(`${upstreams.url}/latency/${latency}/${spread}/${failures}`)
  const sustained = new Map<string, number>()
  for (const rate of [4, 8, 12, 16, 24, 32])
    for (const { child, name, url } of services) {
      await fetch(`${upstreams.url}/counts`)
      const used = cpuOf(child.pid)
      const { balance, history, incomplete } = await load(url, rate)
      const opens = balance.length
      const counts = (await (await fetch(`${upstreams.url}/counts`)).json()) as Readonly<Record<string, number>>
      const calls = Object.values(counts).reduce((sum, count) => sum + count, 0) / opens
      const slowest = Math.max(percentile(balance, 0.99), percentile(history, 0.99))
      if (slowest < 1_500) sustained.set(name, rate)
      const times = [balance, history].map((all) => [0.5, 0.99].map((share) => percentile(all, share).toFixed(0)))
      console.log(
        `  ${`${name}, ${rate} opens/s`.padEnd(20)} balances ${times[0]?.join(" / ")} ms, histories ${times[1]?.join(" / ")} ms (p50 / p99); ` +
          `${calls.toFixed(1)} calls and ${((cpuOf(child.pid) - used) / opens).toFixed(1)} ms of CPU per open; ${incomplete} incomplete`
      )
    }
  const [was, is] = ["before", "now"].map((name) => sustained.get(name) ?? 0)
  if (was !== undefined && was > 0 && is !== undefined)
    figure("opens/s at p99 below 1.5 s", `${is} (before ${was})`, "3 times", is >= 3 * was)
  for (const item of [...services, upstreams]) await stop(item)
  await rm(folder, { recursive: true })
}
