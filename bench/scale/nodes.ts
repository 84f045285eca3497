/**
 * Nodes that allow a number of calls in a minute and at once, and answer 429 above: `/<name>`. The first argument has the
 * limits by name. GET `/counts/<name>` returns what a node has received.
 */
export interface Allowed {
  readonly perMinute?: number
  readonly atOnce?: number
  /** Time of a call, ms. */
  readonly time: number
  /** Demanded after a refusal, seconds. */
  readonly pause: number
}

export interface Received {
  readonly calls: number
  readonly refused: number
  /** The most calls in any minute, with those that were refused. */
  readonly inMinute: number
  readonly atOnce: number
}

const minute = 60_000

const nodeOf = ({ atOnce = Number.POSITIVE_INFINITY, perMinute = Number.POSITIVE_INFINITY }: Allowed) => {
  /** When calls arrived, ms. */
  const all: Array<number> = []
  let served: Array<number> = []
  let [inFlight, most, refused] = [0, 0, 0]
  return {
    /** Runs the calls of a request if they are allowed. */
    run: async (calls: number, work: () => Promise<void>): Promise<boolean> => {
      const now = performance.now()
      for (let call = 0; call < calls; call++) all.push(now)
      served = served.filter((at) => at > now - minute)
      inFlight += calls
      most = Math.max(most, inFlight)
      const isAllowed = inFlight <= atOnce && served.length + calls <= perMinute
      if (isAllowed) {
        for (let call = 0; call < calls; call++) served.push(now)
        await work()
      } else refused += calls
      inFlight -= calls
      return isAllowed
    },
    received: (): Received => ({
      calls: all.length,
      refused,
      inMinute: Math.max(0, ...all.map((from) => all.filter((at) => at >= from && at < from + minute).length)),
      atOnce: most
    })
  }
}

const result = `{"slot":1,"text":"${"a1".repeat(512)}"}`
const id = /"id":\s*("?\d+"?)/g

if (import.meta.main) {
  const allowed = JSON.parse(process.argv[2] ?? "{}") as Readonly<Record<string, Allowed>>
  const nodes = new Map(Object.entries(allowed).map(([name, limits]) => [name, { limits, node: nodeOf(limits) }]))
  const server = Bun.serve({
    port: 0,
    // All addresses of 127.0.0.0/8: each node has its own.
    hostname: "0.0.0.0",
    development: false,
    fetch: async (request) => {
      const [, first = "", second = ""] = new URL(request.url).pathname.split("/")
      const found = nodes.get(first === "counts" ? second : first)
      if (found === undefined) return new Response("", { status: 404 })
      if (first === "counts") return Response.json(found.node.received())
      const { limits, node } = found
      const text = await request.text()
      const replies = Array.from(text.matchAll(id), ([, own]) => `{"jsonrpc":"2.0","id":${own},"result":${result}}`)
      const isAllowed = await node.run(replies.length, () => Bun.sleep(limits.time))
      if (!isAllowed) return new Response("", { status: 429, headers: { "retry-after": String(limits.pause) } })
      return new Response(text.startsWith("[") ? `[${replies.join(",")}]` : replies[0], {
        headers: { "content-type": "application/json" }
      })
    }
  })
  console.log(`listening on http://127.0.0.1:${server.port}"`)
}
