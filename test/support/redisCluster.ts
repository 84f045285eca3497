import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { eventually, folder, onFreePort, start } from "./process.ts"
import { redisServer } from "./redis.ts"
import { tool } from "./tools.ts"

type Server = Effect.Effect.Success<ReturnType<typeof redisServer>>

const portOf = ({ url }: Server) => new URL(url).port

const info = ({ command }: Server, section: string) => Effect.map(command("CLUSTER", section), String)

/** Succeeds once this text is in what the server says. */
const says = (server: Server, section: string, text: string) =>
  eventually(Effect.filterOrFail(info(server, section), (said) => said.includes(text)))

const clusterOptions = "--cluster-enabled yes --repl-diskless-sync-delay 0".split(" ")

/** Three primaries of a Redis Cluster, each with a third of the slots, and on request a replica of the first. */
export const redisCluster = Effect.fnUntraced(function* (withReplica = false, ...more: ReadonlyArray<string>) {
  const starting = Effect.replicateEffect(redisServer(...clusterOptions, ...more), withReplica ? 4 : 3)
  const servers = yield* starting
  const [first, second, third, replica] = servers as [Server, Server, Server, Server | undefined]
  const primaries = [first, second, third] as const
  for (const [index, { command }] of primaries.entries()) {
    const [from, to] = [index * 5_461, index === 2 ? 16_383 : (index + 1) * 5_461 - 1]
    yield* command("CLUSTER", "ADDSLOTSRANGE", String(from), String(to))
    yield* command("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1))
  }
  for (const other of servers.slice(1)) yield* first.command("CLUSTER", "MEET", "127.0.0.1", portOf(other))
  for (const server of servers) {
    yield* says(server, "INFO", "cluster_state:ok")
    yield* says(server, "INFO", `cluster_known_nodes:${servers.length}`)
  }
  if (replica !== undefined) {
    yield* replica.command("CLUSTER", "REPLICATE", String(yield* first.command("CLUSTER", "MYID")))
    yield* eventually(
      Effect.filterOrFail(replica.command("INFO", "replication"), (said) =>
        String(said).includes("master_link_status:up")
      )
    )
  }
  return { primaries, replica }
})

/** A Sentinel that watches this primary by the name `main`. Returns its host and port. */
export const redisSentinel = Effect.fnUntraced(function* (primary: Server) {
  const binary = yield* Effect.fromNullable(tool("redis-server"))
  const path = join(yield* folder, "sentinel.conf")
  const port = yield* onFreePort(
    Effect.fnUntraced(function* (port: number) {
      writeFileSync(
        path,
        `port ${port}\nsentinel monitor main 127.0.0.1 ${portOf(primary)} 1\nsentinel down-after-milliseconds main 1000\n`
      )
      const { until } = yield* start([binary, path, "--sentinel"])
      yield* until(/Sentinel ID is/)
      return port
    })
  )
  return `127.0.0.1:${port}`
})
