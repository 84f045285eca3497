import { readFileSync } from "node:fs"

/** What there is to be compared with: `Bun.serve` and nothing else, with the bytes of a file. */
const [path = "", encoding = ""] = process.argv.slice(2)
const body = new Uint8Array(readFileSync(path))
const headers = { "content-type": "application/json", ...(encoding === "" ? {} : { "content-encoding": encoding }) }
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => new Response(body, { headers })
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
