/**
 * Preloaded into a measured service: measures the CPU time of its main thread in each turn of the event loop, because
 * other processes of the machine also delay a turn. `GET /` on the port that it writes to the file of `TURN_FILE`
 * returns the longest turn since the last request, ms.
 */
const { threadCpuUsage } = process as unknown as { readonly threadCpuUsage: () => NodeJS.CpuUsage }

const cpuTime = () => {
  const { system, user } = threadCpuUsage()
  return (system + user) / 1_000
}

let longest = 0
let before = cpuTime()

const turn = () => {
  const now = cpuTime()
  longest = Math.max(longest, now - before)
  before = now
  setImmediate(turn)
}
setImmediate(turn)

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    const response = Response.json(longest)
    longest = 0
    return response
  }
})
await Bun.write(process.env.TURN_FILE ?? "", server.url.href)
