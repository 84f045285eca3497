import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { timeoutOption } from "../kernel/timeout.ts"
import * as processes from "./processes.ts"

/** Pause before restarting a worker, ms; doubles with each exit before `settledAge`. */
const firstPause = 1_000
const longestPause = 30_000

/** A worker that has run this long resets the pause, ms. */
const settledAge = 60_000

/**
 * Time for a worker to exit after the shutdown delay; then it is killed, ms. It waits 3 s for connections, 10 s for requests,
 * and up to 3 s for the last calls of telemetry.
 */
const killAfter = 18_000

/** Interval of pings to a serving worker, ms, and how many pings in a row it may leave without a reply. */
const heartbeat = 500
const maxMissedPings = 4

export interface SupervisorOptions {
  /** Number of workers. */
  readonly count: number
  readonly host: string
  readonly port: number
  /** How long a worker continues to serve after SIGTERM, ms. */
  readonly shutdownDelay: number
  /** Whether to forward SIGHUP to the workers. */
  readonly forwardsHangups: boolean
  /** Runs as soon as the first worker serves. */
  readonly onServing: Effect.Effect<void, never, Scope.Scope>
}

type Child = ReturnType<typeof processes.spawn>

/** Sends SIGTERM to a worker; kills it if it does not exit in time. */
const stopped = (child: Child, shutdownDelay: number) =>
  Effect.gen(function* () {
    child.kill("SIGTERM")
    const exited = yield* timeoutOption(
      Effect.promise(() => child.exited),
      Duration.millis(shutdownDelay + killAfter)
    )
    if (Option.isSome(exited)) return
    yield* Effect.logWarning("a worker did not exit in time and is killed")
    child.kill("SIGKILL")
    yield* Effect.promise(() => child.exited)
  })

/** Workers that were killed because they did not respond; they are restarted without a pause. */
const killedUnresponsive = new WeakSet<Child>()

/**
 * Kills a worker that no longer responds to its parent because it is frozen or in an endless loop. Counts pings instead
 * of time: time also passes while the machine or the parent is starved of CPU.
 */
const watchdog = (child: Child, worker: number) => {
  let silent = 0
  return {
    responded: () => {
      silent = 0
    },
    watch: Effect.suspend(() => {
      if (silent++ < maxMissedPings) return Effect.sync(() => processes.sendTo(child, { type: "alive" }))
      return Effect.zipRight(
        Effect.logError(`worker ${worker} does not respond and is killed`),
        Effect.sync(() => {
          killedUnresponsive.add(child)
          child.kill("SIGKILL")
        })
      )
    }).pipe(Effect.zipLeft(Effect.sleep(heartbeat)), Effect.forever)
  }
}

const howEnded = ({ exitCode, signalCode }: Child) =>
  signalCode === null ? `with exit code ${exitCode}` : `by ${signalCode}`

/**
 * Runs workers on one port until it is interrupted; restarts workers that exit. On interruption it stops all workers at
 * the same time and waits for them. Completes only if the first worker exits before it serves: the cause affects all
 * workers, and that worker has already logged it.
 */
export const run = (options: SupervisorOptions): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { count, host, forwardsHangups, onServing, port, shutdownDelay } = options
      const { ended, received } = yield* reporting(count)
      /** Those that have read their variables and files. A signal would end one that starts. */
      const serving = new Set<Child>()
      if (forwardsHangups)
        yield* processes.onHangup(() => {
          for (const child of serving) child.kill("SIGHUP")
        })
      const firstServes = yield* Deferred.make<void>()

      /** Runs a worker until it exits. */
      const runWorker = (worker: number, serves: Effect.Effect<unknown>) =>
        Effect.flatMap(FiberSet.makeRuntime<never>(), (fork) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const child: Child = processes.spawn(worker, { host, port }, (message) => {
                received(worker, { send: (reply) => processes.sendTo(child, reply) }, message)
                if (message.type === "ready") fork(Effect.zipRight(serves, watch))
                if (message.type === "ready") serving.add(child)
                if (message.type === "alive") responded()
              })
              const { responded, watch } = watchdog(child, worker)
              return child
            }),
            (child) => Effect.promise(() => child.exited).pipe(Effect.as(child)),
            (child) =>
              Effect.suspend(() => {
                ended(worker)
                serving.delete(child)
                if (child.exitCode !== null || child.signalCode !== null) return Effect.void
                // Signals all workers now instead of one after another.
                processes.signalAll("SIGTERM")
                return stopped(child, shutdownDelay)
              })
          )
        ).pipe(Effect.scoped)

      const restarting = (worker: number) => {
        let pause = firstPause
        return Effect.gen(function* () {
          const started = yield* Clock.currentTimeMillis
          const child = yield* runWorker(worker, Effect.void)
          if ((yield* Clock.currentTimeMillis) - started >= settledAge) pause = firstPause
          if (killedUnresponsive.has(child)) return
          yield* Effect.logWarning(`worker ${worker} ended ${howEnded(child)}; it starts again in ${pause / 1000} s`)
          yield* Effect.sleep(pause)
          pause = Math.min(longestPause, 2 * pause)
        }).pipe(Effect.forever)
      }

      const first = Effect.gen(function* () {
        const child = yield* runWorker(1, Deferred.succeed(firstServes, undefined))
        if (!(yield* Deferred.isDone(firstServes))) return
        if (!killedUnresponsive.has(child)) {
          yield* Effect.logWarning(`worker 1 ended ${howEnded(child)}; it starts again in ${firstPause / 1000} s`)
          yield* Effect.sleep(firstPause)
        }
        return yield* restarting(1)
      })
      const others = Effect.zipRight(
        Effect.zipRight(Deferred.await(firstServes), onServing),
        Effect.forEach(
          Array.from({ length: count - 1 }, (_, index) => index + 2),
          restarting,
          { concurrency: "unbounded", discard: true }
        )
      )
      yield* Effect.raceFirst(first, others)
    })
  )

/** Time limit for the reports of workers. */
const reportTime = "500 millis"

interface Serving {
  readonly send: (message: processes.Message) => void
}

interface Collection {
  readonly reports: Array<processes.WorkerReport>
  readonly wanted: number
  readonly finish: () => void
}

/** Collects the reports of all serving workers for the worker that requests them; `count` should serve. */
const reporting = (count: number) =>
  Effect.map(FiberSet.makeRuntime<never>(), (run) => {
    const serving = new Map<number, Serving>()
    const collections = new Map<string, Collection>()

    const collect = (id: string, kind: string, receiver: Serving) => {
      const reports: Array<processes.WorkerReport> = []
      const finish = () => {
        if (collections.delete(id))
          receiver.send({ type: "collected", id, reports, wanted: count, serving: serving.size })
      }
      collections.set(id, { reports, wanted: serving.size, finish })
      for (const { send } of serving.values()) send({ type: "report", id, kind })
      run(Effect.zipRight(Effect.sleep(reportTime), Effect.sync(finish)))
    }

    return {
      /** Handles a message from a worker. */
      received: (worker: number, sender: Serving, message: processes.Message): void => {
        if (message.type === "ready") serving.set(worker, sender)
        if (message.type === "collect") collect(message.id, message.kind, sender)
        if (message.type !== "reported") return
        const collection = collections.get(message.id)
        collection?.reports.push({ worker, report: message.report })
        if (collection !== undefined && collection.reports.length >= collection.wanted) collection.finish()
      },
      ended: (worker: number): void => void serving.delete(worker)
    }
  })
