import { write } from "node:fs"

/**
 * `Bun.serve` with only the runtime calls that the service needs per request: target, four header fields, a response
 * id, the client address, the duration, and a log line. This is an upper bound for the rate of the service.
 */
const [path = "", fields = "{}"] = process.argv.slice(2)
const body = new Blob([await Bun.file(path).bytes()])
const headers = new Headers(JSON.parse(fields))
const init = { status: 200, headers }
/** The buffer size of the service's log. */
const enough = 64 * 1024
const encoder = new TextEncoder()

let lines = ""
const log = (line: string) => {
  lines += line
  if (lines.length < enough) return
  const bytes = encoder.encode(lines)
  lines = ""
  write(1, bytes, 0, bytes.length, null, () => {})
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: (request, self) => {
    const started = process.hrtime.bigint()
    const { headers: sent, method, url } = request
    const target = url.slice(url.indexOf("/", 8))
    const accepted = sent.get("accept-encoding") ?? ""
    const condition = sent.has("if-none-match")
    const id = sent.get("x-request-id") ?? crypto.randomUUID()
    headers.set("x-request-id", id)
    const response = new Response(body, init)
    const client = self.requestIP(request)?.address ?? ""
    const agent = sent.get("user-agent") ?? ""
    const ms = Number(process.hrtime.bigint() - started) / 1e6
    log(`${Date.now()} ${method} ${target} ${accepted} ${condition} ${ms} ${id} ${client} ${agent}\n`)
    return response
  }
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
