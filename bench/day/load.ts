// Opens wallets at a steady rate: balances and histories concurrently. Prints the time of each and the incomplete ones.
// WALLETS is a number of wallets to choose from, a few of which are opened often; without it, each open is a new wallet.
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { samples } from "../../test/chains/families/samples.ts"

const [url = "", rate = "", seconds = "", first = "", ...networks] = process.argv.slice(2)

const facts = Catalogue.all.filter(({ id }) => networks.includes(id))

const post = async (path: string, body: unknown) => {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  const failures = JSON.parse(response.headers.get("x-partial-failures") ?? "[]") as ReadonlyArray<unknown>
  return response.status === 200 && failures.length === 0 && !text.includes('"balance":null')
}

const times = { balance: [] as Array<number>, history: [] as Array<number> }
let incomplete = 0

const open = async (index: number) => {
  const wallet = Object.fromEntries(facts.map((info) => [info.id, samples(info, 1, index)]))
  const measured = async (kind: keyof typeof times, body: unknown) => {
    const started = performance.now()
    const isComplete = await post(`/${kind}`, body)
    times[kind].push(performance.now() - started)
    if (!isComplete) incomplete++
  }
  await Promise.all([measured("balance", { networks: wallet }), measured("history", { networks: wallet, limit: 20 })])
}

const wallets = Number(process.env.WALLETS ?? 0)
const chosen = (index: number) => (wallets > 0 ? Math.floor(wallets * Math.random() ** 3) : Number(first) + index)

const count = Math.round(Number(rate) * Number(seconds))
const started = performance.now()
const opens: Array<Promise<void>> = []
for (let index = 0; index < count; index++) {
  await Bun.sleep(Math.max(0, started + (1_000 * index) / Number(rate) - performance.now()))
  opens.push(open(chosen(index)))
}
await Promise.all(opens)
console.log(JSON.stringify({ ...times, incomplete }))
