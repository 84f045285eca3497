/**
 * Sends bytes and returns the server's response once it closes the connection; undefined if that takes longer than
 * `limit`, ms.
 */
export const exchange = (url: string, bytes: string | Uint8Array, limit?: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const chunks: Array<Buffer> = []
    // Latin-1 maps each byte to a character.
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

/** The status of a response; 0 if it has none. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0)
