import { mkdirSync, rmdirSync } from "node:fs"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Store } from "../../src/storage/Store.ts"

// Process that claims a lease repeatedly. While it holds the lease it creates a folder, which fails if another process
// holds the lease too and has created the folder.

const [path = "", owner = ""] = process.argv.slice(2)
const room = `${path}.held`

BunRuntime.runMain(
  Effect.gen(function* () {
    const store = yield* Store
    let held = 0
    for (let round = 0; held < 50 && round < 50_000; round++) {
      // If the database file is locked for too long, the claim fails.
      if (!(yield* Effect.orElseSucceed(store.claim("rounds", owner, "1 hour"), () => false))) {
        yield* Effect.yieldNow()
        continue
      }
      mkdirSync(room)
      yield* Effect.sleep("1 millis")
      rmdirSync(room)
      held++
      yield* Effect.eventually(store.release("rounds", owner))
      yield* Effect.sleep("1 millis")
    }
    yield* Console.log(`held ${held} times`)
  }).pipe(Effect.provide(Sqlite.layer(path)))
)
