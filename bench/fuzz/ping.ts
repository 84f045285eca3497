// Requests /health/live, one request after another, until SIGTERM; then writes the longest times. A separate process,
// because the process that sends the load is busy.
import { busy } from "./process.ts"

const [url = "", pid = "", file = ""] = process.argv.slice(2)

let stopped = false
process.on("SIGTERM", () => {
  stopped = true
})

const longest = { wall: 0, busy: 0, failed: 0 }
while (!stopped) {
  const began = performance.now()
  const before = busy(Number(pid))
  const answered = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(30_000) }).then(
    async (response) => response.ok && (await response.text()) !== "",
    () => false
  )
  if (!answered) longest.failed++
  longest.wall = Math.max(longest.wall, performance.now() - began)
  longest.busy = Math.max(longest.busy, busy(Number(pid)) - before)
  await Bun.sleep(2)
}
await Bun.write(file, JSON.stringify(longest))
