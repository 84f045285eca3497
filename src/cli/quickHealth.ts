import { existsSync, writeSync } from "node:fs"
import { connect, isIP } from "node:net"
import { localUrl } from "../http/localUrl.ts"
import { tryOrElse } from "../kernel/tryOrElse.ts"

// `wallet-data health` as an image calls it every few seconds: without the modules of the service, whose start takes more
// processor time and memory than the check.

/** The defaults of HOST and PORT. */
export const defaults = { host: "0.0.0.0", port: "3000" } as const

/** Longest wait for a response, ms. */
const maxWait = 5_000

/** Prints the result in one line, and ends the process. A reader that has left is no error. */
const end = (succeeded: boolean, line: string, output = 1): never =>
  tryOrElse(
    (text) => {
      writeSync(output, text)
      return process.exit(succeeded ? 0 : 1)
    },
    `${line}\n`,
    (cause) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
      if (code === "EPIPE") return process.exit(succeeded ? 0 : 1)
      return end(false, `standard output: ${code}`, 2)
    }
  )

/** Host and port if they are numbers, and no file sets other ones; else undefined. */
const address = () => {
  const { HOST = "", HOST_FILE, PORT = "", PORT_FILE } = process.env
  const host = HOST === "" ? defaults.host : HOST
  const port = PORT === "" ? defaults.port : PORT
  const isPlain = isIP(host) !== 0 && /^[1-9]\d{0,4}$/.test(port) && Number(port) < 65_536
  return isPlain && HOST_FILE === undefined && PORT_FILE === undefined && !existsSync(".env")
    ? { host, port }
    : undefined
}

/** Checks the service, and ends the process, if these arguments and variables are simple; else returns false. */
export const checked = ([, option, ...others]: ReadonlyArray<string>): boolean => {
  const found = address()
  if (found === undefined || others.length > 0 || (option !== undefined && option !== "--live")) return false
  const word = option === undefined ? "ready" : "live"
  const { hostname, port } = new URL(localUrl(found.host, found.port))
  const url = `${localUrl(found.host, found.port)}/health/${word}`
  const host = hostname.replace(/^\[|\]$/g, "")
  const socket = connect({ port: port === "" ? 80 : Number(port), host, timeout: maxWait })
  let text = ""
  socket.on("timeout", () => end(false, `no response in time from ${url}`, 2))
  socket.on("error", () => end(false, `no response from ${url}`, 2))
  socket.on("close", () => end(false, `no response from ${url}`, 2))
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1")
    const [, status] = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(text) ?? []
    if (status === "200") end(true, word)
    if (status !== undefined) end(false, `not ${word}: ${url} responded with status ${status}`)
    if (text.length > 64) end(false, `no response from ${url}`, 2)
  })
  socket.write(`GET /health/${word} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`)
  return true
}
