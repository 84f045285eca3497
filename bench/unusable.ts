// The service without a request while its cache file cannot be used: processor time, and the longest wait of /health/live.
// Each reason comes while the service runs. Rows that need root are left out without it.
import * as Effect from "effect/Effect"
import { asUser, rows, usable } from "../test/storage/unusable.ts"
import { folder } from "../test/support/process.ts"
import { start, stop } from "./child.ts"

/** Measured time of each row, seconds. */
const seconds = 10

/** Largest accepted figures. */
const target = { share: 5, hold: 50 }

/** Processor time of a process, seconds. */
const used = (pid: number) => {
  const fields = (
    Bun.spawnSync(["cat", `/proc/${pid}/stat`])
      .stdout.toString()
      .split(") ")[1] ?? ""
  ).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const holdOf = async (url: string) => {
  let slowest = 0
  for (const until = performance.now() + 1_000 * seconds; performance.now() < until; await Bun.sleep(100)) {
    const began = performance.now()
    await (await fetch(`${url}/health/live`)).text()
    slowest = Math.max(slowest, performance.now() - began)
  }
  return slowest
}

const measured = (name: string, harm: (path: string) => unknown) =>
  Effect.gen(function* () {
    const path = yield* usable
    const logs = yield* folder
    const service = yield* Effect.acquireRelease(
      Effect.promise(() =>
        start(logs, "service", [...asUser, process.execPath, "src/main.ts", "serve"], {
          UPSTREAMS: "sandbox",
          PAGE: "off",
          PRICE_REFRESH_MS: "0",
          OHLC_REFRESH_MS: "0",
          HOST: "127.0.0.1",
          PORT: "0",
          SQLITE_PATH: path
        })
      ),
      (running) => Effect.promise(() => stop(running))
    )
    yield* Effect.promise(() => holdOf(service.url))
    yield* Effect.acquireRelease(
      Effect.sync(() => harm(path)),
      (undo) => Effect.sync(() => (typeof undo === "function" ? undo() : undefined))
    )
    yield* Effect.promise(() => fetch(`${service.url}/metrics`))
    const before = used(service.child.pid)
    const hold = yield* Effect.promise(() => holdOf(service.url))
    const share = (100 * (used(service.child.pid) - before)) / seconds
    console.log(
      `${name.padEnd(28)} ${share.toFixed(1).padStart(5)} % of a core (target: below ${target.share}), ` +
        `slowest response ${hold.toFixed(0)} ms (target: below ${target.hold})`
    )
  }).pipe(Effect.scoped)

/** One line for each reason, and one for a usable file. */
export const unusable = Effect.gen(function* () {
  console.log("\na cache file that cannot be used, without requests")
  yield* measured("a usable file", () => undefined)
  for (const [name, { harm, possible }] of Object.entries(rows))
    if (possible) yield* measured(name, (path) => harm(path, "while it runs"))
})
