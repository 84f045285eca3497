import type { CacheSettings } from "./etagCache.ts"
import type { RetrySettings } from "./retries.ts"

/** `fetch` of the platform, or what stands in for it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ClientOptions extends Partial<RetrySettings> {
  /** The address of the service, such as `https://wallet-data.example`; empty for the origin of the page. */
  readonly baseUrl: string
  /** Sent as `x-api-key`. */
  readonly apiKey?: string | undefined
  /** That of the platform where it is left out. */
  readonly fetch?: Fetch | undefined
  /** For one attempt of a request, and for each piece of a stream, in milliseconds. 30,000 where it is left out. */
  readonly timeout?: number | undefined
  /** The largest answer that is read, and the longest line of a stream. 64 MiB where it is left out. */
  readonly maxBytes?: number | undefined
  /** How many answers with an ETag are stored: 100 of 8 MiB in all where it is left out. */
  readonly cache?: CacheSettings | false | undefined
  /** The operator's `APP_NAME`, the first segment of the paths of charts. `app` where it is left out. */
  readonly appName?: string | undefined
}

/** What every method takes as its last argument. */
export interface CallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
  /** In place of the client's. */
  readonly timeout?: number | undefined
}

export interface Settings extends RetrySettings {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly fetch: Fetch
  readonly timeout: number
  readonly maxBytes: number
  readonly cache: CacheSettings
  readonly appName: string
}

const checked = (name: string, value: number) => {
  if (!(value >= 0)) throw new TypeError(`${name} must be a number from 0; it is ${value}`)
  return value
}

/** The options with their defaults. */
export const settingsOf = (options: ClientOptions): Settings => {
  const { apiKey, appName = "app", baseUrl, cache = { entries: 100, bytes: 8 * 2 ** 20 } } = options
  if (typeof baseUrl !== "string" || /[?#]/.test(baseUrl))
    throw new TypeError("baseUrl must be the address of the service, without a query")
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    apiKey,
    // Called as a function: browsers refuse it as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeout: checked("timeout", options.timeout ?? 30_000),
    maxBytes: checked("maxBytes", options.maxBytes ?? 64 * 2 ** 20),
    retries: checked("retries", options.retries ?? 2),
    retryDelay: checked("retryDelay", options.retryDelay ?? 1_000),
    maxRetryDelay: checked("maxRetryDelay", options.maxRetryDelay ?? 30_000),
    cache: cache === false ? { entries: 0, bytes: 0 } : cache,
    appName
  }
}
