import { dlopen, ptr } from "bun:ffi"
import { constants, fstatSync, openSync, readFileSync, write, writeSync } from "node:fs"
import { isatty } from "node:tty"
import * as Either from "effect/Either"
import type { Output } from "./LogSink.ts"

const standardOutput = 1

/** Flag of poll(2): the file can be written. */
const pollOut = 4

/** If poll(2) says that a pipe or socket can be written, this many bytes fit, also if other processes write too. */
const maxChunk = 4096

const newline = 10

/**
 * A pipe or terminal opened again, so that writes to it never block; the flag does not affect other processes. Files and
 * sockets cannot be opened in this way.
 */
const reopened = (): number => {
  const isFile = Either.try(() => fstatSync(standardOutput).isFile())
  if (Either.getOrElse(isFile, () => true)) return standardOutput
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY
  return Either.getOrElse(
    Either.try(() => openSync(`/proc/self/fd/${standardOutput}`, flags)),
    () => standardOutput
  )
}

/** Returns whether a write does not block, or fails at once. Only on Linux: the caller gets the error elsewhere. */
const writable = (descriptor: number): (() => boolean) => {
  // The C library of the process, whatever its file: musl returns itself under this name too.
  const { symbols } = dlopen("libc.so.6", { poll: { args: ["ptr", "u64", "i32"], returns: "i32" } })
  // struct pollfd: the descriptor, and two halves with the requested and the returned flags.
  const entry = new Int32Array([descriptor, pollOut])
  const at = ptr(entry)
  return () => {
    entry[1] = pollOut
    return symbols.poll(at, 1, 0) > 0
  }
}

/** End of the next chunk: after a line if possible, so that lines of several processes do not mix. */
const chunkEnd = (bytes: Uint8Array, start: number): number => {
  const end = start + maxChunk
  if (bytes.length <= end) return bytes.length
  const line = bytes.lastIndexOf(newline, end - 1)
  return line < start ? end : line + 1
}

/** Flag of a descriptor that programs do not inherit. */
const closeOnExec = 0o2_000_000

/** The runtime opens the null device for a closed output, and marks it as its own. False without /proc. */
const wasClosed = () =>
  Either.try(() => /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${standardOutput}`, "utf8"))).pipe(
    Either.map((flags) => (Number.parseInt(flags?.[1] ?? "0", 8) & closeOnExec) !== 0),
    Either.getOrElse(() => false)
  )

const full: NodeJS.ErrnoException = Object.assign(new Error("the log is not read"), { code: "EAGAIN" })

/** Writes until the reader has stalled. */
const direct =
  (descriptor: number, isWritable: () => boolean): Output["write"] =>
  (bytes, done) => {
    let written = 0
    while (written < bytes.length) {
      const start = written
      const step: Either.Either<number, unknown> = isWritable()
        ? Either.try({
            try: () => writeSync(descriptor, bytes, start, chunkEnd(bytes, start) - start),
            catch: (error) => error
          })
        : Either.left(full)
      if (Either.isRight(step)) written += step.right
      else if (written === 0) return done(step.left as NodeJS.ErrnoException, 0)
      else break
    }
    done(null, written)
  }

/** Writes in a thread of the runtime: a pipe that is not read blocks only this thread. */
const inThread: Output["write"] = (bytes, done) => write(standardOutput, bytes, 0, bytes.length, null, done)

/**
 * Standard output. On Linux it writes on the event loop, and never blocks: other work, such as the lookup of a name, may
 * hold all threads of the runtime (https://github.com/oven-sh/bun/pull/40642).
 */
export const make = (): Output => {
  const descriptor = reopened()
  const isWritable = Either.try(() => writable(descriptor))
  return {
    write: Either.isRight(isWritable) ? direct(descriptor, isWritable.right) : inThread,
    terminal: isatty(standardOutput),
    isClosed: wasClosed()
  }
}
