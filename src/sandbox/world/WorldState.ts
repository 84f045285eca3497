import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { Contract } from "./World.ts"

/** A movement of one asset. */
export interface WorldMovement {
  /** In canonical form; absent if the amount enters the world from outside. */
  readonly from?: string
  /** In canonical form; absent if the amount leaves the world. */
  readonly to?: string
  readonly amount: bigint
  /** Absent for the native coin. */
  readonly contract?: Contract
}

/** An event of a simulated world: a credit, a debit or a transfer. */
export interface WorldEvent extends WorldMovement {
  /** Unique id: at least 32 bytes, in hexadecimal digits. */
  readonly id: string
  /** Fee of the sender, in base units of the native coin. Default: 0. */
  readonly fee?: bigint
  /** True if only the fee was paid and the amount did not move. */
  readonly failed?: boolean
  /** Data of the family, such as the outputs of a transaction. */
  readonly details?: unknown
  /** Further movements of the same event. */
  readonly extra?: ReadonlyArray<WorldMovement>
}

/** An event that is not final yet. */
export interface PendingEvent extends WorldEvent {
  /** Time of sending, UNIX seconds. */
  readonly seen: number
  /** Time of the block that includes it, UNIX seconds. If absent, the event is pending until `confirm`. */
  readonly due?: number
}

/** An event that is final. */
export interface FinalEvent extends WorldEvent {
  /** Time at which it became final, UNIX seconds; always even. */
  readonly at: number
  /** Time of sending, UNIX seconds; absent if it was never pending. */
  readonly seen?: number
  /** Index among the network's events with the same `at`, from 0. */
  readonly ordinal: number
}

export type WorldState = ReturnType<typeof make>

/** UNIX seconds of 1 March 2025: the earliest time of an event. */
export const beginning = Date.UTC(2025, 2, 1) / 1000

/** Maximum number of final events in the histories of a network (balances include all), and of pending events. */
const capacity = 50_000
const maxPending = 2_000

interface NetworkState {
  version: number
  readonly final: Array<FinalEvent>
  pending: ReadonlyArray<PendingEvent>
  /** Sum of all final movements by address and token. */
  readonly changes: Map<string, bigint>
  /** Times at which events became final, by id. */
  readonly times: BoundedMap.BoundedMap<string, number>
}

const keyOf = (address: string, contract: Pick<Contract, "address"> | undefined) =>
  contract === undefined ? address : `${address} ${contract.address}`

/** All movements of an event, including the fee. */
export const movementsOf = ({
  extra = [],
  failed = false,
  fee = 0n,
  ...event
}: WorldEvent): ReadonlyArray<WorldMovement> => [
  ...(failed ? [] : [event, ...extra]),
  ...(fee === 0n ? [] : [{ ...(event.from === undefined ? {} : { from: event.from }), amount: fee }])
]

const concerns =
  (address: string) =>
  ({ extra = [], from, to }: WorldEvent) =>
    from === address || to === address || extra.some((moved) => moved.from === address || moved.to === address)

/** Makes an event final at this second, or at the time of the latest final event if that is later. */
const settle = (state: NetworkState, event: WorldEvent & Pick<FinalEvent, "seen">, second: number): void => {
  const { changes, final, times } = state
  const last = final.at(-1)
  const at = Math.max(second - (second % 2), last?.at ?? beginning)
  final.push({ ...event, at, ordinal: last?.at === at ? last.ordinal + 1 : 0 })
  if (final.length > capacity) final.shift()
  times.set(event.id, at)
  const change = (address: string | undefined, amount: bigint, contract?: Contract) => {
    if (address === undefined) return
    const key = keyOf(address, contract)
    changes.set(key, (changes.get(key) ?? 0n) + amount)
  }
  for (const { amount, contract, from, to } of movementsOf(event)) {
    change(from, -amount, contract)
    change(to, amount, contract)
  }
  state.version++
}

/** Events of a world by network id. Worlds share no state. */
export const make = () => {
  const networks = new Map<string, NetworkState>()

  const stateOf = (network: string): NetworkState => {
    const times = () => BoundedMap.make<string, number>({ capacity })
    const state = networks.get(network) ?? { version: 0, final: [], pending: [], changes: new Map(), times: times() }
    networks.set(network, state)
    return state
  }

  /** Makes the matching pending events final, in the order of their due times; returns their number. */
  const settleWhere = (network: string, fits: (event: PendingEvent) => boolean, now: number): number => {
    const state = stateOf(network)
    const timeOf = ({ due = now }: PendingEvent) => Math.min(due, now)
    const ready = state.pending.filter(fits).toSorted((a, b) => timeOf(a) - timeOf(b))
    if (ready.length === 0) return 0
    state.pending = state.pending.filter((event) => !fits(event))
    for (const pending of ready) {
      const { due: _, ...event } = pending
      settle(state, event, timeOf(pending))
    }
    return ready.length
  }

  return {
    networks: () => [...networks.keys()],
    /** Changes with every change of the network's state. */
    version: (network: string): number => networks.get(network)?.version ?? 0,
    /** Difference to the initial balance, in base units; negative if the balance is lower. */
    change: (network: string, address: string, contract?: Pick<Contract, "address">): bigint =>
      networks.get(network)?.changes.get(keyOf(address, contract)) ?? 0n,
    /** Final events of an address, oldest first. */
    final: (network: string, address: string): ReadonlyArray<FinalEvent> =>
      networks.get(network)?.final.filter(concerns(address)) ?? [],
    /** UNIX second at which an event became final; undefined if it is not final. */
    finalSince: (network: string, id: string): number | undefined => networks.get(network)?.times.get(id),
    pending: (network: string, address: string): ReadonlyArray<PendingEvent> =>
      networks.get(network)?.pending.filter(concerns(address)) ?? [],
    pendingOf: (network: string, id: string): PendingEvent | undefined =>
      networks.get(network)?.pending.find((event) => event.id === id),
    settle: (network: string, event: WorldEvent, second: number): void => settle(stateOf(network), event, second),
    /** Adds a pending event. Over the limit, the oldest pending event becomes final immediately. */
    wait: (network: string, event: PendingEvent): void => {
      const state = stateOf(network)
      const [oldest] = state.pending
      if (oldest !== undefined && state.pending.length >= maxPending)
        settleWhere(network, (other) => other === oldest, event.seen)
      state.pending = [...state.pending, event]
      state.version++
    },
    /** Removes a pending event. */
    drop: (network: string, id: string): void => {
      const state = stateOf(network)
      state.pending = state.pending.filter((event) => event.id !== id)
      state.version++
    },
    /** Replaces a pending event; keeps its due time. */
    replace: (network: string, id: string, event: PendingEvent): void => {
      const state = stateOf(network)
      state.pending = state.pending.map((before) =>
        before.id !== id ? before : before.due === undefined ? event : { ...event, due: before.due }
      )
      state.version++
    },
    /** Makes all pending events final, in the order of their due times; returns their number. */
    confirm: (network: string, second: number): number => settleWhere(network, () => true, second),
    /** Makes all events final that are due by this second, on all networks. */
    settleDue: (second: number): void => {
      for (const [network, { pending }] of networks)
        if (pending.length > 0) settleWhere(network, ({ due = Number.POSITIVE_INFINITY }) => due <= second, second)
    }
  }
}
