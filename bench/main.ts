// `bun run bench` runs all benchmarks; `bun run bench crowd hot` only these.
// Every figure is a ratio of two measurements of the same run, or is printed with its target.
import * as Effect from "effect/Effect"
import { isMissing } from "../test/support/tools.ts"
import { binary } from "./binary.ts"
import { crowd } from "./crowd.ts"
import { memory } from "./day/memory.ts"
import { wallets } from "./day/wallets.ts"
import { day } from "./day.ts"
import { everything } from "./everything.ts"
import { history } from "./history.ts"
import { hot } from "./hot.ts"
import { networks } from "./networks.ts"
import { page } from "./page.ts"
import { proxy } from "./proxy.ts"
import { scale } from "./scale.ts"
import { scanner } from "./scanner.ts"
import { search } from "./search.ts"
import { stream } from "./stream.ts"
import { turn } from "./turn.ts"
import { unusable } from "./unusable.ts"

const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  scanner: async () => {
    if (isMissing("anvil"))
      console.log("\nthe scanner: skipped, the optional package @foundry-rs/anvil is not installed")
    else await Effect.runPromise(Effect.scoped(scanner))
  },
  // In this order, so that `networks` starts with empty caches and warm code.
  everything: () => Effect.runPromise(everything),
  networks: () => Effect.runPromise(networks),
  history: () => Effect.runPromise(history),
  hot,
  proxy,
  crowd,
  day: async () => {
    await Effect.runPromise(day)
    await wallets()
  },
  memory,
  turn,
  search,
  stream,
  page: async () => {
    if (isMissing("chromium")) console.log("\nthe page: skipped, chromium is not installed")
    else await Effect.runPromise(page)
  },
  binary,
  scale,
  unusable: () => Effect.runPromise(unusable)
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => parts[name] === undefined)
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; allowed: ${Object.keys(parts).join(", ")}`)
  process.exit(1)
}
for (const [name, part] of Object.entries(parts)) if (named.length === 0 || named.includes(name)) await part()
