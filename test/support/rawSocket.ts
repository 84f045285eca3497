/** What a server sends back to these bytes, until it closes; undefined if a limit (ms) is given and it closes later. */
export const exchange = (url: string, bytes: string | Uint8Array, limit?: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const chunks: Array<Buffer> = []
    // Latin-1, so that a character is a byte.
    const received = () => Buffer.concat(chunks).toString("latin1")
    const timer = limit === undefined ? undefined : setTimeout(() => resolve(undefined), limit)
    const end = () => {
      clearTimeout(timer)
      resolve(received())
    }
    let rest: Uint8Array = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes
    const send = (socket: Bun.Socket) => {
      rest = rest.subarray(Math.max(0, socket.write(rest)))
    }
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: send,
        drain: (socket) => {
          if (rest.length > 0) send(socket)
        },
        data: (_, chunk) => {
          chunks.push(Buffer.from(chunk))
        },
        close: end,
        error: end
      }
    }).catch(end)
  })

/** The status of an answer; 0 where there is none. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0)
