/** Repeats a request on a few connections, and prints the number of complete responses per second. */
const [address = "", path = "", seconds = "1", ...fields] = process.argv.slice(2)
const { host, hostname, port } = new URL(address)
const connections = 32
const request = Buffer.from(
  `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: load\r\naccept: */*\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`
)
const length = /content-length: (\d+)/i

let answers = 0

interface State {
  /** Missing bytes of the body; zero before a header. */
  left: number
  /** The received part of an incomplete header. */
  before: Buffer | undefined
}

/** Number of missing body bytes after this part of the response; undefined if the header is incomplete. */
const bodyLeft = (chunk: Buffer): number | undefined => {
  const end = chunk.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const header = chunk.toString("latin1", 0, end)
  const size = length.exec(header)?.[1]
  if (!header.startsWith("HTTP/1.1 200") || size === undefined) throw new Error(`unexpected response: ${header}`)
  return Number(size) - (chunk.length - end - 4)
}

const sockets = await Promise.all(
  Array.from({ length: connections }, () =>
    Bun.connect<State>({
      hostname,
      port: Number(port),
      data: { left: 0, before: undefined },
      socket: {
        data: (socket, chunk) => {
          const state = socket.data
          if (state.left > 0) state.left -= chunk.length
          else {
            const all = state.before === undefined ? chunk : Buffer.concat([state.before, chunk])
            const left = bodyLeft(all)
            state.before = left === undefined ? Buffer.from(all) : undefined
            if (left === undefined) return
            state.left = left
          }
          if (state.left > 0) return
          answers++
          socket.write(request)
        }
      }
    })
  )
)
for (const socket of sockets) socket.write(request)
await Bun.sleep(300)
answers = 0
const started = performance.now()
await Bun.sleep(Number(seconds) * 1000)
console.log((answers / (performance.now() - started)) * 1000)
process.exit(0)
