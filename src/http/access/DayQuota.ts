const day = 86_400_000

/** Quotas for a day of UTC, by client; a client is a key that the operator has named, so there are few of them. */
export const make = () => {
  const clients = new Map<string, { readonly day: number; count: number }>()
  return {
    /**
     * Counts so many requests at this time (ms) where they fit into what the day has left. Zero, or how many seconds the
     * client has to wait.
     */
    take: (client: string, perDay: number, now: number, calls = 1): number => {
      const today = Math.floor(now / day)
      const before = clients.get(client)
      const used = before?.day === today ? before : { day: today, count: 0 }
      clients.set(client, used)
      if (used.count + calls > perDay) return Math.ceil(((today + 1) * day - now) / 1000)
      used.count += calls
      return 0
    },
    /** How many requests were counted on this day. */
    used: (client: string, now: number): number => {
      const before = clients.get(client)
      return before?.day === Math.floor(now / day) ? before.count : 0
    }
  }
}
