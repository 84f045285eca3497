import type { CacheSettings } from "./etagCache.ts"
import type { RetrySettings } from "./retries.ts"
import { sendable } from "./WalletDataError.ts"

/** The platform's `fetch` or a replacement. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The same members, each absent or undefined for its default. */
export type Optional<A> = { readonly [Key in keyof A]?: A[Key] | undefined }

export interface ClientOptions extends Optional<RetrySettings> {
  /** Base URL of the service, such as `https://wallet-data.example`; empty for the origin of the page. */
  readonly baseUrl: string
  /** Sent as `x-api-key`. */
  readonly apiKey?: string | undefined
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Time limit in milliseconds for one attempt of a request, and for each chunk of a stream; 0 for none. Default: 30,000. */
  readonly timeout?: number | undefined
  /**
   * Maximum size of a response, and of a line of a stream, in bytes. Without streams, as in React Native, it is the
   * maximum number of characters, also of a whole stream. Default: 64 MiB.
   */
  readonly maxBytes?: number | undefined
  /** Limits of the cache of responses with an ETag. Default: 100 responses, 8 MiB in total. */
  readonly cache?: CacheSettings | false | undefined
  /** The operator's `APP_NAME`, the first path segment of the chart routes. Default: `app`. */
  readonly appName?: string | undefined
}

/** Last argument of every method. */
export interface CallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the client's timeout, in milliseconds; 0 for none. */
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

const must = (holds: boolean, rule: string) => {
  if (!holds) throw new TypeError(rule)
}

// Errors never contain the values of options.
const checked = (name: string, value: number) => {
  must(typeof value === "number" && value >= 0, `${name} must be a number of at least 0`)
  return value
}

const matches = (name: string, value: unknown, pattern: RegExp, rule: string) =>
  must(typeof value === "string" && pattern.test(value), `${name} must be ${rule}`)

/** The options of a call, with the client's time limit as default. Throws if one is invalid. */
export const checkedCall = (options: CallOptions, settings: Settings) =>
  sendable(() => {
    const { signal, timeout = settings.timeout } = options
    must(!signal || typeof signal.addEventListener === "function", "signal must be an AbortSignal")
    return { signal, timeout: checked("timeout", timeout) }
  })

/** A URL without credentials, query or blanks, a path of the page's origin, or nothing. */
const plainUrl = /^(https?:\/\/[^\s/?#@\\]+)?(\/[^\s/?#\\][^\s?#\\]*)?$/i

// Some engines of React Native have no `URL`, and some browsers no `URL.canParse`.
const isUrl = (text: string) => {
  try {
    return !globalThis.URL || !!new URL(text, "http://page.test")
  } catch {
    return false
  }
}

/** Whether a path is a URL here: pages that are files have no origin. */
export const hasOrigin = () =>
  !/^(file|data|blob|about):/.test(
    (globalThis as { location?: { readonly protocol: string } }).location?.protocol ?? "file:"
  )

/** The platform's `fetch`. Called as a plain function: browsers throw if it is called as a method of another object. */
const platformFetch: Fetch = (url, init) => {
  must(!url.startsWith("/") || hasOrigin(), "baseUrl must be a whole URL outside of a page")
  return fetch(url, init)
}

/** The base URL without slashes at its end. Throws if the URL or the key is invalid: never with their values. */
export const baseOf = (baseUrl: string, apiKey: string | undefined): string => {
  const base = `${baseUrl}`.replace(/\/+$/, "")
  must(
    plainUrl.test(base) && isUrl(base),
    "baseUrl must be the http(s) URL of the service, without credentials and query"
  )
  if (apiKey !== undefined) matches("apiKey", apiKey, /^[!-~]+$/, "visible ASCII characters")
  return base
}

/** The options with their defaults. Throws if one is invalid. */
export const settingsOf = (options: ClientOptions): Settings => {
  const { apiKey, appName = "app", baseUrl, cache = { entries: 100, bytes: 8 * 2 ** 20 } } = options
  matches("appName", appName, /^(?!\.\.?$)[\w.~-]+$/, "letters, digits and . _ ~ -")
  return {
    baseUrl: baseOf(baseUrl, apiKey),
    apiKey,
    fetch: options.fetch ?? platformFetch,
    timeout: checked("timeout", options.timeout ?? 30_000),
    maxBytes: checked("maxBytes", options.maxBytes ?? 64 * 2 ** 20),
    retries: checked("retries", options.retries ?? 2),
    retryDelay: checked("retryDelay", options.retryDelay ?? 1_000),
    maxRetryDelay: checked("maxRetryDelay", options.maxRetryDelay ?? 30_000),
    cache: cache === false ? { entries: 0, bytes: 0 } : cache,
    appName
  }
}
