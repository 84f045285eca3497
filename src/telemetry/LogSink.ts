import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { timeoutOption } from "../kernel/timeout.ts"
import { isFull, LogOutput } from "./LogOutput.ts"

export interface LogSink {
  /** Lines go out together; an urgent one at once, with all that were before it. Never waits for the reader. */
  readonly write: (line: string, urgent: boolean) => void
}

/** From this many characters on they are written without waiting for more. */
const enough = 64 * 1024

/** At most this many characters wait for a reader that has stalled; further lines are dropped. */
const maxWaiting = 4 * 1024 * 1024

/** The first line after a silence goes out at once, and those that follow within this time wait for one another. */
const pause = "100 millis"

/** How long the shutdown waits for a reader that has stalled. */
const maxDrainWait = "2 seconds"

const droppedLines = Metric.counter("log_lines_dropped_total", {
  description: "Log lines that were not written because the log was not read",
  incremental: true
})

const newline = 10

const linesIn = (bytes: Uint8Array) => bytes.reduce((count, byte) => (byte === newline ? count + 1 : count), 0)

const nothing = new Uint8Array()

/**
 * Text for the output of the log, a few times a second instead of once a line: a system call costs more than the
 * rest of a request. One write is under way at a time. `notice` is the line that says how many lines were dropped, once
 * the reader reads again. What waits is written at the end of the scope, and what comes even later line by line.
 */
export const make = (notice: (dropped: number) => string) =>
  Effect.gen(function* () {
    const output = yield* LogOutput
    const waiting = yield* Effect.makeLatch(false)
    const encoder = new TextEncoder()
    let pending = ""
    let urgent = false
    let dropped = 0
    /** What is being written, or is to be written again. */
    let bytes: Uint8Array = nothing
    let writing = false
    let open = true
    let silent = true
    let idle = () => {}

    const drop = (lines: number) => {
      dropped += lines
      droppedLines.unsafeUpdate(lines, [])
    }
    drop(0)
    const take = () => {
      const lines = dropped === 0 ? pending : `${notice(dropped)}\n${pending}`
      dropped = 0
      pending = ""
      urgent = false
      return encoder.encode(lines)
    }

    const flush = () => {
      if (writing) return
      if (bytes.length === 0) bytes = take()
      if (bytes.length === 0) return idle()
      writing = true
      output.write(bytes, done)
    }

    const done = (error: NodeJS.ErrnoException | null, written: number) => {
      writing = false
      if (error === null) bytes = bytes.subarray(written)
      else if (!isFull(error)) {
        // The reader is gone: only the next write shows when there is another.
        drop(linesIn(bytes))
        bytes = nothing
      }
      if (error !== null) return open ? undefined : idle()
      if (bytes.length > 0 || dropped > 0 || urgent || !open || pending.length >= enough) flush()
    }

    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        open = false
        idle = () => resume(Effect.void)
        flush()
      }).pipe(timeoutOption(maxDrainWait))
    )
    const pass = () => {
      if (pending !== "" || bytes.length > 0) return flush()
      silent = true
      waiting.unsafeClose()
    }
    yield* waiting.await.pipe(
      Effect.zipRight(Effect.sleep(pause)),
      Effect.zipRight(Effect.sync(pass)),
      Effect.forever,
      Effect.forkScoped
    )

    const sink: LogSink = {
      write: (line, now) => {
        if (pending.length + line.length > maxWaiting) return drop(1)
        pending += `${line}\n`
        urgent ||= now
        if (urgent || !open || silent || pending.length >= enough) flush()
        if (!silent) return
        silent = false
        waiting.unsafeOpen()
      }
    }
    return sink
  })
