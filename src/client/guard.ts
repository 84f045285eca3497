import { WalletDataError } from "./WalletDataError.ts"

/** Ends what takes too long, and what its caller aborts. */
export interface Guard {
  /** For `fetch`. */
  readonly signal: AbortSignal
  /** The promise, or a rejection as soon as the time is over or the caller aborts, whatever becomes of the promise. */
  readonly within: <A>(promise: Promise<A>) => Promise<A>
  /** The time starts again. */
  readonly restart: () => void
  /** The time stands still. */
  readonly pause: () => void
  /** Has to be called in the end: lets go of the caller's signal. */
  readonly stop: () => void
}

/** A longer timer runs out at once. */
const maxTimer = 2 ** 31 - 1

/** `timeout` in milliseconds. */
export const guard = (timeout: number, outer: AbortSignal | undefined): Guard => {
  const controller = new AbortController()
  let reject: (error: WalletDataError) => void = () => {}
  const over = new Promise<never>((_, fail) => {
    reject = fail
  })
  // Nobody may be waiting when it is over.
  over.catch(() => {})
  const end = (error: WalletDataError) => {
    reject(error)
    controller.abort(error)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const pause = () => clearTimeout(timer)
  const restart = () => {
    pause()
    if (timeout > maxTimer) return
    const message = `The service did not answer within ${timeout} ms`
    timer = setTimeout(() => end(new WalletDataError({ kind: "timeout", message })), timeout)
  }
  const onAbort = () =>
    end(new WalletDataError({ kind: "aborted", message: "The request was aborted", cause: outer?.reason }))
  if (outer?.aborted) onAbort()
  else outer?.addEventListener("abort", onAbort, { once: true })
  restart()
  return {
    signal: controller.signal,
    within: (promise) => Promise.race([over, promise]),
    restart,
    pause,
    stop: () => {
      pause()
      outer?.removeEventListener("abort", onAbort)
    }
  }
}
