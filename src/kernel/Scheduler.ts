import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** Time that fibers run before the event loop can handle sockets and timers, ms. */
const slice = 5

/**
 * Runs fibers in the order in which they become ready and yields to the event loop every few milliseconds. Effect's own
 * scheduler continues while any fiber is ready: a thousand concurrent requests would delay a health check by seconds.
 */
export const make = (): Scheduler.Scheduler => {
  /** Not empty while a run is scheduled. */
  let ready: Array<Scheduler.Task> = []
  let next = 0
  /** How long tasks have run since the last pause, ms, in all turns of the event loop: noticing a new turn costs more. */
  let used = 0

  const run = (): void => {
    const start = performance.now() - used
    while (next < ready.length) {
      ready[next++]?.()
      used = performance.now() - start
      if (used <= slice) continue
      setImmediate(advanced)
      return
    }
    ready = []
    next = 0
  }

  const advanced = (): void => {
    ready = ready.slice(next)
    next = 0
    used = 0
    run()
  }

  return {
    shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber),
    scheduleTask: (task) => {
      if (ready.push(task) === 1) queueMicrotask(run)
    }
  }
}

/** Maps items, with pauses between them if it takes longer: wallets with thousands of tokens do not delay other requests. */
export const inTurn = <A, B>(items: ReadonlyArray<A>, change: (item: A) => B): Effect.Effect<Array<B>> => {
  const changed: Array<B> = []
  const next = (): Effect.Effect<Array<B>> => {
    const started = performance.now()
    for (const item of items.slice(changed.length)) {
      changed.push(change(item))
      if (performance.now() - started > slice) return Effect.flatMap(Effect.yieldNow(), next)
    }
    return Effect.succeed(changed)
  }
  return Effect.flatMap(Effect.yieldNow(), next)
}
