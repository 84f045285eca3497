/** A minimal proxy in this runtime: forwards a call and returns the response. */
const [node = ""] = process.argv.slice(2)
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: async (request) => {
    const answer = await fetch(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: await request.text()
    })
    return new Response(await answer.text(), { headers: { "content-type": "application/json" } })
  }
})
console.log(`listening on ${server.url.href.replace(/\/$/, "")}"`)
