import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { TransactionState } from "../../../domain/Transaction.ts"
import type { StatusResult } from "../../Chain.ts"
import * as PendingMemory from "../../kit/status/PendingMemory.ts"
import { stateOf } from "../../kit/status/readStatuses.ts"

/** The slot, a sender and nonce, of each known transaction, by hash. A node accepts only one transaction per slot. */
export type Slots = PendingMemory.Notes

export const slotOf = ({ from, nonce }: { readonly from: string; readonly nonce: string | bigint }) =>
  `${from.toLowerCase()}:${BigInt(nonce)}`

export const slotIn = (slots: Slots, hash: string): string | undefined => slots.get(hash)?.[0]
export const senderOf = (slot: string): string => slot.slice(0, slot.indexOf(":"))
export const nonceOf = (slot: string): bigint => BigInt(slot.slice(slot.indexOf(":") + 1))

const isSlot = /^0x[0-9a-f]{40}:\d{1,20}$/
const isHash = /^0x[0-9a-f]{64}$/

type ReadStatuses = (hashes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StatusResult>>

/**
 * Reads statuses with the stored slots of pending transactions, to which `read` adds; stores those that are pending now.
 * Of a replaced transaction, looks up those that compete for its slot.
 */
export const reading = (memory: PendingMemory.PendingMemory, read: (slotsOf: () => Slots) => ReadStatuses) =>
  Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
    const stored = yield* memory.read(hashes)
    const known = PendingMemory.bySource(new Map([...stored].filter(([, [slot = ""]]) => isSlot.test(slot))))
    const results = yield* read(known.of)(hashes)
    const slots = known.merged()
    const inState = (state: TransactionState) => hashes.filter((_, index) => stateOf(results[index]) === state)
    yield* remember(
      memory,
      inState("pending").filter((hash) => !stored.has(hash)),
      slots
    )
    const replacedBy = yield* replacementsOf(memory, inState("replaced"), slots, read(known.of))
    return results.map((result, index) => {
      const hash = replacedBy.get(hashes[index] ?? "")
      return hash === undefined ? result : Either.map(result, (status) => ({ ...status, replacedBy: hash }))
    })
  })

/** Stores the slots of pending transactions, and which transactions compete for each slot. */
const remember = (memory: PendingMemory.PendingMemory, pending: ReadonlyArray<string>, slots: Slots) =>
  Effect.gen(function* () {
    const bySlot = Map.groupBy(pending, (hash) => slotIn(slots, hash) ?? "")
    const earlier = yield* memory.read([...bySlot.keys()])
    yield* memory.write(
      new Map([
        ...[...bySlot].flatMap(([slot, hashes]) => hashes.map((hash) => [hash, [slot]] as const)),
        ...[...bySlot].map(([slot, hashes]) => [slot, [...(earlier.get(slot) ?? []), ...hashes]] as const)
      ])
    )
  })

/** Transactions that are in a block and have the slot of a replaced transaction. */
const replacementsOf = (
  memory: PendingMemory.PendingMemory,
  replaced: ReadonlyArray<string>,
  slots: Slots,
  read: ReadStatuses
) =>
  Effect.gen(function* () {
    const wanted = new Set(replaced.flatMap((hash) => slotIn(slots, hash) ?? []))
    for (const [slot, hashes] of yield* memory.read([...wanted]))
      for (const hash of hashes) if (isHash.test(hash)) slots.set(hash, [slot])
    const rivals = [...slots].filter(([hash, [slot = ""]]) => wanted.has(slot) && !replaced.includes(hash))
    const results = yield* read(rivals.map(([hash]) => hash))
    const isIncluded = (index: number) => ["confirmed", "failed"].includes(stateOf(results[index]) ?? "")
    const included = new Map(rivals.flatMap(([hash, [slot = ""]], index) => (isIncluded(index) ? [[slot, hash]] : [])))
    return new Map(replaced.map((hash) => [hash, included.get(slotIn(slots, hash) ?? "")]))
  })
