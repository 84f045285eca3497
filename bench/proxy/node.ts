/** A node as fast as can be: it answers any call with a word of 1 kB and the call's id, and says how many there were. */
const result = `"0x${"a1".repeat(512)}"`
const id = /"id":("?\d+"?)/
let calls = 0
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: async (request) => {
    if (request.method === "GET") return new Response(String(calls))
    calls++
    const own = id.exec(await request.text())?.[1] ?? "null"
    return new Response(`{"jsonrpc":"2.0","id":${own},"result":${result}}`, {
      headers: { "content-type": "application/json" }
    })
  }
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
