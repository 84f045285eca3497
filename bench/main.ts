// Every figure is a ratio of two things measured in this run, or stands beside what is wanted of it.
import * as Effect from "effect/Effect"
import { anvilBinary } from "../test/support/anvil.ts"
import { binary } from "./binary.ts"
import { day } from "./day.ts"
import { everything } from "./everything.ts"
import { history } from "./history.ts"
import { hot } from "./hot.ts"
import { networks } from "./networks.ts"
import { proxy } from "./proxy.ts"
import { scanner } from "./scanner.ts"

if (anvilBinary === undefined)
  console.log("\nthe scanner: skipped, the optional package @foundry-rs/anvil is not installed")
else await Effect.runPromise(Effect.scoped(scanner))
// In this order, so that the second is measured with its caches empty and its code warm.
await Effect.runPromise(everything)
await Effect.runPromise(networks)
await Effect.runPromise(history)
await hot()
await proxy()
await Effect.runPromise(day)
await binary()
