import * as Effect from "effect/Effect"

export interface LogSink {
  /** Lines go out together; an urgent one at once, with all that were before it. */
  readonly write: (line: string, urgent: boolean) => void
}

/** So many characters go out without waiting for more. */
const enough = 64 * 1024

/** So long a line waits for others at most. */
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
  yield* waiting.await.pipe(
    Effect.zipRight(Effect.sleep(pause)),
    Effect.zipRight(waiting.close),
    Effect.zipRight(Effect.sync(flush)),
    Effect.forever,
    Effect.forkScoped
  )

  const sink: LogSink = {
    write: (line, urgent) => {
      const first = pending === ""
      pending = first ? line : `${pending}\n${line}`
      if (urgent || !open || pending.length >= enough) flush()
      else if (first) waiting.unsafeOpen()
    }
  }
  return sink
})
