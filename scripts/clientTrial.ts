import { polyfill } from "../test/support/reactNativeFetch.ts"

// Calls a service through the client in any runtime: with the platform's `fetch`, then with that of React Native.

export type Client = typeof import("../src/client/Client.ts")

const networks = {
  ethereum: ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"],
  bitcoin: ["bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"],
  zkevm: ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"]
}

export const check = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`wrong: ${what}`)
}

export const collect = async <A>(values: AsyncIterable<A>) => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

/** The error that a call fails with. */
export const failureOf = async ({ WalletDataError }: Client, call: PromiseLike<unknown>) => {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause
  )
  if (error instanceof WalletDataError) return error
  throw new Error(`no WalletDataError: ${error}`)
}

/** Returns the number of balances; throws if a check fails. */
export const attempt = async (library: Client, options: Parameters<Client["make"]>[0]): Promise<number> => {
  const { make } = library
  const client = make(options)
  const failure = (call: PromiseLike<unknown>) => failureOf(library, call)
  const rows = await client.balances({ networks })
  check("balances", rows.some(({ balance }) => balance !== null) && rows.some(({ error }) => error !== undefined))
  const stream = client.balances.stream({ networks })
  check("as many rows in the stream", (await collect(stream)).length === rows.length)
  const history = client.history.stream({ networks, limit: 1 })
  check("streams of histories", (await collect(history)).length === 3 && history.failures.length === 1)
  const { partialFailures, requestId } = await client.history({ networks, limit: 1 }).withResponse()
  check("partial failures", partialFailures.length === 1 && requestId !== undefined)
  await client.charts.item("bitcoin", 1)
  check("responses with an ETag", (await client.charts.item("bitcoin", 1).withResponse()).cached)
  check("problems", (await failure(client.prices.chain(["x"]))).issues[0]?.path === "network_ids.0")
  const refused = await failure(client.transactions.sendRaw({ chain: "bitcoin", tx: "00" }))
  check("a refused transaction", refused.status === 400 && !refused.mayHaveArrived)
  const unreachable = make({ ...options, baseUrl: "http://127.0.0.1:2", retries: 0 })
  const lost = await failure(unreachable.transactions.sendRaw({ chain: "bitcoin", tx: "00" }))
  check("a transaction that may have arrived", lost.kind === "network" && lost.mayHaveArrived)
  check("the cause of a failure", lost.cause instanceof Error)
  const controller = new AbortController()
  const left = failure(client.networks({ signal: controller.signal, timeout: 0 }))
  controller.abort()
  check("an abort", (await left).kind === "aborted")
  return rows.length
}

/** Reads a long stream. If the runtime has a figure of its memory, it must not grow with the rows. */
const stream = async ({ make }: Client) => {
  const row = `${JSON.stringify({ network: "ethereum", hash: `0x${"a".repeat(64)}`, fee: "21000" })}\n`
  const { gc, process } = globalThis as {
    gc?: () => void
    process?: { memoryUsage: () => { arrayBuffers: number; external: number; heapUsed: number } }
  }
  const used = () => {
    gc?.()
    const { arrayBuffers = 0, external = 0, heapUsed = 0 } = process?.memoryUsage() ?? {}
    return arrayBuffers + external + heapUsed
  }
  let left = 2_000
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(new TextEncoder().encode(left === 0 ? '{"done":true}\n' : row.repeat(500)))
        if (left-- === 0) controller.close()
      }
    })
  const client = make({ baseUrl: "http://wallet.test", fetch: async () => new Response(body()) })
  const memory = new Map<number, number>()
  let read = 0
  for await (const _ of client.history.export({ networks: {} }))
    if (++read === 50_000 || read === 1_000_000) memory.set(read, used())
  const grown = (memory.get(1_000_000) ?? Number.NaN) - (memory.get(50_000) ?? 0)
  check("memory during a long stream", gc === undefined ? read === 1_000_000 : grown < 16 * 2 ** 20)
}

/** Returns the number of balances; throws if a check fails. */
export const main = async (client: Client, baseUrl: string): Promise<number> => {
  await stream(client)
  await attempt(client, { baseUrl })
  return attempt(client, { baseUrl, fetch: polyfill((url, init) => fetch(url, init)) })
}
