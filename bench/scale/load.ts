/**
 * Repeats a request on a few connections. Prints as JSON: complete responses per second, p50 and p99 latency (ms), and
 * its own CPU use as a fraction of one core.
 */
const [address = "", method = "GET", path = "/", body = "", seconds = "1", connections = "32"] = process.argv.slice(2)
const { host, hostname, port } = new URL(address)
const fields = body === "" ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
const request = Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: */*\r\n${fields}\r\n${body}`)
const length = /content-length: (\d+)/i

let times: Array<number> = []

interface State {
  received: Buffer
  sent: number
}

/** Size of the complete response in bytes; undefined if the header is incomplete. */
const sizeOf = (received: Buffer): number | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const header = received.toString("latin1", 0, end)
  const size = length.exec(header)?.[1]
  if (!header.startsWith("HTTP/1.1 200") || size === undefined) throw new Error(`unexpected response: ${header}`)
  return end + 4 + Number(size)
}

const send = (socket: { data: State; write: (bytes: Buffer) => number }) => {
  socket.data.sent = performance.now()
  socket.write(request)
}

const sockets = await Promise.all(
  Array.from({ length: Number(connections) }, () =>
    Bun.connect<State>({
      hostname,
      port: Number(port),
      data: { received: Buffer.alloc(0), sent: 0 },
      socket: {
        data: (socket, chunk) => {
          const { data } = socket
          data.received = data.received.length === 0 ? Buffer.from(chunk) : Buffer.concat([data.received, chunk])
          const size = sizeOf(data.received)
          if (size === undefined || data.received.length < size) return
          data.received = data.received.subarray(size)
          times.push(performance.now() - data.sent)
          send(socket)
        }
      }
    })
  )
)
for (const socket of sockets) send(socket)
await Bun.sleep(500)
times = []
const cpu = process.cpuUsage()
const started = performance.now()
await Bun.sleep(Number(seconds) * 1000)
const elapsed = performance.now() - started
const { system, user } = process.cpuUsage(cpu)
const sorted = Float64Array.from(times).sort()
const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
console.log(
  JSON.stringify({
    rate: (sorted.length / elapsed) * 1000,
    p50: at(0.5),
    p99: at(0.99),
    processor: (user + system) / 1000 / elapsed
  })
)
process.exit(0)
