/** What there is to be compared with: `Bun.serve` and nothing else, with the bytes of a file and the fields of a header. */
const [path = "", fields = "{}"] = process.argv.slice(2)
// A Blob is sent as it is, where a Uint8Array would be copied for each answer.
const body = new Blob([await Bun.file(path).bytes()])
const headers = JSON.parse(fields)
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => new Response(body, { headers })
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
