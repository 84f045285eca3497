/** An answer with the tag that names its state. */
export interface TaggedAnswer {
  readonly etag: string
  /** Not yet parsed: each caller gets a value of its own. */
  readonly text: string
  readonly bytes: number
  /** The header `x-partial-failures`. */
  readonly missing: string | null
}

/** How much is stored at most. */
export interface CacheSettings {
  readonly entries: number
  readonly bytes: number
}

export interface EtagCache {
  readonly find: (url: string) => TaggedAnswer | undefined
  readonly store: (url: string, answer: TaggedAnswer) => void
}

/** The answers that were used last. */
export const etagCache = ({ bytes, entries }: CacheSettings): EtagCache => {
  const answers = new Map<string, TaggedAnswer>()
  let total = 0
  const remove = (url: string) => {
    total -= answers.get(url)?.bytes ?? 0
    answers.delete(url)
  }
  const put = (url: string, answer: TaggedAnswer) => {
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
