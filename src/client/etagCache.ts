/** A response body with its ETag. */
export interface CachedResponse {
  readonly etag: string
  /** Unparsed, so that callers do not share objects. */
  readonly text: string
  readonly bytes: number
  /** Value of the header `x-partial-failures`. */
  readonly missing: string | null
}

/** Limits of the cache. */
export interface CacheSettings {
  readonly entries: number
  readonly bytes: number
}

export interface EtagCache {
  readonly find: (url: string) => CachedResponse | undefined
  readonly store: (url: string, answer: CachedResponse) => void
}

/** LRU cache of responses by URL. */
export const etagCache = ({ bytes, entries }: CacheSettings): EtagCache => {
  const answers = new Map<string, CachedResponse>()
  let total = 0
  const remove = (url: string) => {
    total -= answers.get(url)?.bytes ?? 0
    answers.delete(url)
  }
  const put = (url: string, answer: CachedResponse) => {
    remove(url)
    answers.set(url, answer)
    total += answer.bytes
  }
  return {
    find: (url) => {
      const answer = answers.get(url)
      if (answer !== undefined) put(url, answer)
      return answer
    },
    store: (url, answer) => {
      remove(url)
      if (answer.bytes > bytes) return
      put(url, answer)
      for (const oldest of answers.keys()) {
        if (answers.size <= entries && total <= bytes) return
        remove(oldest)
      }
    }
  }
}
