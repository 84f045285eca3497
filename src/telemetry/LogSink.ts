import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { timeoutOption, timer } from "../kernel/timeout.ts"
import * as StandardOutput from "./StandardOutput.ts"

export interface Output {
  /** Writes some of these bytes and reports how many; never blocks the event loop. Only one call may be in flight. */
  readonly write: (bytes: Uint8Array, done: (error: NodeJS.ErrnoException | null, written: number) => void) => void
  /** Whether it is a terminal; false by default. */
  readonly terminal?: boolean
  /** Whether it was closed before the start, so that nothing can be read; false by default. */
  readonly isClosed?: boolean
}

export class LogOutput extends Context.Reference<LogOutput>()("telemetry/LogOutput", {
  defaultValue: StandardOutput.make
}) {}

/** True if the reader has stalled: the same bytes can be written later. */
export const isFull = (error: NodeJS.ErrnoException) => error.code === "EAGAIN"

export const isTerminal = ({ terminal = false }: Output) => terminal

export interface LogSink {
  /** Buffers lines; an urgent line is written at once, with all buffered lines. Never waits for the reader. */
  readonly write: (line: string, urgent: boolean) => void
}

/** Buffered characters from which on they are written at once. */
const flushThreshold = 64 * 1024

/** Largest number of characters buffered for a stalled reader; further lines are dropped. */
const maxBuffered = 4 * 1024 * 1024

/** The first line after an idle interval is written at once; lines within this time after it are buffered. */
const pause = "100 millis"

/** Time until a write to a stalled reader is retried, ms. */
const retryAfter = 10

/** How long the shutdown waits for a stalled reader. */
const maxDrainWait = "2 seconds"

const droppedLines = Metric.counter("log_lines_dropped_total", {
  description: "Log lines that were dropped because the log was not read",
  incremental: true
})

const newline = 10

const linesIn = (bytes: Uint8Array) => bytes.reduce((count, byte) => (byte === newline ? count + 1 : count), 0)

const nothing = new Uint8Array()

/** Retries writes while the reader has stalled, until it is stopped. */
const retrying = ({ write }: Output, clock: Clock.Clock) => {
  let isStopped = false
  let giveUp = () => {}
  const retried: Output["write"] = (bytes, done) =>
    write(bytes, (error, written) => {
      if (error === null || !isFull(error) || isStopped) return done(error, written)
      const cancel = timer(clock, retryAfter, () => {
        giveUp = () => {}
        retried(bytes, done)
      })
      giveUp = () => {
        cancel()
        done(error, 0)
      }
    })
  return {
    write: retried,
    stop: () => {
      isStopped = true
      giveUp()
    }
  }
}

/**
 * Writes log lines in batches a few times per second: a system call per line would cost more than the rest of a
 * request. Only one write is in flight; it is retried while the reader has stalled. `notice` returns the line with the
 * number of dropped lines, which is written when the reader reads again. Buffered lines are flushed at the end of the
 * scope; later lines are written one by one.
 */
export const make = (notice: (dropped: number) => string) =>
  Effect.gen(function* () {
    const output = retrying(yield* LogOutput, yield* Effect.clock)
    const hasLines = yield* Effect.makeLatch(false)
    const encoder = new TextEncoder()
    let pending = ""
    let urgent = false
    let dropped = 0
    /** Bytes of the current write, or bytes to retry. */
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
        // The reader is gone. Only the next write shows whether there is a new reader.
        drop(linesIn(bytes))
        bytes = nothing
      }
      if (error !== null) return open ? undefined : idle()
      if (bytes.length > 0 || dropped > 0 || urgent || !open || pending.length >= flushThreshold) flush()
    }

    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        open = false
        idle = () => resume(Effect.void)
        flush()
      }).pipe(timeoutOption(maxDrainWait), Effect.ensuring(Effect.sync(output.stop)))
    )
    const pass = () => {
      if (pending !== "" || bytes.length > 0) return flush()
      silent = true
      hasLines.unsafeClose()
    }
    yield* hasLines.await.pipe(
      Effect.zipRight(Effect.sleep(pause)),
      Effect.zipRight(Effect.sync(pass)),
      Effect.forever,
      Effect.forkScoped
    )

    const sink: LogSink = {
      write: (line, now) => {
        if (pending.length + line.length > maxBuffered) return drop(1)
        pending += `${line}\n`
        urgent ||= now
        if (urgent || !open || silent || pending.length >= flushThreshold) flush()
        if (!silent) return
        silent = false
        hasLines.unsafeOpen()
      }
    }
    return sink
  })
