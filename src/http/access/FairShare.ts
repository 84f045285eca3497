/** A client that has taken more than this many times the free capacity gets no more. */
const timesFree = 9

/** While less than this share of the capacity is taken, clients are not identified: that costs more than the rest. */
const uncountedShare = 0.1

/** Divides a capacity among clients, so that no client takes all of it. */
export const fairShare = (capacity: number) => {
  const byClient = new Map<string, number>()
  let taken = 0

  const add = (client: string, amount: number) => {
    const sum = (byClient.get(client) ?? 0) + amount
    if (sum > 0) byClient.set(client, sum)
    else byClient.delete(client)
  }

  return {
    taken: () => taken,
    /** Changes the capacity, which may then be less than the taken amount. */
    resize: (next: number) => {
      capacity = next
    },
    /**
     * Takes an amount for a client. Returns a function that releases it, to be called once; undefined if the amount does
     * not fit or the client has its share. A reserve is free only for what may use it, of any client.
     */
    take: (clientOf: () => string, amount: number, reserve = 0, mayUseReserve = false) => {
      const free = capacity - taken
      if (!(amount >= 0 && amount + (mayUseReserve ? 0 : reserve) <= free)) return undefined
      const client = taken + amount <= uncountedShare * capacity ? undefined : clientOf()
      if (client !== undefined) {
        const before = byClient.get(client) ?? 0
        // The rest that clients with their share leave must be one that others can take.
        if (before > Math.max(timesFree * (free - reserve), free)) return undefined
        add(client, amount)
      }
      taken += amount
      return () => {
        taken -= amount
        if (client !== undefined) add(client, -amount)
      }
    }
  }
}
