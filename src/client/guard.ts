import { WalletDataError } from "./WalletDataError.ts"

/** Time limit and abort signal of a request. */
export interface Guard {
  /** For `fetch`. */
  readonly signal: AbortSignal
  /**
   * Waits for the promise; rejects at the time limit or the caller's abort, even if the promise never settles. Callers
   * wait for one promise at a time.
   */
  readonly waitFor: <A>(promise: Promise<A>) => Promise<A>
  /** Throws after the time limit or the caller's abort. */
  readonly check: () => void
  /** Restarts the timer. */
  readonly restart: () => void
  /** Stops the timer until `restart`. */
  readonly pause: () => void
  /** Stops the timer and removes the listener from the caller's signal. Callers must call it at the end. */
  readonly stop: () => void
}

/** Longest delay of `setTimeout`; a longer delay fires immediately. */
export const maxTimer = 2 ** 31 - 1

/** Starts the timer. `timeout` is in milliseconds; 0, and a value above `maxTimer`, means no limit. */
export const guard = (timeout: number, outer: AbortSignal | undefined): Guard => {
  const controller = new AbortController()
  let ended: WalletDataError | undefined
  let reject: (error: WalletDataError) => void = () => {}
  const end = (error: WalletDataError) => {
    ended ??= error
    reject(ended)
    controller.abort(ended)
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
    // A race with a promise that lives as long as the stream would keep the value of every race.
    waitFor: (promise) =>
      new Promise((resolve, fail) => {
        reject = fail
        if (ended !== undefined) fail(ended)
        promise.then(resolve, fail)
      }),
    check: () => {
      if (ended !== undefined) throw ended
    },
    restart,
    pause,
    stop: () => {
      pause()
      outer?.removeEventListener("abort", onAbort)
    }
  }
}
