import type { Guard } from "./guard.ts"
import { disconnected, unusable } from "./WalletDataError.ts"

/** A part of a body: text on platforms without streams. */
type Chunk = string | Uint8Array

/**
 * Yields a body as it arrives. Closes the connection when the iteration ends early. Platforms without streams, such as
 * React Native, have a single chunk at the end.
 */
async function* chunks(response: Response, guard: Guard, maxBytes: number): AsyncGenerator<Chunk, void, undefined> {
  const reader = response.body?.getReader?.()
  try {
    if (reader === undefined) {
      checkSize(Number(response.headers.get("content-length")), maxBytes, "The response")
      const text = await guard.waitFor(response.text())
      checkSize(text.length, maxBytes, "The response")
      yield text
      return
    }
    for (;;) {
      const { done, value } = await guard.waitFor(reader.read())
      if (done) return
      yield value
    }
  } catch (cause) {
    throw disconnected(cause)
  } finally {
    reader?.cancel().catch(() => {})
  }
}

/** Creates a decoder of chunks; without a chunk, it ends the text. */
const decoding = () => {
  let decoder: TextDecoder | undefined
  return (chunk?: Chunk): string => {
    if (typeof chunk === "string") return chunk
    try {
      if (chunk !== undefined) decoder ??= new TextDecoder("utf-8", { fatal: true })
      return decoder?.decode(chunk, { stream: chunk !== undefined }) ?? ""
    } catch (cause) {
      throw unusable("The response is not UTF-8", cause)
    }
  }
}

const checkSize = (bytes: number, maxBytes: number, what: string) => {
  if (bytes > maxBytes) throw unusable(`${what} has more than ${maxBytes} bytes`)
}

/** Reads the whole body; returns the text and its size: bytes, or UTF-16 code units on platforms without streams. */
export const textOf = async (response: Response, guard: Guard, maxBytes: number) => {
  const decode = decoding()
  let bytes = 0
  let text = ""
  for await (const chunk of chunks(response, guard, maxBytes)) {
    bytes += chunk.length
    checkSize(bytes, maxBytes, "The response")
    text += decode(chunk)
  }
  return { bytes, text: text + decode() }
}

/** Parses JSON from the service. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unusable("The response is not valid JSON, or is cut off", cause)
  }
}

/** Splits a chunk after its line feeds. */
function* piecesOf(chunk: Chunk): Generator<Chunk> {
  const feed = typeof chunk === "string" ? "\n" : 10
  for (let start = 0; start < chunk.length; ) {
    const end = chunk.indexOf(feed as never, start) + 1 || chunk.length
    yield chunk.slice(start, end)
    start = end
  }
}

/**
 * Yields the lines of a body; the last one may have no line feed. The time limit applies to each chunk. Platforms
 * without streams yield all lines at the end, and the size limit applies to the whole body.
 */
export async function* linesOf(
  response: Response,
  guard: Guard,
  maxBytes: number
): AsyncGenerator<string, void, undefined> {
  const decode = decoding()
  let unfinished: Array<string> = []
  let bytes = 0
  guard.restart()
  for await (const chunk of chunks(response, guard, maxBytes)) {
    // The time that the caller spends on a line does not count towards the service's time limit.
    guard.pause()
    for (const piece of piecesOf(chunk)) {
      const text = decode(piece)
      const isEnd = text.endsWith("\n")
      bytes += piece.length
      checkSize(isEnd ? bytes - 1 : bytes, maxBytes, "A line of the stream")
      unfinished.push(text)
      if (!isEnd) continue
      yield unfinished.join("")
      unfinished = []
      bytes = 0
    }
    guard.restart()
  }
  yield unfinished.join("") + decode()
}
