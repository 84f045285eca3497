import type { Contract } from "./World.ts"

/** What happened in a world since it was made: somebody was given something, or had to give it up, or sent it. */
export interface WorldEvent {
  /** 32 bytes in hexadecimal digits, no two alike. */
  readonly id: string
  /** In canonical form; absent where it comes from outside of the world. */
  readonly from?: string
  /** Absent where it leaves the world. */
  readonly to?: string
  readonly amount: bigint
  /** The native coin without it. */
  readonly contract?: Contract
  /** What the sender paid for it, in base units of the native coin; nothing without it. */
  readonly fee?: bigint
  /** Only the fee was paid; the amount stayed where it was. */
  readonly failed?: boolean
}

/** An event that is not final yet. */
export interface PendingEvent extends WorldEvent {
  /** When it was sent, UNIX seconds. */
  readonly seen: number
}

/** An event that is final. */
export interface FinalEvent extends WorldEvent {
  /** UNIX seconds, an even number. */
  readonly at: number
  /** Its place among those of the same second of a network, from 0. */
  readonly nth: number
}

export type WorldState = ReturnType<typeof make>

/** UNIX seconds of 1 March 2025: nothing happens in a world before. */
export const beginning = Date.UTC(2025, 2, 1) / 1000

interface NetworkState {
  version: number
  readonly final: Array<FinalEvent>
  readonly pending: Array<PendingEvent>
  /** By address and token, what the final events have changed. */
  readonly changes: Map<string, bigint>
}

const keyOf = (address: string, contract: Pick<Contract, "address"> | undefined) =>
  contract === undefined ? address : `${address} ${contract.address}`

const concerns =
  (address: string) =>
  ({ from, to }: WorldEvent) =>
    from === address || to === address

/** The events of a world, by the ids of networks. Nothing of it is shared with another world. */
export const make = () => {
  const networks = new Map<string, NetworkState>()

  const stateOf = (network: string): NetworkState => {
    const state = networks.get(network) ?? { version: 0, final: [], pending: [], changes: new Map() }
    networks.set(network, state)
    return state
  }

  /** An event is final from this second on, and never before the one before it. */
  const settle = (network: string, event: WorldEvent, second: number): void => {
    const { changes, final } = stateOf(network)
    const last = final.at(-1)
    const at = Math.max(second - (second % 2), last?.at ?? beginning)
    final.push({ ...event, at, nth: last?.at === at ? last.nth + 1 : 0 })
    const change = (address: string | undefined, amount: bigint, contract?: Contract) => {
      if (address === undefined) return
      const key = keyOf(address, contract)
      changes.set(key, (changes.get(key) ?? 0n) + amount)
    }
    const moved = event.failed === true ? 0n : event.amount
    change(event.from, -moved, event.contract)
    change(event.to, moved, event.contract)
    change(event.from, -(event.fee ?? 0n))
    stateOf(network).version++
  }

  return {
    networks: () => [...networks.keys()],
    /** Another one as soon as anything of the network has changed. */
    version: (network: string): number => networks.get(network)?.version ?? 0,
    /** What an address has more than in the beginning, in base units; less where it is negative. */
    change: (network: string, address: string, contract?: Pick<Contract, "address">): bigint =>
      networks.get(network)?.changes.get(keyOf(address, contract)) ?? 0n,
    /** The oldest first. */
    final: (network: string, address: string): ReadonlyArray<FinalEvent> =>
      networks.get(network)?.final.filter(concerns(address)) ?? [],
    pending: (network: string, address: string): ReadonlyArray<PendingEvent> =>
      networks.get(network)?.pending.filter(concerns(address)) ?? [],
    settle,
    wait: (network: string, event: PendingEvent): void => {
      stateOf(network).pending.push(event)
      stateOf(network).version++
    },
    /** Makes all that is pending final, in the order in which it was sent; how many there were. */
    confirm: (network: string, second: number): number => {
      const waiting = stateOf(network).pending.splice(0)
      for (const { seen: _, ...event } of waiting) settle(network, event, second)
      return waiting.length
    }
  }
}
