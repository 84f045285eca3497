/** Requests /health/live repeatedly, and prints the slowest response time once per second, ms. */
const [url = ""] = process.argv.slice(2)
const pause = 20

for (;;) {
  let slowest = 0
  for (const until = performance.now() + 1_000; performance.now() < until; ) {
    const started = performance.now()
    await fetch(`${url}/health/live`).then(
      (response) => response.arrayBuffer(),
      () => undefined
    )
    slowest = Math.max(slowest, performance.now() - started)
    await Bun.sleep(pause)
  }
  console.log(slowest.toFixed(1))
}
