import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isFull, LogOutput, type Output } from "../telemetry/LogSink.ts"

const encoder = new TextEncoder()

/** Time until a write to a reader that does not read is tried again. */
const retryAfter = "10 millis"

const writeSome = ({ write }: Output, bytes: Uint8Array) =>
  Effect.async<number, NodeJS.ErrnoException>((resume) =>
    write(bytes, (error, written) => resume(error === null ? Effect.succeed(written) : Effect.fail(error)))
  )

/**
 * Writes text and a line break to standard output, for every command. Fails if a part of it was lost, so that the exit
 * code says so; a reader that has left, such as `head`, wants no more.
 */
export const print = (text: string): Effect.Effect<void, string> =>
  Effect.gen(function* () {
    const output = yield* LogOutput
    if (output.isClosed === true) return yield* Effect.fail("standard output: EBADF")
    let bytes = encoder.encode(`${text}\n`)
    while (bytes.length > 0) {
      const written = yield* Effect.retry(writeSome(output, bytes), {
        while: isFull,
        schedule: Schedule.spaced(retryAfter)
      })
      bytes = bytes.subarray(written)
    }
  }).pipe(
    Effect.catchAll((error) => {
      if (typeof error === "string") return Effect.fail(error)
      return error.code === "EPIPE" ? Effect.void : Effect.fail(`standard output: ${error.code ?? error.message}`)
    })
  )
