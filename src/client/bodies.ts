import type { Guard } from "./guard.ts"
import { disconnected, unusable } from "./WalletDataError.ts"

/** Yields the bytes of a response as they arrive. Closes the connection when the iteration ends early. */
async function* chunks(response: Response, guard: Guard): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await guard.waitFor(reader.read())
      if (done) return
      yield value
    }
  } catch (cause) {
    throw disconnected(cause)
  } finally {
    reader.cancel().catch(() => {})
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
  const decode = decoding()
  let bytes = 0
  let text = ""
  for await (const chunk of chunks(response, guard)) {
    bytes += chunk.byteLength
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
    throw unusable("The response is not valid JSON", cause)
  }
}

/** Yields the complete lines of a body, without line feeds. The time limit applies to each chunk. */
export async function* linesOf(
  response: Response,
  guard: Guard,
  maxBytes: number
): AsyncGenerator<string, void, undefined> {
  const decode = decoding()
  let unfinished: Array<string> = []
  let bytes = 0
  guard.restart()
  for await (const chunk of chunks(response, guard)) {
    // The time that the caller spends on a line does not count towards the service's time limit.
    guard.pause()
    bytes += chunk.byteLength
    const [first = "", ...others] = decode(chunk).split("\n")
    unfinished.push(first)
    for (const next of others) {
      yield unfinished.join("")
      unfinished = [next]
      bytes = next.length
    }
    checkSize(bytes, maxBytes, "A line of the stream")
    guard.restart()
  }
}
