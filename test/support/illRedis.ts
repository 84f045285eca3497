/**
 * Faults of a Redis server: closes connections, never responds, is still loading, has too many clients, or is an HTTP
 * server.
 */
export const redisFaults = ["refusing", "silent", "loading", "full", "http"] as const
export type RedisFault = (typeof redisFaults)[number]

const replies: Readonly<Record<RedisFault, { readonly text: string; readonly ends: boolean } | undefined>> = {
  refusing: { text: "", ends: true },
  silent: undefined,
  loading: { text: "-LOADING Redis is loading the dataset in memory\r\n", ends: false },
  full: { text: "-ERR max number of clients reached\r\n", ends: true },
  http: { text: "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", ends: true }
}

/** Number of commands (RESP arrays) in these bytes. */
const commands = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString("latin1")
    .match(/^\*\d+\r$/gm)?.length ?? 1

/** A proxy in front of the Redis at this address that can simulate faults. */
export const faultyRedis = (address: string) => {
  const { hostname, port } = new URL(address)
  let illness: RedisFault | undefined
  const open = new Map<Bun.Socket, Promise<Bun.Socket> | undefined>()
  const replicas = new Set<Bun.Socket>()

  const answer = (socket: Bun.Socket, count: number) => {
    const reply = illness === undefined ? undefined : replies[illness]
    if (reply === undefined) return
    socket.write(reply.ends ? reply.text : reply.text.repeat(count))
    if (reply.ends) socket.end()
  }

  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        if (illness !== undefined) {
          open.set(socket, undefined)
          if (illness === "refusing" || illness === "full") answer(socket, 1)
          return
        }
        const behind = Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            data: (_, chunk) => {
              if (illness === undefined) socket.write(chunk)
            },
            close: () => void socket.end()
          }
        })
        behind.catch(() => socket.end())
        open.set(socket, behind)
      },
      data: (socket, chunk) => {
        const behind = open.get(socket)
        if (replicas.has(socket)) {
          for (const _ of Array.from({ length: commands(chunk) }))
            socket.write(
              chunk.includes("PING") ? "+PONG\r\n" : "-READONLY You can't write against a read only replica.\r\n"
            )
        } else if (illness !== undefined) answer(socket, commands(chunk))
        // A connection that was opened during a fault never responds, like that of a dead peer.
        else if (behind === undefined) return
        else void behind.then((peer) => peer.write(new Uint8Array(chunk)))
      },
      close: (socket) => {
        void open.get(socket)?.then((peer) => peer.end())
        open.delete(socket)
      }
    }
  })

  return {
    url: `redis://127.0.0.1:${server.port}`,
    set: (kind: RedisFault | undefined): void => {
      illness = kind
      if (kind === "refusing") for (const socket of open.keys()) socket.end()
    },
    /** From now on the open connections lead to a replica, and new ones to the primary. */
    demote: (): void => {
      for (const socket of open.keys()) replicas.add(socket)
    },
    stop: (): void => server.stop(true)
  }
}
