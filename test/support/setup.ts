import { setPriority } from "node:os"
import { addEqualityTesters } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { beforeEach } from "vitest"
import { compareStrictly, observeAssertions } from "./assertions.ts"
import { resetMethods } from "./methods.ts"
import { untilIdle } from "./simulated.ts"

addEqualityTesters()

compareStrictly()

beforeEach(observeAssertions)

resetMethods()

FastCheck.configureGlobal({ seed: Number(process.env.SEED) })

// Gives the runner's main process priority: the run fails if a worker's report is not read within a minute.
setPriority(5)

// The service collects garbage after many large responses: with the modules of all tests, 0.5 s each time.
Bun.gc = () => 0

// Preloads modules that are imported dynamically: a loaded module needs no round of the event loop, during which a
// test's clock could advance.
await Promise.all([
  import("../../src/chains/cardano/Cardano.ts"),
  import("../../src/chains/evm/Evm.ts"),
  import("../../src/chains/polkadot/Polkadot.ts"),
  import("../../src/chains/ripple/Ripple.ts"),
  import("../../src/chains/solana/Solana.ts"),
  import("../../src/chains/sui/Sui.ts"),
  import("../../src/chains/ton/Ton.ts"),
  import("../../src/chains/tron/Tron.ts"),
  import("../../src/chains/utxo/Utxo.ts"),
  import("../../src/chains/evm/chains.ts"),
  import("../../src/sandbox/Sandbox.ts"),
  import("../../src/telemetry/prettyLogger.ts"),
  import("@scure/sr25519"),
  import("viem/accounts")
])

// Before each wake-up the TestClock waits until all fibers are suspended. Its own implementation sleeps for three
// timers, 4 ms: with thousands of wake-ups, half of the time of all tests. Rounds of the event loop detect the same in
// 30 µs.
Effect.runSync(
  Effect.provide(
    Effect.map(TestClock.testClock(), (clock) =>
      Object.assign(Object.getPrototypeOf(clock), { awaitSuspended: () => untilIdle })
    ),
    TestContext.TestContext
  )
)
