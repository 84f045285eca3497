import * as Scheduler from "effect/Scheduler"

/** How long fibers run before the event loop may look at its sockets and timers, ms. */
const slice = 5

/** The clock is looked at after so many tasks. */
const unclocked = 16

/**
 * Runs fibers in the order in which they become ready, all in one queue, and lets the event loop have its turn every few
 * milliseconds. Effect's own goes on for as long as anything is ready: a thousand requests at once would keep a check of
 * health waiting for seconds.
 */
export const make = (): Scheduler.Scheduler => {
  let ready: Array<Scheduler.Task> = []
  /** Where to go on in what is ready. */
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
