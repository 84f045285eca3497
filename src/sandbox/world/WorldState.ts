import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { Contract } from "./World.ts"

/** A movement of one asset. */
export interface WorldMovement {
  /** In canonical form; absent where it comes from outside of the world. */
  readonly from?: string
  /** Absent where it leaves the world. */
  readonly to?: string
  readonly amount: bigint
  /** The native coin without it. */
  readonly contract?: Contract
}

/** An event of a simulated world: a credit, a debit or a transfer. */
export interface WorldEvent extends WorldMovement {
  /** 32 bytes in hexadecimal digits, or longer; no two alike. */
  readonly id: string
  /** What the sender paid for it, in base units of the native coin; nothing without it. */
  readonly fee?: bigint
  /** Only the fee was paid; the amount stayed where it was. */
  readonly failed?: boolean
  /** What a family shows of it, such as the outputs of a transaction. */
  readonly details?: unknown
  /** What moves besides, where it is more than one movement. */
  readonly also?: ReadonlyArray<WorldMovement>
}

/** An event that is not final yet. */
export interface PendingEvent extends WorldEvent {
  /** When it was sent, UNIX seconds. */
  readonly seen: number
  /** The time of the block that takes it, UNIX seconds; without it, it waits for `confirm`. */
  readonly due?: number
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

/** Final events that the histories of a network show, where balances count all; and events that can be pending. */
const capacity = 50_000
const maxPending = 2_000

interface NetworkState {
  version: number
  readonly final: Array<FinalEvent>
  pending: ReadonlyArray<PendingEvent>
  /** By address and token, what the final events have changed. */
  readonly changes: Map<string, bigint>
  /** When events became final, by id. */
  readonly times: BoundedMap.BoundedMap<string, number>
}

const keyOf = (address: string, contract: Pick<Contract, "address"> | undefined) =>
  contract === undefined ? address : `${address} ${contract.address}`

/** All that an event moves, with the fee. */
export const movementsOf = ({
  also = [],
  failed = false,
  fee = 0n,
  ...event
}: WorldEvent): ReadonlyArray<WorldMovement> => [
  ...(failed ? [] : [event, ...also]),
  ...(fee === 0n ? [] : [{ ...(event.from === undefined ? {} : { from: event.from }), amount: fee }])
]

const concerns =
  (address: string) =>
  ({ also = [], from, to }: WorldEvent) =>
    from === address || to === address || also.some((moved) => moved.from === address || moved.to === address)

/** An event is final from this second on, and never before the one before it. */
const settle = (state: NetworkState, event: WorldEvent, second: number): void => {
  const { changes, final, times } = state
  const last = final.at(-1)
  const at = Math.max(second - (second % 2), last?.at ?? beginning)
  final.push({ ...event, at, nth: last?.at === at ? last.nth + 1 : 0 })
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

/** The events of a world, by the ids of networks. Nothing of it is shared with another world. */
export const make = () => {
  const networks = new Map<string, NetworkState>()

  const stateOf = (network: string): NetworkState => {
    const times = () => BoundedMap.make<string, number>({ capacity })
    const state = networks.get(network) ?? { version: 0, final: [], pending: [], changes: new Map(), times: times() }
    networks.set(network, state)
    return state
  }

  /** Makes the pending events final that fit, the first to be due first; how many there were. */
  const settleWhere = (network: string, fits: (event: PendingEvent) => boolean, now: number): number => {
    const state = stateOf(network)
    const timeOf = ({ due = now }: PendingEvent) => Math.min(due, now)
    const ready = state.pending.filter(fits).toSorted((a, b) => timeOf(a) - timeOf(b))
    if (ready.length === 0) return 0
    state.pending = state.pending.filter((event) => !fits(event))
    for (const pending of ready) {
      const { due: _, seen: __, ...event } = pending
      settle(state, event, timeOf(pending))
    }
    return ready.length
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
    /** The second since which an event is final; undefined while it is not. */
    finalSince: (network: string, id: string): number | undefined => networks.get(network)?.times.get(id),
    pending: (network: string, address: string): ReadonlyArray<PendingEvent> =>
      networks.get(network)?.pending.filter(concerns(address)) ?? [],
    pendingOf: (network: string, id: string): PendingEvent | undefined =>
      networks.get(network)?.pending.find((event) => event.id === id),
    settle: (network: string, event: WorldEvent, second: number): void => settle(stateOf(network), event, second),
    /** Where too many are pending, the oldest is final at once. */
    wait: (network: string, event: PendingEvent): void => {
      const state = stateOf(network)
      const [oldest] = state.pending
      if (oldest !== undefined && state.pending.length >= maxPending)
        settleWhere(network, (other) => other === oldest, event.seen)
      state.pending = [...state.pending, event]
      state.version++
    },
    /** Puts an event in the place of a pending one. */
    replace: (network: string, id: string, event: PendingEvent): void => {
      const state = stateOf(network)
      state.pending = state.pending.map((before) =>
        before.id !== id ? before : before.due === undefined ? event : { ...event, due: before.due }
      )
      state.version++
    },
    /** Makes all that is pending final, in the order in which it was sent; how many there were. */
    confirm: (network: string, second: number): number => settleWhere(network, () => true, second),
    /** Makes everything final whose block has come by this second, on all networks. */
    settleDue: (second: number): void => {
      for (const [network, { pending }] of networks)
        if (pending.length > 0) settleWhere(network, ({ due = Number.POSITIVE_INFINITY }) => due <= second, second)
    }
  }
}
