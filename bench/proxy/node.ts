/**
 * A node that is as fast as possible: responds to any call or batch with a result of 1 kB and the call's id. GET
 * returns the number of requests so far.
 */
const result = `"0x${"a1".repeat(512)}"`
const id = /"id":("?\d+"?)/g
let calls = 0
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: async (request) => {
    if (request.method === "GET") return new Response(String(calls))
    calls++
    const text = await request.text()
    const all = Array.from(text.matchAll(id), ([, own]) => `{"jsonrpc":"2.0","id":${own},"result":${result}}`)
    return new Response(text.startsWith("[") ? `[${all.join(",")}]` : all[0], {
      headers: { "content-type": "application/json" }
    })
  }
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
