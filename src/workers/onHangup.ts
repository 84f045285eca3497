import * as Effect from "effect/Effect"

/** Calls back on each SIGHUP, within the scope. Where somebody listens the signal does not end the process. */
export const onHangup = (listener: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", listener)),
    () => Effect.sync(() => process.off("SIGHUP", listener))
  )
