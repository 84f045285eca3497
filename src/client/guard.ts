import { WalletDataError } from "./WalletDataError.ts"

/** Time limit and abort signal of a request. */
export interface Guard {
  /** For `fetch`. */
  readonly signal: AbortSignal
  /** Waits for the promise; rejects at the time limit or the caller's abort, even if the promise never settles. */
  readonly waitFor: <A>(promise: Promise<A>) => Promise<A>
  /** Restarts the timer. */
  readonly restart: () => void
  /** Stops the timer until `restart`. */
  readonly pause: () => void
  /** Stops the timer and removes the listener from the caller's signal. Callers must call it at the end. */
  readonly stop: () => void
}

/** Longest delay of `setTimeout`; a longer delay fires immediately. */
const maxTimer = 2 ** 31 - 1

/** Starts the timer. `timeout` is in milliseconds; 0, and a value above `maxTimer`, means no limit. */
export const guard = (timeout: number, outer: AbortSignal | undefined): Guard => {
  const controller = new AbortController()
  let reject: (error: WalletDataError) => void = () => {}
  const expired = new Promise<never>((_, fail) => {
    reject = fail
  })
  // Avoids an unhandled rejection if `within` is not pending.
  expired.catch(() => {})
  const end = (error: WalletDataError) => {
    reject(error)
    controller.abort(error)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const pause = () => {
    // Some engines of React Native accept numbers only.
    if (timer !== undefined) clearTimeout(timer)
  }
  const restart = () => {
    pause()
    if (timeout === 0 || timeout > maxTimer) return
    const message = `The service did not respond within ${timeout} ms`
    timer = setTimeout(() => end(new WalletDataError({ kind: "timeout", message })), timeout)
  }
  const onAbort = () =>
    end(new WalletDataError({ kind: "aborted", message: "The request was aborted", cause: outer?.reason }))
  if (outer?.aborted) onAbort()
  else outer?.addEventListener("abort", onAbort, { once: true })
  restart()
  return {
    signal: controller.signal,
    waitFor: (promise) => Promise.race([expired, promise]),
    restart,
    pause,
    stop: () => {
      pause()
      outer?.removeEventListener("abort", onAbort)
    }
  }
}
