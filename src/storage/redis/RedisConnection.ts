import { RedisClient } from "bun"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { timeoutOption } from "../../kernel/timeout.ts"
import { StoreError, StoreOpenError } from "../Store.ts"

/** Timeout for the connection at the start, and for each later attempt. */
const maxWait = "1 second"
const maxTry = "750 millis"

/** Timeout for the ping that checks whether a failed client works. */
const maxPing = "250 millis"

/** The pause between two attempts to connect. */
const pause = "250 millis"

/** A command interrupted after this time makes its client suspect; if earlier, its caller has left, ms. */
const givenUp = 200

/** Commands fail immediately without a connection. This module replaces clients, so they never reconnect themselves. */
const options = {
  connectionTimeout: 2_000,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  autoReconnect: false
} as const

/** Whether Redis refused a command over a working connection: it is full, or accepts no writes. */
const isRefusal = (cause: unknown) => /^(OOM|READONLY|MISCONF|BUSY) /.test(messageOf(cause))

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** Connects a client and waits for its first response; returns the cause if that fails. */
const connect = (
  url: Redacted.Redacted<string>,
  wait: Duration.DurationInput
): Effect.Effect<Either.Either<RedisClient, unknown>> =>
  Effect.suspend(() => {
    const client = new RedisClient(Redacted.value(url), options)
    const connected = Effect.tryPromise({
      try: () => client.connect().then(() => client.ping()),
      catch: (cause) => cause
    })
    return timeoutOption(Effect.as(connected, client), wait).pipe(
      Effect.flatMap(Effect.mapError(() => "no response" as unknown)),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => client.close()))),
      Effect.either
    )
  })

/** Whether the connection of a client works. */
const respondsToPing = (client: RedisClient) =>
  Effect.isSuccess(
    Effect.flatten(
      timeoutOption(
        Effect.tryPromise(() => client.ping()),
        maxPing
      )
    )
  )

/** Runs commands of an operation with the current client. */
export type Attempt = <A>(
  operation: StoreError["operation"],
  run: (redis: RedisClient) => Promise<A>
) => Effect.Effect<A, StoreError>

/**
 * Connects to Redis at the start, with a short timeout. An unavailable Redis is used once it is available, unless
 * `strict`. A client that fails or does not respond is replaced as soon as a new client can connect: Redis may have
 * refused it because of a temporary state.
 */
export const make = (url: Redacted.Redacted<string>, strict: boolean) =>
  Effect.gen(function* () {
    const checkRequests = yield* Queue.sliding<void>(1)
    let current: RedisClient | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => current?.close()))

    /** Replaces the client if it does not work; returns whether a client works now. */
    const renew = Effect.gen(function* () {
      if (current !== undefined && (yield* respondsToPing(current))) return true
      const found = yield* connect(url, maxTry)
      if (Either.isLeft(found)) return false
      current?.close()
      current = found.right
      return true
    })

    const first = yield* connect(url, maxWait)
    if (Either.isRight(first)) current = first.right
    else {
      const problem = `Redis cannot be reached: ${messageOf(first.left)}`
      if (strict) return yield* new StoreOpenError({ variable: "REDIS_URL", problem, cause: first.left })
      yield* Effect.logWarning(`REDIS_URL: ${problem}; the service continues without it until it is available`)
      yield* Queue.offer(checkRequests, undefined)
    }
    yield* Queue.take(checkRequests).pipe(
      Effect.zipRight(Effect.repeat(Effect.zipLeft(renew, Effect.sleep(pause)), { until: (works) => works })),
      Effect.forever,
      Effect.forkScoped
    )

    const attempt: Attempt = (operation, run) =>
      Effect.flatMap(Clock.currentTimeMillis, (started) => {
        const client = current
        if (client === undefined) return new StoreError({ operation, cause: new Error("Redis is not connected") })
        const suspect = Effect.sync(() => {
          if (client === current) Queue.unsafeOffer(checkRequests, undefined)
        })
        return Effect.tryPromise({
          try: () => run(client),
          catch: (cause) => new StoreError({ operation, cause })
        }).pipe(
          Effect.tapError(({ cause }) => (isRefusal(cause) ? Effect.void : suspect)),
          Effect.onInterrupt(() =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => (now - started >= givenUp ? suspect : Effect.void))
          )
        )
      })
    return attempt
  })
