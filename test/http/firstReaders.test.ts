import * as Effect from "effect/Effect"
import { main, startScript } from "../support/command.ts"
import { leave, madeOnce, responsesOf } from "../support/firstReaders.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

const started = Effect.gen(function* () {
  const { until } = yield* startScript([main, "serve"], sandbox)
  const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
  return url
})

const responds = (url: string, path: string, status: number) =>
  Effect.map(responsesOf(url, path), (found) =>
    assert.deepStrictEqual(found, { statuses: Array(4).fill(status), bodies: 1 }, path)
  )

describe("a client that is the first and disconnects", () => {
  it.scopedLive("does not change the responses of later clients", function* () {
    const url = yield* started
    const others = ["/networks", "/metrics", "/health/ready", "/price/currencies", "/icon/bitcoin"]
    for (const path of [...Object.keys(madeOnce), ...others]) yield* leave(url, path, 5)
    for (const [path, status] of Object.entries(madeOnce)) yield* responds(url, path, status)
    for (const path of others) {
      const { status } = yield* Effect.promise(() => fetch(url + path))
      assert.notStrictEqual(status, 499, path)
    }
  })

  if (isAll)
    for (const [path, status] of Object.entries(madeOnce))
      for (const after of [1, 5, 20, 100, 400])
        it.scopedLive(`of a new process, does not change later responses: ${path} after ${after} ms`, function* () {
          const url = yield* started
          yield* leave(url, path, after)
          yield* responds(url, path, status)
        })
})
