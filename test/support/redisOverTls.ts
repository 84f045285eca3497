import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Redis from "../../src/storage/redis/Redis.ts"
import { Store } from "../../src/storage/Store.ts"

// Process that writes a value to the Redis at this URL and reads it. A process loads trusted certificates only at its
// start.

const [url = ""] = process.argv.slice(2)

BunRuntime.runMain(
  Effect.gen(function* () {
    const entries = (yield* Store).open("prices", 1)
    yield* entries.setMany(new Map([["a", 1]]), "1 minute")
    yield* Console.log((yield* entries.getMany(["a"])).get("a"))
  }).pipe(
    Effect.provide(Redis.layer(Redacted.make(url), { strict: true })),
    Effect.tapError((error) => Console.error(error.message))
  ),
  { disableErrorReporting: true }
)
