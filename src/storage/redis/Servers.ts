import type { RedisClient } from "bun"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { logOnChange } from "../../kernel/logOnChange.ts"
import * as Permits from "../../kernel/Permits.ts"
import { StoreError, StoreOpenError } from "../Store.ts"
import { hostAt, nameOfHost } from "./Address.ts"
import * as Client from "./Client.ts"
import * as Finding from "./Finding.ts"
import * as Layout from "./Layout.ts"

/** The pause between two attempts to connect. */
const pause = "250 millis"

/**
 * A command interrupted after this time makes its client suspect; if earlier, its caller has left, ms. Somewhat less than
 * the shortest time limit, that of a probe: clocks differ.
 */
const givenUp = 190

/** How long a client that may not write is used before a new one is tried. */
const demotedPause = "1 second"

/** Sends one command. */
export type SendCommand = (command: string, words: ReadonlyArray<string>) => Promise<unknown>

/** Runs commands of an operation at one server. */
export type RunCommands = <A>(
  operation: StoreError["operation"],
  run: (send: SendCommand) => Promise<A>
) => Effect.Effect<A, StoreError>

export interface Servers {
  /**
   * Runs commands whose keys have the slot of this key. They may run twice, the first time without effect: another node has
   * the slot now.
   */
  readonly at: (key: string) => RunCommands
  /** The same at each server with keys. */
  readonly all: () => ReadonlyArray<RunCommands>
  /** True if the keys of a command must have one slot. */
  readonly isCluster: () => boolean
}

/** The variable with the address is for messages. */
export type ServersOptions = Finding.FindingOptions & { readonly variable: string }

/** Sends to a node that gets this slot: each command needs its own permission. */
const sendRedirected =
  (client: RedisClient): SendCommand =>
  (command, words) =>
    Promise.all([client.send("ASKING", []), client.send(command, [...words])]).then(([, said]): unknown => said)

const sending =
  (client: RedisClient): SendCommand =>
  (command, words) =>
    client.send(command, words as Array<string>)

/** The clients, and when they are checked. */
const connections = (options: ServersOptions) =>
  Effect.gen(function* () {
    const checkRequests = yield* Queue.sliding<void>(1)
    const used = Layout.make()
    const demoted = new WeakSet<RedisClient>()
    const turns = Permits.make(1)
    const changed = logOnChange()
    let isStale = false
    yield* Effect.addFinalizer(() => Effect.sync(used.close))

    const isUsable = (client: RedisClient) =>
      demoted.has(client) ? Effect.succeed(false) : Client.respondsToPing(client)
    const { find, reach } = Finding.make(options, used, isUsable)

    /** Replaces clients that do not work; returns whether all work now. */
    const renew = Effect.gen(function* () {
      const clients = [...used.clients.values()]
      if (clients.some((client) => demoted.has(client))) yield* Effect.sleep(demotedPause)
      else if (!isStale && used.isComplete()) {
        const works = yield* Effect.forEach(clients, isUsable, { concurrency: "unbounded" })
        if (works.every((isWorking) => isWorking)) return true
      }
      isStale = false
      return yield* turns.withPermit(find, used)
    }).pipe(
      Effect.tap(() => changed(false, Effect.logInfo(`${options.variable} leads to a server that is supported again`))),
      Effect.catchAll(({ isFinal, text }) =>
        Effect.as(isFinal ? changed(true, Effect.logError(`${options.variable} ${text}`)) : Effect.void, false)
      )
    )

    const check = () => void Queue.unsafeOffer(checkRequests, undefined)
    return {
      check,
      find,
      used,
      keepRenewing: Queue.take(checkRequests).pipe(
        Effect.zipRight(Effect.repeat(Effect.zipLeft(renew, Effect.sleep(pause)), { until: (works) => works })),
        Effect.forever,
        Effect.forkScoped
      ),
      /** A client of this node, which a node of the Cluster named. */
      clientAt: (name: string) =>
        Effect.suspend(() => (used.clients.has(name) ? Effect.void : reach(name))).pipe(
          (reached) => turns.withPermit(reached, used),
          Effect.map(() => used.clients.get(name))
        ),
      /** The nodes have other slots than this process thinks. */
      moved: () => {
        isStale = true
        check()
      },
      /** A command of this client failed. */
      failed: (client: RedisClient, cause: unknown) => {
        if (Client.isDemoted(cause)) demoted.add(client)
        if (Client.isLost(cause) && used.isCluster()) isStale = true
        if (!Client.isRefusal(cause)) check()
      }
    }
  })

/**
 * Connects at the start, with a short timeout. Servers that cannot be reached are used once they can, unless `strict`; one
 * of a kind that is not supported fails the start. A client that fails or does not respond is replaced as soon as a new
 * client can connect: Redis may have refused it because of a temporary state.
 */
export const connecting = (options: ServersOptions): Effect.Effect<Servers, StoreOpenError, Scope.Scope> =>
  Effect.gen(function* () {
    const { check, clientAt, failed, find, keepRenewing, moved, used } = yield* connections(options)
    const { strict, variable } = options

    const first = yield* Effect.either(find)
    if (Either.isLeft(first)) {
      const { isFinal, text } = first.left
      const problem = isFinal ? text : `Redis cannot be reached: ${text}`
      if (strict || isFinal) return yield* new StoreOpenError({ variable, problem, cause: first.left })
      yield* Effect.logWarning(`${variable}: ${problem}; the service continues without it until it is available`)
    }
    if (Either.isLeft(first) || !first.right) check()
    yield* keepRenewing

    const once = <A>(
      operation: StoreError["operation"],
      client: RedisClient,
      run: () => Promise<A>
    ): Effect.Effect<A, StoreError> =>
      Effect.flatMap(Clock.currentTimeMillis, (started) =>
        Effect.tryPromise({ try: run, catch: (cause) => new StoreError({ operation, cause }) }).pipe(
          Effect.tapError(({ cause }) =>
            Effect.sync(() => {
              if (Client.redirectionOf(cause) === undefined) failed(client, cause)
            })
          ),
          Effect.onInterrupt(() =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              if (now - started >= givenUp) failed(client, undefined)
            })
          )
        )
      )

    const runAt =
      (name: string): RunCommands =>
      (operation, run) =>
        Effect.suspend(() => {
          const client = used.clients.get(name)
          if (client === undefined) {
            check()
            return new StoreError({ operation, cause: new Error("Redis is not connected") })
          }
          return Effect.catchAll(
            once(operation, client, () => run(sending(client))),
            (error) => {
              const to = used.isCluster() ? Client.redirectionOf(error.cause) : undefined
              return to === undefined ? error : redirected(error, to, name, operation, run)
            }
          )
        })

    /** Runs the commands at the node that another one named. */
    const redirected = <A>(
      error: StoreError,
      { host, isOnce, port, slot }: Client.Redirection,
      by: string,
      operation: StoreError["operation"],
      run: (send: SendCommand) => Promise<A>
    ) =>
      Effect.gen(function* () {
        const name = nameOfHost({ host: host === "" ? hostAt(by).host : host, port })
        if (!isOnce) moved()
        const client = yield* clientAt(name)
        if (client === undefined) return yield* error
        if (!isOnce) used.move(slot, name)
        return yield* once(operation, client, () => run((isOnce ? sendRedirected : sending)(client)))
      })

    return {
      at: (key) => (operation, run) => Effect.suspend(() => runAt(used.nameOf(key))(operation, run)),
      all: () => [...used.names()].map(runAt),
      isCluster: used.isCluster
    }
  })
