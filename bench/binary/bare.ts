const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("{}") })
console.log(`listening on ${server.url.href.replace(/\/$/, "")}`)
// Same exit code as the service.
process.on("SIGTERM", () => process.exit(0))
