import type { Guard } from "./guard.ts"
import { disconnected, unusable } from "./WalletDataError.ts"

/** A part of a body, and its size: bytes, or UTF-16 code units on platforms without streams. */
interface Chunk {
  readonly text: string
  readonly size: number
}

/**
 * Yields the text of a response as it arrives. Closes the connection when the iteration ends early. Platforms without
 * streams, such as React Native, have a single chunk at the end.
 */
async function* chunks(response: Response, guard: Guard, maxBytes: number): AsyncGenerator<Chunk, void, undefined> {
  const reader = response.body?.getReader?.()
  try {
    if (reader === undefined) {
      checkSize(Number(response.headers.get("content-length")), maxBytes, "The response")
      const text = await guard.waitFor(response.text())
      checkSize(text.length, maxBytes, "The response")
      yield { text, size: text.length }
      return
    }
    const decode = decoding()
    for (;;) {
      const { done, value } = await guard.waitFor(reader.read())
      yield done ? { text: decode(), size: 0 } : { text: decode(value), size: value.byteLength }
      if (done) return
    }
  } catch (cause) {
    throw disconnected(cause)
  } finally {
    reader?.cancel().catch(() => {})
  }
}

/** Creates a streaming UTF-8 decoder. */
const decoding = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  return (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch (cause) {
      throw unusable("The response is not UTF-8", cause)
    }
  }
}

const checkSize = (bytes: number, maxBytes: number, what: string) => {
  if (bytes > maxBytes) throw unusable(`${what} has more than ${maxBytes} bytes`)
}

/** Reads the whole body; returns the text and its size in bytes. */
export const textOf = async (response: Response, guard: Guard, maxBytes: number) => {
  let bytes = 0
  let text = ""
  for await (const chunk of chunks(response, guard, maxBytes)) {
    bytes += chunk.size
    checkSize(bytes, maxBytes, "The response")
    text += chunk.text
  }
  return { bytes, text }
}

/** Parses JSON from the service. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unusable("The response is not valid JSON, or is cut off", cause)
  }
}

/**
 * Yields the lines of a body, without line feeds; the last one may have none. The time limit applies to each chunk. Platforms without
 * streams yield all lines at the end, and the size limit applies to the whole body.
 */
export async function* linesOf(
  response: Response,
  guard: Guard,
  maxBytes: number
): AsyncGenerator<string, void, undefined> {
  let unfinished: Array<string> = []
  let bytes = 0
  guard.restart()
  for await (const { size, text } of chunks(response, guard, maxBytes)) {
    // The time that the caller spends on a line does not count towards the service's time limit.
    guard.pause()
    bytes += size
    const [first = "", ...others] = text.split("\n")
    unfinished.push(first)
    for (const next of others) {
      yield unfinished.join("")
      unfinished = [next]
      bytes = next.length
    }
    checkSize(bytes, maxBytes, "A line of the stream")
    guard.restart()
  }
  yield unfinished.join("")
}
