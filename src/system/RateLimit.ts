interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** How many clients are remembered; the one not seen for longest is forgotten first, and starts afresh. */
const maxClients = 20_000

/** A token bucket for each client: a minute's worth at once, then one at a time as they come back. */
export const make = (perMinute: number, clients = maxClients) => {
  const buckets = new Map<string, Bucket>()
  const perMillisecond = perMinute / 60_000
  return {
    /** Takes one at this time (ms). Zero, or how many seconds the client has to wait for its next request. */
    take: (client: string, now: number): number => {
      const known = buckets.get(client)
      const tokens =
        known === undefined ? perMinute : Math.min(perMinute, known.tokens + (now - known.at) * perMillisecond)
      const granted = tokens >= 1
      buckets.delete(client)
      buckets.set(client, { tokens: granted ? tokens - 1 : tokens, at: now })
      if (buckets.size > clients) {
        const oldest = buckets.keys().next()
        if (oldest.done === false) buckets.delete(oldest.value)
      }
      return granted ? 0 : Math.ceil((1 - tokens) / perMillisecond / 1000)
    }
  }
}
