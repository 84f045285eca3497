import { guard } from "./guard.ts"
import { WalletDataError } from "./WalletDataError.ts"

/** Whether and when a request is repeated. */
export interface RetrySettings {
  /** How often at most. */
  readonly retries: number
  /** The first pause where the service names none, in milliseconds; each further one is twice as long. */
  readonly retryDelay: number
  /** A request that would have to wait longer fails instead, in milliseconds. */
  readonly maxRetryDelay: number
}

/** The seconds of a `Retry-After`: a number, or a date, which is compared with that of the answer or else with `now`. */
export const retryAfterOf = (
  retryAfter: string | null | undefined,
  date: string | null | undefined,
  now: number
): number | undefined => {
  const text = retryAfter?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const time = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) return undefined
  const sent = Date.parse(date ?? "")
  return Math.max(0, Math.ceil((time - (Number.isNaN(sent) ? now : sent)) / 1000))
}

/**
 * For how many milliseconds to wait before the next attempt; undefined where there is none. `random` is from 0 to 1:
 * clients that failed at the same time do not come back at the same time.
 */
export const backoff = (
  attempt: number,
  retryAfter: number | undefined,
  { maxRetryDelay, retries, retryDelay }: RetrySettings,
  random: number
): number | undefined => {
  if (attempt >= retries) return undefined
  const delay = retryAfter === undefined ? retryDelay * 2 ** attempt * (0.75 + random / 4) : retryAfter * 1000
  return delay > maxRetryDelay ? undefined : delay
}

/** Whether an answer with this status is a refusal for now, of what may be done later. */
export const isRefusedForNow = (status: number | undefined) => status === 429 || status === 503

/** The same of an error; undefined where the request must not be repeated. */
export const delayOf = (error: unknown, attempt: number, settings: RetrySettings): number | undefined =>
  error instanceof WalletDataError && (error.kind === "network" || isRefusedForNow(error.status))
    ? backoff(attempt, error.retryAfter, settings, Math.random())
    : undefined

/** Ends early, with an error, when the signal is aborted. */
export const pause = async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
  const waiting = guard(Number.POSITIVE_INFINITY, signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await waiting.within(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, milliseconds)
      })
    )
  } finally {
    clearTimeout(timer)
    waiting.stop()
  }
}
