import { RedisClient } from "bun"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { timeoutOption } from "../../kernel/timeout.ts"

/** Certificates for TLS, as PEM. */
export interface Tls {
  /** Of the authority that signed the certificate of the server. */
  readonly ca?: string
  /** Of this client, with its key. */
  readonly cert?: string
  readonly key?: string
}

/** Commands fail immediately without a connection. The caller replaces clients, so they never reconnect themselves. */
const options = {
  connectionTimeout: 2_000,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  autoReconnect: false
} as const

/** Timeout for the ping that checks whether a failed client works. */
const maxPing = "250 millis"

export const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** Whether Redis refused a command over a working connection: it is full, busy, or cannot write its file. */
export const isRefusal = (cause: unknown) => /^(OOM|MISCONF|BUSY|NOSCRIPT) ?/.test(messageOf(cause))

/** Whether the server became a replica: a new connection may lead to the new primary. */
export const isDemoted = (cause: unknown) => messageOf(cause).startsWith("READONLY ")

/** Whether the node does not know its Cluster, or not all of it. */
export const isLost = (cause: unknown) => /^(CLUSTERDOWN|TRYAGAIN) /.test(messageOf(cause))

/** Where a node of a Cluster says that the slot of a command is. */
export interface Redirection {
  /** True if this one command goes there, false if all later ones do, too. */
  readonly isOnce: boolean
  readonly slot: number
  readonly host: string
  readonly port: number
}

export const redirectionOf = (cause: unknown): Redirection | undefined => {
  const [, word, slot, host = "", port] = /^(MOVED|ASK) (\d{1,5}) (\S*):(\d{1,5})$/.exec(messageOf(cause)) ?? []
  return word === undefined ? undefined : { isOnce: word === "ASK", slot: Number(slot), host, port: Number(port) }
}

/** What a server says of itself. Others than Redis may leave it out. */
const Hello = Schema.Struct({
  mode: Schema.optional(Schema.String),
  role: Schema.optional(Schema.String)
})

export interface Greeted {
  readonly client: RedisClient
  readonly mode: string
  readonly isReplica: boolean
}

/** Connects a client and waits for its first response; returns the cause if that fails. */
export const connect = (
  url: string,
  tls: Tls | undefined,
  wait: Duration.DurationInput
): Effect.Effect<Either.Either<Greeted, unknown>> =>
  Effect.suspend(() => {
    const client = new RedisClient(url, tls === undefined ? options : { ...options, tls })
    const connected = Effect.tryPromise({
      try: () =>
        client
          .connect()
          .then(() => Promise.all([client.send("HELLO", []), client.ping()]))
          .then(([hello]): unknown => hello),
      catch: (cause) => cause
    })
    return timeoutOption(connected, wait).pipe(
      Effect.flatMap(Effect.mapError(() => "no response" as unknown)),
      Effect.map((hello) => {
        const { mode = "standalone", role } = Either.getOrElse(Schema.decodeUnknownEither(Hello)(hello), () => ({
          mode: "standalone",
          role: undefined
        }))
        return { client, mode, isReplica: role === "replica" || role === "slave" }
      }),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => client.close()))),
      Effect.either
    )
  })

/** Sends one command and waits for its response for a short time. */
export const ask = (client: RedisClient, command: string, words: Array<string>, wait: Duration.DurationInput) =>
  Effect.flatten(
    timeoutOption(
      Effect.tryPromise({ try: (): Promise<unknown> => client.send(command, words), catch: (cause) => cause }),
      wait
    )
  )

export const respondsToPing = (client: RedisClient) => Effect.isSuccess(ask(client, "PING", [], maxPing))
