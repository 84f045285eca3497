import * as Effect from "effect/Effect"

export interface LogSink {
  /** Lines go out together; an urgent one at once, with all that were before it. */
  readonly write: (line: string, urgent: boolean) => void
}

/** So many characters go out without waiting for more. */
const enough = 64 * 1024

/** The first line after a silence goes out at once, and those that follow within this time wait for one another. */
const pause = "100 millis"

/**
 * Standard output, a few times a second instead of once a line: a call to the system costs more than the rest of a
 * request. At the end of its scope nothing is left behind, and what comes even later is written line by line.
 */
export const make = Effect.gen(function* () {
  const { unsafe: out } = yield* Effect.console
  const waiting = yield* Effect.makeLatch(false)
  let pending = ""
  let open = true
  let silent = true

  const flush = () => {
    if (pending === "") return
    const text = pending
    pending = ""
    out.log(text)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      open = false
      flush()
    })
  )
  const pass = () => {
    if (pending !== "") return flush()
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
    write: (line, urgent) => {
      pending = pending === "" ? line : `${pending}\n${line}`
      if (urgent || !open || silent || pending.length >= enough) flush()
      if (!silent) return
      silent = false
      waiting.unsafeOpen()
    }
  }
  return sink
})
