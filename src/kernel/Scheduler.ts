import * as Scheduler from "effect/Scheduler"

/** Time that fibers run before the event loop can handle sockets and timers, ms. */
const slice = 5

/** Number of tasks between two clock reads. */
const unclocked = 16

/**
 * Runs fibers in the order in which they become ready and yields to the event loop every few milliseconds. Effect's own
 * scheduler continues while any fiber is ready: a thousand concurrent requests would delay a health check by seconds.
 */
export const make = (): Scheduler.Scheduler => {
  let ready: Array<Scheduler.Task> = []
  /** The index of the next task. */
  let next = 0
  let running = false

  const run = (): void => {
    const end = performance.now() + slice
    while (next < ready.length) {
      const task = ready[next++]
      task?.()
      if (next % unclocked === 0 && performance.now() > end) {
        ready = ready.slice(next)
        next = 0
        setImmediate(run)
        return
      }
    }
    ready = []
    next = 0
    running = false
  }

  return {
    shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber),
    scheduleTask: (task) => {
      ready.push(task)
      if (running) return
      running = true
      queueMicrotask(run)
    }
  }
}
