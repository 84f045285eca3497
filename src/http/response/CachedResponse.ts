/** An answer whose bytes are made once and sent to many. */
export interface CachedResponse {
  /** JSON text in UTF-8. */
  readonly body: Uint8Array
  /** Header fields of its own, besides those that every ready answer has. */
  readonly headers: Readonly<Record<string, string>>
  /** So long a client or a proxy may keep it without asking again, seconds. */
  readonly maxAge: number
  /** Whether the data it was made of are still the newest and good, at this time (ms). */
  readonly isCurrent: (now: number) => boolean
}
