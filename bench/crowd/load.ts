// Requests the balances of new addresses, `atOnce` requests concurrently, and prints the outcomes.
const [url = "", count = "", atOnce = "", first = "", ...networks] = process.argv.slice(2)

let left = Number(count)
let next = Number(first)
const statuses: Record<string, number> = {}
let incomplete = 0

const ask = async () => {
  const address = (next++).toString(16).padStart(40, "c0de")
  const response = await fetch(`${url}/balance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ networks: Object.fromEntries(networks.map((id) => [id, [`0x${address}`]])) })
  })
  const text = await response.text()
  statuses[response.status] = (statuses[response.status] ?? 0) + 1
  if (response.status === 200 && text.includes('"balance":null')) incomplete++
}

const started = performance.now()
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (left-- > 0) await ask()
  })
)
console.log(JSON.stringify({ statuses, incomplete, seconds: (performance.now() - started) / 1_000 }))
