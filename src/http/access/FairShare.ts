/** A client that has taken more than this many times the free capacity gets no more. */
const timesFree = 9

/** While less than this share of the capacity is taken, clients are not identified: that costs more than the rest. */
const uncountedShare = 0.1

/** Divides a capacity among clients, so that no client takes all of it. */
export interface FairShare {
  readonly taken: () => number
  /**
   * Takes an amount for a client. Returns a function that releases it, to be called once; undefined if the amount does
   * not fit or the client has its share.
   */
  readonly take: (client: () => string, amount: number) => (() => void) | undefined
}

export const make = (capacity: number): FairShare => {
  const byClient = new Map<string, number>()
  let free = capacity

  const add = (client: string, amount: number) => {
    const sum = (byClient.get(client) ?? 0) + amount
    if (sum > 0) byClient.set(client, sum)
    else byClient.delete(client)
  }

  return {
    taken: () => capacity - free,
    take: (clientOf, amount) => {
      if (amount > free) return undefined
      const client = capacity - free + amount <= uncountedShare * capacity ? undefined : clientOf()
      if (client !== undefined) {
        const before = byClient.get(client) ?? 0
        if (before > timesFree * free) return undefined
        add(client, amount)
      }
      free -= amount
      return () => {
        free += amount
        if (client !== undefined) add(client, -amount)
      }
    }
  }
}
