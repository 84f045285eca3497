import type { OrEffect } from "../../kernel/orEffect.ts"

/** A day of UTC, ms. */
export const day = 86_400_000

/** The number of the day of a time (ms). */
export const dayOf = (now: number): number => Math.floor(now / day)

/** Until the next day begins, s. */
export const untilNextDay = (now: number): number => Math.ceil(((dayOf(now) + 1) * day - now) / 1000)

/** Quotas for a day of UTC, by client; a client is a key that the operator has named, so there are few of them. */
export interface DayQuotas {
  /**
   * Counts so many requests at this time (ms) where they fit into what the day has left. Zero, or how many seconds the
   * client has to wait; an effect where the store has to be asked.
   */
  readonly take: (client: string, perDay: number, now: number, calls: number) => OrEffect<number>
  /** How many requests were counted on this day. */
  readonly used: (client: string, now: number) => number
}

/** The quotas of one of so many processes that know nothing of each other: it has its share of each. */
export const make = (processes: number) => {
  const clients = new Map<string, { readonly day: number; count: number }>()
  return {
    take: (client: string, perDay: number, now: number, calls: number): number => {
      const today = dayOf(now)
      const before = clients.get(client)
      const used = before?.day === today ? before : { day: today, count: 0 }
      clients.set(client, used)
      if (used.count + calls > Math.max(1, Math.floor(perDay / processes))) return untilNextDay(now)
      used.count += calls
      return 0
    },
    used: (client: string, now: number): number => {
      const before = clients.get(client)
      return before?.day === dayOf(now) ? before.count : 0
    }
  } satisfies DayQuotas
}
