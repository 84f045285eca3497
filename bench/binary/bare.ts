const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("{}") })
console.log(`listening on ${server.url.href.replace(/\/$/, "")}`)
// As the service does, so that the exit code is the same.
process.on("SIGTERM", () => process.exit(0))
