import { connect } from "node:net"
import * as Effect from "effect/Effect"
import { resident } from "../../../bench/fuzz/process.ts"
import { headLimit, longestHead } from "../../../scripts/build.ts"
import { main, startScript } from "../../support/command.ts"
import { hashOf, sample, serialize } from "../../support/rawTransactions.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

/** A transaction of 400,000 hexadecimal digits. */
const large = sample(200_000 - (serialize(sample(70_000)).length / 2 - 70_000))

describe("the service as a separate process", () => {
  it.scopedLive(
    "sends a raw transaction of 400,000 hexadecimal digits, from the query and from a body, and limits unfinished heads",
    function* () {
      const tx = serialize(large)
      assert.strictEqual(tx.length, 400_000)
      const { child, until } = yield* startScript([headLimit, main, "serve"], sandbox)
      const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
      const answered = (path: string, init: RequestInit) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/utils/${path}`, { method: "POST", ...init })
          return [response.status, await response.json()] as const
        })
      const headers = { "content-type": "application/json" }
      const taken = [200, { result: hashOf(large), error: null, id: null }]
      assert.deepStrictEqual(yield* answered(`sendrawtransaction?chain=bitcoin&tx=${tx}`, {}), taken as never)
      const inBody = { headers, body: JSON.stringify({ chain: "doge", tx }) }
      assert.deepStrictEqual(yield* answered("sendrawtransaction", inBody), taken as never)
      const found = yield* answered(`getrawtransaction?chain=bitcoin&tx=${hashOf(large)}`, {})
      assert.deepStrictEqual(found, [200, { result: tx, error: null, id: null }] as never)

      // The runtime keeps unfinished heads in memory, also of clients without a key (github.com/oven-sh/bun/issues/20488).
      const before = resident(child.pid)
      const head = Buffer.from("GET /health/live HTTP/1.1\r\nhost: a\r\nx-long: ".padEnd(longestHead - 1_000, "a"))
      const sockets = Array.from({ length: 100 }, () => connect(Number(new URL(url).port), "127.0.0.1"))
      yield* Effect.promise(() =>
        Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(head, resolve))))
      )
      // The service reads a part of each connection between two responses.
      for (let round = 0; round < 20; round++) yield* Effect.promise(() => fetch(`${url}/health/live`))
      assert.isAtMost(resident(child.pid) - before, 64)
      for (const socket of sockets) socket.destroy()
    }
  )
})
