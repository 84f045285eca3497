import * as Context from "effect/Context"

/** Numbers of a map, or sums over all maps of one name. */
export interface MemoryUsage {
  readonly entries: number
  readonly bytes: number
  /** Reads that found an entry, and those that did not. */
  readonly hits: number
  readonly misses: number
  readonly evicted: number
}

/** A map in a budget. */
export interface BudgetMember {
  readonly name: string
  readonly weight: () => number
  readonly usage: () => MemoryUsage
  /** When its least recently used entry was used, as counted by {@link MemoryBudget.use}; undefined without entries. */
  readonly oldestUse: () => number | undefined
  readonly evictOldest: () => void
}

/** A bound for the total weight of several maps. */
export interface MemoryBudget {
  readonly max: number
  readonly weight: () => number
  readonly join: (member: BudgetMember) => void
  /** Counts a use of an entry; returns its number. */
  readonly use: () => number
  /** Number of uses so far. */
  readonly uses: () => number
  /** False once half of the budget is used; until then, no entry is evicted soon. */
  readonly isScarce: () => boolean
  /** Adds this weight, which may be negative, and evicts entries while the sum is above the maximum. */
  readonly add: (weight: number) => void
  /** By name. */
  readonly usage: () => ReadonlyMap<string, MemoryUsage>
}

const plus = (usage: MemoryUsage, other = unused): MemoryUsage => ({
  entries: usage.entries + other.entries,
  bytes: usage.bytes + other.bytes,
  hits: usage.hits + other.hits,
  misses: usage.misses + other.misses,
  evicted: usage.evicted + other.evicted
})

const unused: MemoryUsage = { entries: 0, bytes: 0, hits: 0, misses: 0, evicted: 0 }

/** Share of a budget that is freed beyond the maximum, so that not each new entry compares all maps. */
const slack = 1 / 1024

/**
 * Evicts the least recently used entry of the map for which its age, in uses of all maps, times the weight of its map is
 * greatest. Among maps of equal weight that is the least recently used entry of all. A large map loses its entries first:
 * thousands of histories do not displace a few prices. The entry that was used last is never evicted. A budget that is
 * part of another is bounded by both.
 */
export const make = (max: number, whole?: MemoryBudget): MemoryBudget => {
  const members: Array<BudgetMember> = []
  let weight = 0
  let uses = 0
  const now = whole?.uses ?? (() => uses)

  const costOf = (member: BudgetMember): number => {
    const oldest = member.oldestUse()
    return oldest === undefined ? 0 : (now() - oldest) * member.weight()
  }

  /** Evicts until the sum is at most `target`. An eviction lowers the cost of its map only, mostly by one place. */
  const evictTo = (target: number): void => {
    const all = members.map((member) => ({ member, cost: costOf(member) })).sort((a, b) => b.cost - a.cost)
    for (let [first] = all; first !== undefined && first.cost > 0 && weight > target; [first] = all) {
      first.member.evictOldest()
      const cost = costOf(first.member)
      first.cost = cost
      let place = 1
      for (let next = all[place]; next !== undefined && next.cost > cost; next = all[++place]) all[place - 1] = next
      all[place - 1] = first
    }
  }

  return {
    max: Math.min(max, whole?.max ?? max),
    weight: () => weight,
    join: (member) => {
      members.push(member)
      whole?.join(member)
    },
    use: whole?.use ?? (() => ++uses),
    uses: now,
    isScarce: () => 2 * weight >= max || whole?.isScarce() === true,
    add: (more) => {
      weight += more
      whole?.add(more)
      if (more > 0 && weight > max) evictTo(max - Math.floor(max * slack))
    },
    usage: () => {
      const sums = new Map<string, MemoryUsage>()
      for (const { name, usage } of members) sums.set(name, plus(usage(), sums.get(name)))
      return sums
    }
  }
}

/** The budget of everything that the process caches in memory. If undefined, each map has its own. */
export class CurrentMemoryBudget extends Context.Reference<CurrentMemoryBudget>()("kernel/MemoryBudget", {
  defaultValue: (): MemoryBudget | undefined => undefined
}) {}
