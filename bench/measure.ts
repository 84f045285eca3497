import { readdirSync, readFileSync } from "node:fs"

/** The median of several times. */
export const median = (times: ReadonlyArray<number>): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

/** CPU time of a process on all cores, ms; exact, but without threads that have ended. */
export const cpuOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    0
  )

/** The median time of several runs, ms, after a warm-up run. */
export const timed = async (runs: number, run: () => Promise<unknown>): Promise<number> => {
  await run()
  const times: Array<number> = []
  for (let index = 0; index < runs; index++) {
    const started = performance.now()
    await run()
    times.push(performance.now() - started)
  }
  return median(times)
}

export interface Traffic {
  calls: number
  bytes: number
}

/** A proxy on a free port that counts calls and bytes. */
export const counting = (target: string) => {
  const traffic: Traffic = { calls: 0, bytes: 0 }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.arrayBuffer()
      const response = await fetch(target, { method: "POST", body, headers: { "content-type": "application/json" } })
      const answer = await response.arrayBuffer()
      traffic.calls++
      traffic.bytes += body.byteLength + answer.byteLength
      return new Response(answer, { headers: { "content-type": "application/json" } })
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, traffic, stop: () => server.stop(true) }
}

/** Prints a figure with its target. */
export const figure = (name: string, value: string, wanted: string, met: boolean): void =>
  console.log(`  ${name.padEnd(46)} ${value.padEnd(26)} wanted ${wanted.padEnd(12)} ${met ? "ok" : "NOT MET"}`)

export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
