import * as Effect from "effect/Effect"

/** Routes whose response is made once, for all clients, and the status of later responses. */
export const madeOnce: Readonly<Record<string, number>> = {
  "/": 200,
  "/page/none.js": 404,
  "/favicon.ico": 200,
  "/docs": 200,
  "/openapi.json": 200
}

/** Sends a GET and closes the connection after this time, ms. */
export const leave = (url: string, path: string, after: number) =>
  Effect.async<void>((resume) => {
    const { hostname, port } = new URL(url)
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => {
          socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
          setTimeout(() => socket.end(), after)
        },
        data: () => {},
        close: () => resume(Effect.void)
      }
    })
  })

/** Statuses of a path in each encoding, and the number of different bodies. */
export const responsesOf = (url: string, path: string) =>
  Effect.promise(async () => {
    const statuses: Array<number> = []
    const bodies = new Set<string>()
    for (const encoding of ["identity", "gzip", "br", "zstd"]) {
      const response = await fetch(url + path, { headers: { "accept-encoding": encoding, "x-request-id": "one" } })
      statuses.push(response.status)
      bodies.add(await response.text())
    }
    return { statuses, bodies: bodies.size }
  })
