import type { Guard } from "./guard.ts"
import { disconnected, unusable } from "./WalletDataError.ts"

/** The bytes of an answer as they arrive. The connection is closed when the iteration ends early. */
async function* chunks(response: Response, guard: Guard): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await guard.within(reader.read())
      if (done) return
      yield value
    }
  } catch (cause) {
    throw disconnected(cause)
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Decodes UTF-8 in pieces. */
const decoding = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  return (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch (cause) {
      throw unusable("The answer is not UTF-8", cause)
    }
  }
}

const checkSize = (bytes: number, maxBytes: number, what: string) => {
  if (bytes > maxBytes) throw unusable(`${what} has more than ${maxBytes} bytes`)
}

/** The whole body, and how many bytes it has. */
export const textOf = async (response: Response, guard: Guard, maxBytes: number) => {
  const decode = decoding()
  let bytes = 0
  let text = ""
  for await (const chunk of chunks(response, guard)) {
    bytes += chunk.byteLength
    checkSize(bytes, maxBytes, "The answer")
    text += decode(chunk)
  }
  return { bytes, text: text + decode() }
}

/** The value of a text from the service. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unusable("The answer is not valid JSON", cause)
  }
}

/** The lines of a body, each with its end; the time limit is for each piece of it. */
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
    // While the caller works on a line, the service is not late.
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
