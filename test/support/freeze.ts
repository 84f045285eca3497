import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Subprocess } from "bun"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Whether each thread of a process is stopped; where this is not to be read, the signal alone has to do. */
const isStopped = (pid: number): boolean => {
  const threads = `/proc/${pid}/task`
  return (
    !existsSync(threads) ||
    readdirSync(threads).every((id) => /\) [Tt] /.test(readFileSync(`${threads}/${id}/stat`, "utf8")))
  )
}

/**
 * Stops a process, and waits until it is: the signal is taken by one thread, and on a busy machine the others may serve
 * another request until that thread has run.
 */
export const freeze = (process: Subprocess): Effect.Effect<void> =>
  Effect.zipRight(
    Effect.sync(() => process.kill("SIGSTOP")),
    Effect.sync(() => isStopped(process.pid)).pipe(
      Effect.repeat({ until: (stopped) => stopped, schedule: Schedule.spaced("1 millis") }),
      Effect.withClock(Clock.make()),
      Effect.asVoid
    )
  )
