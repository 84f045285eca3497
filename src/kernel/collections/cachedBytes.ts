import * as Metric from "effect/Metric"

const bytes = Metric.gauge("response_cache_bytes", {
  description: "Bytes of responses that can be sent again, by cache"
})

/** Takes the size of one cache of responses, each time that it changes; caches of one name are added up. */
export const cachedBytes = (cache: string) => {
  const gauge = Metric.tagged(bytes, "cache", cache)
  let before = 0
  return (now: number): void => {
    gauge.unsafeModify(now - before, [])
    before = now
  }
}
