import type { RedisClient } from "bun"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Address, hostAt, nameOfHost, urlOf } from "./Address.ts"
import * as Client from "./Client.ts"
import { type Layout, ownersOf, Port } from "./Layout.ts"

/** Timeout for a connection, and for each question about it. */
const maxTry = "750 millis"

export interface FindingOptions {
  readonly address: Address
  /** Whether a server that cannot be written is no reason to start. */
  readonly strict: boolean
  readonly tls?: Client.Tls | undefined
}

/** Why no server is used. It never contains the address. */
export class Problem extends Data.TaggedError("Problem")<{
  readonly text: string
  /** True if it cannot pass by itself: a server of this kind is not supported. */
  readonly isFinal: boolean
}> {}

const final = (text: string) => new Problem({ text, isFinal: true })

const passing = (cause: unknown) => {
  const text = Client.messageOf(cause)
  return /SELECT is not allowed in cluster mode/i.test(text)
    ? final("names a database, and a Cluster has only database 0")
    : new Problem({ text, isFinal: false })
}

/** What a Sentinel says: host and port. */
const Place = Schema.Tuple(Schema.String, Schema.NumberFromString.pipe(Schema.compose(Port)))

/** The primary that the Sentinels know by this name. Often they have no users: their credentials may be none. */
const primary = ({ address, tls }: FindingOptions, sentinel: string) =>
  Effect.gen(function* () {
    let problem = passing("no Sentinel responds")
    for (const host of address.hosts)
      for (const credentials of new Set([address.credentials, ""])) {
        const found = yield* Client.connect(urlOf({ ...address, credentials, database: 0 }, host), tls, maxTry)
        if (Either.isLeft(found)) continue
        const { client, mode } = found.right
        const words = ["GET-MASTER-ADDR-BY-NAME", sentinel]
        const said = yield* Effect.either(Client.ask(client, "SENTINEL", words, maxTry))
        client.close()
        if (mode !== "sentinel") return yield* final("leads to a server where it names a Sentinel")
        const place = Either.flatMap(said, Schema.decodeUnknownEither(Place))
        if (Either.isRight(place)) return [nameOfHost({ host: place.right[0], port: place.right[1] })]
        if (Either.isRight(said) && said.right === null) problem = final(`no Sentinel knows the name ${sentinel}`)
      }
    return yield* problem
  })

/** Why a server with this greeting is not supported; undefined if it is. */
const unsupported = ({ database, sentinel }: Address, { client, mode }: Client.Greeted) =>
  Effect.gen(function* () {
    if (mode === "sentinel")
      return "leads to a Sentinel: write redis+sentinel://host:port/name, with the name of the primary"
    const evaluated = yield* Effect.either(Client.ask(client, "EVAL", ["return 1", "0"], maxTry))
    if (Either.isLeft(evaluated) && /^(NOPERM|ERR unknown command)/i.test(Client.messageOf(evaluated.left)))
      return "does not allow EVAL, which the service needs"
    if (mode !== "cluster") return undefined
    if (sentinel !== undefined) return "has Sentinels that lead to a Cluster: write redis://host:port"
    return database === 0 ? undefined : "names a database, and a Cluster has only database 0"
  })

const closeUnused = (used: Layout, name: string, client: RedisClient) =>
  Effect.sync(() => {
    if (used.clients.get(name) !== client) client.close()
  })

/** Finds the servers to use. True if all of them can be reached. */
export const make = (
  options: FindingOptions,
  used: Layout,
  isUsable: (client: RedisClient) => Effect.Effect<boolean>
) => {
  const { address, strict, tls } = options
  let turn = 0

  const greeted = (name: string): Effect.Effect<Either.Either<Client.Greeted, unknown>> =>
    Effect.gen(function* () {
      const client = used.isCluster() ? used.clients.get(name) : undefined
      return client !== undefined && (yield* isUsable(client))
        ? Either.right({ client, mode: "cluster", isReplica: false })
        : yield* Client.connect(urlOf(address, hostAt(name)), tls, maxTry)
    })

  /** Connects to a node that has no client, or whose client does not work. */
  const reach = (name: string) =>
    Effect.map(greeted(name), (found) => {
      if (Either.isRight(found)) used.set(name, found.right.client)
      return Either.isRight(found)
    })

  const useCluster = (name: string, client: RedisClient) =>
    Effect.gen(function* () {
      const said = yield* Client.ask(client, "CLUSTER", ["SLOTS"], maxTry)
      const owners = yield* ownersOf(said, hostAt(name).host)
      used.set(name, client)
      used.useNodes(owners)
      const works = yield* Effect.forEach(used.names(), reach, { concurrency: "unbounded" })
      return works.every((isWorking) => isWorking) && !owners.includes(undefined)
    }).pipe(Effect.mapError(passing))

  const use = (name: string, found: Client.Greeted): Effect.Effect<boolean, Problem> =>
    Effect.gen(function* () {
      const reason = yield* unsupported(address, found)
      if (reason !== undefined) return yield* final(reason)
      if (found.mode === "cluster") return yield* useCluster(name, found.client)
      if (found.isReplica && address.sentinel !== undefined) return yield* passing("the Sentinels still name a replica")
      if (found.isReplica && strict && !used.isComplete())
        return yield* final("leads to a replica, which cannot be written")
      used.useServer(name, found.client)
      return true
    }).pipe(Effect.tapError(() => closeUnused(used, name, found.client)))

  /** Primaries are preferred: the last of the names may be a replica. */
  const useFirst = ([name, ...others]: ReadonlyArray<string>, problem: Problem): Effect.Effect<boolean, Problem> =>
    Effect.gen(function* () {
      if (name === undefined) return yield* problem
      const found = yield* greeted(name)
      if (Either.isLeft(found)) return yield* useFirst(others, passing(found.left))
      const { client, isReplica, mode } = found.right
      if (isReplica && mode !== "cluster" && others.length > 0) {
        const other = yield* Effect.either(useFirst(others, problem))
        if (Either.isRight(other)) {
          client.close()
          return other.right
        }
      }
      return yield* Effect.catchIf(
        use(name, found.right),
        ({ isFinal }) => !isFinal,
        (next) => useFirst(others, next)
      )
    })

  return {
    reach,
    find: Effect.gen(function* () {
      const named =
        address.sentinel === undefined ? address.hosts.map(nameOfHost) : yield* primary(options, address.sentinel)
      const names = [...new Set([...(used.isCluster() ? used.clients.keys() : []), ...named])]
      // A node may have lost its Cluster: the next attempt starts with another node.
      const from = turn++ % names.length
      return yield* useFirst([...names.slice(from), ...names.slice(0, from)], passing("no response"))
    })
  }
}
