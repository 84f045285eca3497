import * as Effect from "effect/Effect"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { CoinId } from "../src/domain/CoinId.ts"
import { search as find, searchIndex } from "../src/features/tokens/searchIndex.ts"
import { judge, listedTexts } from "../src/features/tokens/verdict.ts"
import * as Scheduler from "../src/kernel/Scheduler.ts"
import { listOf, type RegisteredToken } from "../src/providers/TokenRegistry.ts"
import { figure, median } from "./measure.ts"

const count = 20_000
const syllables = ["ba", "co", "di", "fu", "ge", "lo", "ma", "ne", "pi", "ro", "su", "ta", "usd", "x", "ether", "dog"]
const wordOf = (seed: number, length: number) =>
  Array.from({ length }, (_, index) => syllables[Math.floor(seed / 7 ** index) % syllables.length]).join("")

/** As many tokens as all lists have, on two networks. */
const tokens = Array.from(
  { length: count / 2 },
  (_, index): RegisteredToken => ({
    address: `0x${(0x1000_0000 + index).toString(16).padStart(40, "0")}`,
    coinId: CoinId.make(`coin-${index}`),
    symbol: wordOf(index * 31, 2).toUpperCase(),
    name: `${wordOf(index * 17, 2)} ${wordOf(index * 13, 3)} Token`,
    decimals: 18,
    thumbnail: ""
  })
)
const lists = new Map([
  ["ethereum", listOf(tokens, 0)],
  ["base", listOf([...tokens], 0)]
])

/** The longest turn of the event loop, in ms of CPU time: others may use the same core. */
const longestHold = async (run: () => Promise<unknown>) => {
  let longest = 0
  let last = process.cpuUsage()
  let isOver = false
  const tick = () => {
    const { system, user } = process.cpuUsage(last)
    longest = Math.max(longest, (system + user) / 1000)
    last = process.cpuUsage()
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await run()
  isOver = true
  return longest
}

/** The search for tokens among 20,000, and the verdict on one. */
export const search = async () => {
  console.log(`\nthe search among ${count} tokens`)
  const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.withScheduler(effect, Scheduler.make()))
  const index = await run(searchIndex(Catalogue.all, lists))
  const held: Array<number> = []
  for (let time = 0; time < 5; time++) held.push(await longestHold(() => run(searchIndex(Catalogue.all, lists))))
  const texts = ["u", "usd", "dog", "token", "coin-77", "ethereum", "nothing at all", "x", "baco", "t"]
  const costs = Array.from({ length: 30 }, () =>
    texts.map((text) => {
      const before = process.cpuUsage()
      find(
        index,
        text,
        20,
        ({ coinId }) => coinId.length,
        () => true
      )
      const { system, user } = process.cpuUsage(before)
      return (system + user) / 1000
    })
  )
  const worst = Math.max(...texts.map((_, at) => median(costs.map((some) => some[at] ?? 0))))
  const hold = median(held)
  figure("CPU time of the most expensive of ten searches", `${worst.toFixed(2)} ms`, "< 5 ms", worst < 5)
  figure("longest hold of the event loop by the index", `${hold.toFixed(1)} ms`, "< 10 ms", hold < 10)
  const listed = listedTexts(lists, Catalogue.all)
  const before = process.cpuUsage().user
  for (let at = 0; at < 2_000; at++)
    judge(
      {
        network: "ethereum",
        address: "0x1",
        name: `Visit ${at}.com to claim`,
        symbol: `USDТ${at}`,
        listed: false,
        hasPrice: false
      },
      listed
    )
  const each = (process.cpuUsage().user - before) / 2_000
  figure("CPU time of a verdict", `${each.toFixed(0)} µs`, "< 200 µs", each < 200)
}
