import * as Scheduler from "effect/Scheduler"

/** How long fibers run before the event loop may look at its sockets and timers, ms. */
const slice = 5

/** Tasks between two readings of the clock. */
const unclocked = 16

/**
 * Runs fibers in the order in which they become ready, all in one queue, and yields to the event loop every few
 * milliseconds. Effect's own scheduler goes on while anything is ready: during a thousand requests at once a health check
 * would wait for seconds.
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
