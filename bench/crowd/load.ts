// Requests the balances of new addresses: `atOnce` requests concurrently or, with a rate, that many per second however
// long the responses take. Prints the outcomes and, with a rate, each response.
const [url = "", count = "", atOnce = "", rate = "", first = "", ...networks] = process.argv.slice(2)

let left = Number(count)
let next = Number(first)
const statuses: Record<string, number> = {}
let incomplete = 0
/** Each response: the time of its request and its duration, ms, and its outcome. */
const answers: Array<readonly [at: number, took: number, outcome: "complete" | "incomplete" | "refused" | "failed"]> =
  []

const started = performance.now()

const ask = async () => {
  const address = (next++).toString(16).padStart(40, "c0de")
  const at = performance.now()
  const [status, text] = await fetch(`${url}/balance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ networks: Object.fromEntries(networks.map((id) => [id, [`0x${address}`]])) })
  }).then(
    async (response) => [response.status, await response.text()] as const,
    () => [0, ""] as const
  )
  statuses[status] = (statuses[status] ?? 0) + 1
  const isIncomplete = status === 200 && text.includes('"balance":null')
  if (isIncomplete) incomplete++
  const outcome = status === 200 ? (isIncomplete ? "incomplete" : "complete") : status === 503 ? "refused" : "failed"
  answers.push([Math.round(at - started), Math.round(performance.now() - at), outcome])
  return outcome
}

const steady = async () => {
  const sent: Array<Promise<unknown>> = []
  for (let index = 0; index < Number(count); index++) {
    const wait = started + (1_000 * index) / Number(rate) - performance.now()
    if (wait > 0) await Bun.sleep(wait)
    sent.push(ask())
  }
  await Promise.all(sent)
}

const concurrent = () =>
  Promise.all(
    Array.from({ length: Number(atOnce) }, async () => {
      // A client that is refused waits, as Retry-After demands.
      while (left-- > 0) if ((await ask()) === "refused") await Bun.sleep(1_000)
    })
  )

await (Number(rate) > 0 ? steady() : concurrent())
const seconds = (performance.now() - started) / 1_000
console.log(JSON.stringify({ statuses, incomplete, seconds, answers: Number(rate) > 0 ? answers : [] }))
