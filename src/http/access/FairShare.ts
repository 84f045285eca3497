/** A client takes no more once it has this many times what is free. */
const timesFree = 9

/** Less than this share of the capacity is taken without finding out by whom, which costs more than the rest of it. */
const uncountedShare = 0.1

/** Divides a capacity among clients, so that none takes all of it. */
export interface FairShare {
  readonly taken: () => number
  /** Takes this much for a client; what gives it back, once. Undefined where it does not fit, or the client has its share. */
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
