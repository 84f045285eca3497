/** A response whose bytes are built once and sent to many clients. */
export interface CachedResponse {
  /** 200 by default. */
  readonly status?: number
  /** JSON by default. */
  readonly contentType?: string
  readonly body: Uint8Array
  /** Header fields in addition to those of every cached response. */
  readonly headers: Readonly<Record<string, string>>
  /** Seconds for which clients and proxies may reuse it without revalidation. If absent: no caching and no ETag. */
  readonly maxAge?: number
  /** Complete `cache-control`, instead of that of `maxAge`, for responses that are not data; they have an ETag too. */
  readonly cacheControl?: string
  /** The only rule of validity: true if the data of the response is the newest and valid at this time (ms). */
  readonly isCurrent: (now: number) => boolean
}
