/**
 * Sends distinct calls to a node on a few connections, and prints the responses per second and their p50 and p99
 * latency, ms.
 */
const [address = "", seconds = "1", connections = "32"] = process.argv.slice(2)
const { host, hostname, pathname, port } = new URL(address)
const length = /content-length: (\d+)/i
const chunked = /transfer-encoding: chunked/i

let asked = 0
const next = (): Buffer => {
  const data = `0x70a08231${(asked++).toString(16).padStart(64, "0")}`
  const call = { to: "0xdac17f958d2ee523a2206206994597c13d831ec7", data }
  const body = JSON.stringify({ jsonrpc: "2.0", id: asked, method: "eth_call", params: [call, "latest"] })
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: load\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}

let times: Array<number> = []
let count = 0

/** Whether the response is complete; throws if it is not a 200. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return false
  const header = text.slice(0, end)
  if (!header.startsWith("HTTP/1.1 200")) throw new Error(text)
  if (chunked.test(header)) return text.endsWith("0\r\n\r\n")
  return text.length - end - 4 >= Number(length.exec(header)?.[1])
}

const sockets = await Promise.all(
  Array.from({ length: Number(connections) }, () =>
    Bun.connect<{ text: string; began: number }>({
      hostname,
      port: Number(port),
      data: { text: "", began: 0 },
      socket: {
        data: (socket, chunk) => {
          const state = socket.data
          state.text += chunk.toString("latin1")
          if (!isWhole(state.text)) return
          if (!state.text.includes('"result":"0xa1')) throw new Error(state.text)
          const now = performance.now()
          times.push(now - state.began)
          count++
          state.text = ""
          state.began = now
          socket.write(next())
        }
      }
    })
  )
)
for (const socket of sockets) {
  socket.data.began = performance.now()
  socket.write(next())
}
await Bun.sleep(500)
times = []
const started = performance.now()
await Bun.sleep(Number(seconds) * 1000)
const rate = (times.length / (performance.now() - started)) * 1000
const sorted = times.sort((a, b) => a - b)
const at = (share: number) => sorted[Math.floor(sorted.length * share)]
console.log(JSON.stringify({ count, rate, p50: at(0.5), p99: at(0.99) }))
process.exit(0)
