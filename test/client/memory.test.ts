import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"

const rowsOfChunk = 500
const row = JSON.stringify({ network: "ethereum", hash: `0x${"a".repeat(64)}`, fee: "21000" })

/** A stream of this number of rows, whose chunks are as large as those of a network. */
const rows = (count: number) => {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent === count) {
        controller.enqueue(new TextEncoder().encode('{"done":true,"failures":0}\n'))
        return controller.close()
      }
      sent += rowsOfChunk
      controller.enqueue(new TextEncoder().encode(`${row}\n`.repeat(rowsOfChunk)))
    }
  })
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } })
}

const used = () => {
  Bun.gc(true)
  const { arrayBuffers, external, heapUsed } = process.memoryUsage()
  return (arrayBuffers + external + heapUsed) / 2 ** 20
}

describe("the memory of a stream", () => {
  it("does not grow with the rows that were read", async () => {
    const client = make({ baseUrl: "http://wallet.test", fetch: async () => rows(1_000_000) })
    const after: Record<number, number> = {}
    let read = 0
    for await (const _ of client.history.export({ networks: {} }))
      if (++read === 50_000 || read === 1_000_000) after[read] = used()
    assert.isBelow((after[1_000_000] ?? Number.NaN) - (after[50_000] ?? Number.NaN), 16)
  })
})
