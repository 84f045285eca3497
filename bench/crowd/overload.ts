import { readFileSync } from "node:fs"
import { type Child, pinned, start, startService, stop, withQuota } from "../child.ts"
import { cpuOf, figure } from "../measure.ts"

const networks = ["ethereum", "base", "polygon", "bsc", "arbitrum", "optimism", "avalanche", "sonic"]

const deadline = 3_000

interface Answers {
  readonly seconds: number
  readonly statuses: Readonly<Record<string, number>>
  readonly answers: ReadonlyArray<readonly [at: number, took: number, outcome: string]>
}

let asked = 1_000_000

/** A load on the other core: this many requests at once or, with a rate, per second. */
const load = (url: string, count: number, { atOnce = 0, rate = 0 }) => {
  const words = ["bun", "bench/crowd/load.ts", url, ...[count, atOnce, rate, asked].map(String), ...networks]
  asked += count
  const child = Bun.spawn([...pinned(1, ...words)], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "20000" }
  })
  return new Response(child.stdout).json() as Promise<Answers>
}

const residentOf = ({ child }: Child) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024

const longest = (answers: Answers["answers"]) => answers.reduce((most, [, took]) => Math.max(most, took), 0)
const of = (outcome: string, { answers }: Answers) => answers.filter(([, , other]) => other === outcome)

const percentile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

const held = 3_000

/** This number of seconds in a row shows that a service is as before: a later collection of garbage is no part of it. */
const steady = 5

/**
 * The seconds after a pause of the process until requests take at most twice as long as before, by the slowest tenth, and
 * nine of ten are complete.
 */
const recovery = ({ answers }: Answers, paused: number) => {
  const from = (start: number, end: number) => answers.filter(([at]) => at >= start && at < end)
  const slowest = (all: Answers["answers"]) =>
    percentile(
      all.map(([, took]) => took),
      0.9
    )
  const usual = slowest(from(paused - 3_000, paused - deadline / 2))
  const isUsual = (second: number) => {
    const start = paused + held + 1_000 * second
    const all = from(start, start + 1_000)
    return slowest(all) <= 2 * usual && all.filter(([, , outcome]) => outcome === "complete").length >= 0.9 * all.length
  }
  const seconds = Array.from({ length: 15 }, (_, second) => second)
  const second = seconds.find((first) => Array.from({ length: steady }, (_, index) => first + index).every(isUsual))
  return { second: second ?? Number.POSITIVE_INFINITY, usual }
}

/** The responses of the service at capacity, at twice that and after it. */
const measured = async (name: string, service: Child) => {
  const { pid } = service.child
  const perSecond = async (run: Promise<Answers>) => {
    const used = cpuOf(pid)
    const found = await run
    return { ...found, cost: (cpuOf(pid) - used) / (found.statuses[200] ?? 0) }
  }
  const capacity = await perSecond(load(service.url, 1_000, { atOnce: 128 }))
  const bears = Math.ceil((capacity.statuses[200] ?? 0) / capacity.seconds)
  const resting = residentOf(service)
  let [peak, going] = [resting, true]
  const watching = (async () => {
    while (going) {
      peak = Math.max(peak, residentOf(service))
      await Bun.sleep(50)
    }
  })()
  const over = await perSecond(load(service.url, 20 * bears, { rate: 2 * bears }))
  going = false
  await watching
  const after = await load(service.url, Math.round(8 * 0.8 * bears), { rate: 0.8 * bears })
  const complete = of("complete", over).filter(([at]) => at >= 1_000).length / 9 / bears
  const refusals = of("refused", over)
  const later = after.answers.filter(([at]) => at >= 5_000)
  const back = later.filter(([, , outcome]) => outcome === "complete").length / later.length
  console.log(
    `  overload, ${name}: ${bears}/s at capacity, each ${capacity.cost.toFixed(1)} ms of CPU; at twice that, of ${over.answers.length}: ` +
      `${of("complete", over).length} complete, each ${over.cost.toFixed(1)} ms of CPU, ${of("incomplete", over).length} incomplete, ` +
      `${refusals.length} refused, ${of("failed", over).length} failed; ` +
      `${resting.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most, ${residentOf(service).toFixed(0)} MB after`
  )
  figure(`complete at twice the capacity, ${name}`, complete.toFixed(2), "0.8", complete >= 0.8)
  figure(`slowest refusal, ${name}`, `${longest(refusals)} ms`, "1000 ms", longest(refusals) <= 1_000)
  const slowest = longest(over.answers)
  figure(`slowest response, ${name}`, `${slowest} ms`, `${deadline + 1_000} ms`, slowest <= deadline + 1_000)
  figure(`complete five seconds later, at 0.8, ${name}`, back.toFixed(2), "0.98", back >= 0.98)
  return bears
}

/** A pause of the process for three seconds at half the capacity. */
const pausing = async (name: string, { child, url }: Child, rate: number) => {
  const paused = 5_000
  const stopping = (async () => {
    await Bun.sleep(paused)
    child.kill("SIGSTOP")
    await Bun.sleep(held)
    child.kill("SIGCONT")
  })()
  const borne = await load(url, Math.round(25 * rate), { rate })
  await stopping
  const { second, usual } = recovery(borne, paused)
  console.log(
    `  paused for 3 s at half the capacity, ${name}: nine of ten within ${usual} ms before; of ${borne.answers.length}: ` +
      `${of("incomplete", borne).length} incomplete, ${of("refused", borne).length} refused, ${of("failed", borne).length} failed`
  )
  figure(`as before the pause, ${name}`, `after ${second} s`, "10 s", second <= 10)
}

/** An overload of a service on one core, and on a part of it, by a load that does not wait for responses; and a pause. */
export const overload = async (
  folder: string,
  checkouts: ReadonlyArray<readonly [name: string, folder: string]>,
  shares: ReadonlyArray<number> = [1, 0.4]
): Promise<void> => {
  const upstreams = await start(folder, "nodes", [...pinned(1, "bun", "bench/crowd/upstreams.ts")])
  for (const [version, checkout] of checkouts)
    for (const share of shares) {
      const name = share === 1 ? version : `${version}, ${share} of a core`
      const env = () => ({ REQUEST_DEADLINE_MS: String(deadline) })
      const options = {
        folder,
        name: `${version}-${share}`,
        checkout,
        upstreams: upstreams.url,
        evm: networks,
        core: 0,
        env
      }
      await fetch(`${upstreams.url}/latency/0`)
      const service = await startService(options)
      await load(service.url, 1_000, { atOnce: 8 })
      await fetch(`${upstreams.url}/latency/100`)
      await load(service.url, 1_000, { atOnce: 64 })
      const unlimited = () => {}
      const remove = share === 1 ? unlimited : withQuota(service.child.pid, share)
      if (remove === undefined) console.log("  no right to set a CPU quota")
      else {
        const bears = await measured(name, service)
        await pausing(name, service, Math.max(1, bears / 2))
      }
      await stop(service)
      remove?.()
    }
  await stop(upstreams)
}
