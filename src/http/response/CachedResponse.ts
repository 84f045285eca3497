/** A response whose bytes are made once and sent to many. */
export interface CachedResponse {
  /** 200 where it is absent. */
  readonly status?: number
  /** JSON where it is absent. */
  readonly contentType?: string
  readonly body: Uint8Array
  /** Header fields of its own, besides those that every cached response has. */
  readonly headers: Readonly<Record<string, string>>
  /** For how long a client or a proxy may reuse it without revalidation, seconds; where it is absent they may not, and there is no ETag. */
  readonly maxAge?: number
  /** The whole `cache-control` of what is no data, in place of the one that `maxAge` makes; it has an ETag, too. */
  readonly cacheControl?: string
  /** The one rule of validity: whether the data it was made of are still the newest and good, at this time (ms). */
  readonly isCurrent: (now: number) => boolean
}
