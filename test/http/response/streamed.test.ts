import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type StreamedPart, streamed, streamedEvents } from "../../../src/http/response/streamed.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const chunksOf = (response: ReturnType<typeof streamed>) => {
  const { body } = response
  assert(body._tag === "Stream")
  return Effect.map(Stream.runCollect(body.stream), (chunks) =>
    Chunk.toReadonlyArray(chunks).map((bytes) => new TextDecoder().decode(bytes as Uint8Array))
  )
}

/** A part that counts how often its elements are encoded. */
const counted = (names: ReadonlyArray<string>, failures = 0) => {
  const counts = new Map<string, number>()
  const elements = names.map((name) => ({
    toJSON: () => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return name
    }
  }))
  return { counts, part: { elements, failures } satisfies StreamedPart }
}

describe("a stream of parts", () => {
  it("sends each part as one chunk, and encodes each element once", function* () {
    const [first, second] = [counted(["a", "b"]), counted(["c"], 1)]
    const parts = Stream.concat(Stream.make(first.part), Stream.make(second.part))
    const expected = {
      "application/x-ndjson": ['"a"\n"b"\n', '"c"\n', '{"done":true,"failures":1}\n'],
      "text/event-stream": [
        'data: "a"\n\ndata: "b"\n\n',
        'data: "c"\n\n',
        'event: done\ndata: {"done":true,"failures":1}\n\n'
      ]
    } as const
    for (const form of ["application/x-ndjson", "text/event-stream"] as const)
      assert.deepStrictEqual(yield* chunksOf(streamed(form, parts)), [...expected[form]])
    assert.deepStrictEqual(
      [...first.counts, ...second.counts],
      [
        ["a", 2],
        ["b", 2],
        ["c", 2]
      ]
    )
  })

  it("sends parts that are available at once together, and starts to count again for each reader", function* () {
    const response = streamedEvents(undefined, Stream.make(counted(["a"]).part, counted(["b"]).part), () => "row")
    for (const _ of ["first reader", "second reader"])
      assert.deepStrictEqual(yield* chunksOf(response), [
        'event: row\nid: 1\ndata: "a"\n\nevent: row\nid: 2\ndata: "b"\n\n',
        'event: end\nid: end\ndata: {"done":true,"failures":0}\n\n'
      ])
  })
})
