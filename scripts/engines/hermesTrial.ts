import { attempt, type Client, check, collect, failureOf } from "../clientTrial.ts"
import { type Recorded, replaying, responseOf } from "./recording.ts"

// Calls recorded responses of a service through the client in Hermes, where `fetch` has no streams.

/** Timers that wait: those of the program fire at once, before what promises have to do. */
const keepTime = () => {
  const { setTimeout: later } = globalThis
  const timers = new Map<number, { readonly due: number; readonly work: () => void }>()
  let last = 0
  let isWaiting = false
  const wait = () => {
    if (isWaiting || timers.size === 0) return
    isWaiting = true
    later(turn)
  }
  const turn = () => {
    isWaiting = false
    const [id, timer] = [...timers].find(([, { due }]) => due <= Date.now()) ?? [0]
    timers.delete(id)
    wait()
    timer?.work()
  }
  const setTimeout = (work: () => void, delay = 0) => {
    timers.set(++last, { due: Date.now() + delay, work })
    wait()
    return last
  }
  Object.assign(globalThis, { setTimeout, clearTimeout: (id: number) => timers.delete(id) })
}

const row = { network: "ethereum", hash: "0xa", fee: "21000" }

/** A truncated stream yields what was received, then fails. */
const truncated = async (library: Client) => {
  const text = `${JSON.stringify(row)}\n`.repeat(3)
  const fetch = async () => responseOf({ status: 200, headers: {}, text })
  const values = library.make({ baseUrl: "http://wallet.test", fetch }).history.export({ networks: {} })
  const read: Array<unknown> = []
  const all = (async () => {
    for await (const value of values) read.push(value)
  })()
  check("an error at the end of a truncated stream", (await failureOf(library, all)).kind === "response")
  check("all values of a truncated stream", read.length === 3)
}

/** `maxBytes` limits the characters of a whole stream. */
const large = async (library: Client) => {
  const text = `${JSON.stringify(row)}\n{"done":true}\n`
  const fetch = async () => responseOf({ status: 200, headers: {}, text })
  const rows = (maxBytes: number) =>
    collect(library.make({ baseUrl: "http://wallet.test", fetch, maxBytes }).history.export({ networks: {} }))
  check("a stream of the largest size", (await rows(text.length)).length === 1)
  check("a stream that is too large", (await failureOf(library, rows(text.length - 1))).kind === "response")
}

const silent = async (library: Client) => {
  const client = library.make({ baseUrl: "http://wallet.test", fetch: () => new Promise(() => {}), retries: 0 })
  check("a timeout", (await failureOf(library, client.networks({ timeout: 1 }))).kind === "timeout")
}

/** Returns the number of balances; throws if a check fails. */
export const main = async (library: Client, baseUrl: string, recorded: ReadonlyArray<Recorded>): Promise<number> => {
  const { AbortSignal, ReadableStream, TextDecoder } = globalThis as Record<string, { any?: unknown } | undefined>
  check("no streams", ReadableStream === undefined && TextDecoder === undefined && AbortSignal?.any === undefined)
  keepTime()
  await truncated(library)
  await large(library)
  await silent(library)
  return attempt(library, { baseUrl, fetch: replaying(recorded) })
}
