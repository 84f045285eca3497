import { setPriority } from "node:os"
import { addEqualityTesters } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { beforeEach } from "vitest"
import { compareStrictly, failsWithoutAssertion } from "./assertions.ts"
import { resetMethods } from "./methods.ts"
import { rest } from "./simulated.ts"

addEqualityTesters()

compareStrictly()

beforeEach(failsWithoutAssertion)

resetMethods()

FastCheck.configureGlobal({ seed: Number(process.env.SEED) })

// The runner's main process comes first: a worker whose report is not read for a minute fails the run.
setPriority(5)

// What is loaded already takes no round of the event loop to be imported, so that no clock of a test goes on meanwhile.
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
  import("@effect/platform/HttpApiScalar"),
  import("@scure/sr25519"),
  import("viem/accounts")
])

// Before each wake-up the TestClock waits until all fibers are suspended: for three timers, 4 ms of doing nothing, and
// thousands of wake-ups make up half of the time of all tests. Rounds of the event loop show the same in 30 µs.
Effect.runSync(
  Effect.provide(
    Effect.map(TestClock.testClock(), (clock) =>
      Object.assign(Object.getPrototypeOf(clock), { awaitSuspended: () => rest })
    ),
    TestContext.TestContext
  )
)
