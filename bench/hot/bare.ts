/** The baseline: `Bun.serve` alone, with the bytes of a file and given header fields. */
const [path = "", fields = "{}"] = process.argv.slice(2)
// A Blob is sent without a copy; a Uint8Array would be copied for each response.
const body = new Blob([await Bun.file(path).bytes()])
const headers = JSON.parse(fields)
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => new Response(body, { headers })
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
