import { guard, maxTimer } from "./guard.ts"
import { WalletDataError } from "./WalletDataError.ts"

/** Number and delays of retries. */
export interface RetrySettings {
  /** Maximum number of retries. */
  readonly retries: number
  /** Least delay before the first retry, in milliseconds; doubles with each retry. */
  readonly retryDelay: number
  /** Maximum delay in milliseconds, before the random part; a request that needs a longer one fails instead. */
  readonly maxRetryDelay: number
}

/** Seconds of a `Retry-After`: a number, or an HTTP date relative to the response's `Date` or else to `now`. */
export const retryAfterOf = (
  retryAfter: string | null | undefined,
  date: string | null | undefined,
  now: number
): number | undefined => {
  const text = retryAfter?.trim() ?? ""
  if (/^\d+$/.test(text)) return Number(text)
  const time = Date.parse(/^[A-Z][a-z]+, /.test(text) ? text : "")
  if (Number.isNaN(time)) return undefined
  const sent = Date.parse(date ?? "")
  return Math.max(0, Math.ceil((time - (Number.isNaN(sent) ? now : sent)) / 1000))
}

/**
 * Returns the delay before the next attempt in milliseconds; undefined for no further attempt: at least `retryAfter`
 * (seconds) and the doubled `retryDelay`, none above `maxRetryDelay`. `random`, from 0 to 1, then adds up to a quarter:
 * clients that failed at the same time do not retry at the same time.
 */
export const backoff = (
  attempt: number,
  retryAfter: number | undefined,
  { maxRetryDelay, retries, retryDelay }: RetrySettings,
  random: number
): number | undefined => {
  const least = Math.max(retryDelay * 2 ** attempt, (retryAfter ?? 0) * 1000)
  return attempt >= retries || least > Math.min(maxRetryDelay, maxTimer)
    ? undefined
    : Math.min(maxTimer, least * (1 + random / 4))
}

/**
 * Whether a response is a failure that may be temporary: 429 or 503, or a gateway's 408, 502 or 504. As problems of the
 * service, 502 and 504 come after its own retries.
 */
export const isTemporary = (status: number | undefined, isProblem: boolean) =>
  [429, 503, ...(isProblem ? [] : [408, 502, 504])].some((of) => of === status)

/** Returns the delay before retrying after this error; undefined if a retry cannot help. */
export const retryDelayOf = (error: unknown, attempt: number, settings: RetrySettings): number | undefined =>
  error instanceof WalletDataError && (error.kind === "network" || isTemporary(error.status, error.kind === "problem"))
    ? backoff(attempt, error.retryAfter, settings, Math.random())
    : undefined

/** Waits. Rejects early if the signal is aborted. */
export const pause = async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
  const waiting = guard(0, signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await waiting.waitFor(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, milliseconds)
      })
    )
  } finally {
    clearTimeout(timer)
    waiting.stop()
  }
}
