import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { TransactionState } from "../../domain/Transaction.ts"
import type { StatusResult } from "../Chain.ts"
import type { PendingMemory } from "../statuses/PendingMemory.ts"
import { stateOf } from "../statuses/readStatuses.ts"

/** The slot, a sender and nonce, of each known transaction, by hash. A node accepts only one transaction per slot. */
export type Slots = Map<string, string>

export const slotOf = ({ from, nonce }: { readonly from: string; readonly nonce: string | bigint }) =>
  `${from.toLowerCase()}:${BigInt(nonce)}`

export const senderOf = (slot: string): string => slot.slice(0, slot.indexOf(":"))
export const nonceOf = (slot: string): bigint => BigInt(slot.slice(slot.indexOf(":") + 1))

const isSlot = /^0x[0-9a-f]{40}:\d{1,20}$/
const isHash = /^0x[0-9a-f]{64}$/

type ReadStatuses = (hashes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StatusResult>>

/**
 * Reads statuses with the stored slots of pending transactions, to which `read` adds; stores those that are pending now.
 * Of a replaced transaction, looks up those that compete for its slot.
 */
export const reading = (memory: PendingMemory, read: (slots: Slots) => ReadStatuses) =>
  Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
    const stored = yield* memory.read(hashes)
    const slots: Slots = new Map(
      [...stored].flatMap(([hash, [slot = ""]]) => (isSlot.test(slot) ? [[hash, slot] as const] : []))
    )
    const results = yield* read(slots)(hashes)
    const inState = (state: TransactionState) => hashes.filter((_, index) => stateOf(results[index]) === state)
    yield* remember(
      memory,
      inState("pending").filter((hash) => !stored.has(hash)),
      slots
    )
    const replacedBy = yield* replacementsOf(memory, inState("replaced"), slots, read(slots))
    return results.map((result, index) => {
      const hash = replacedBy.get(hashes[index] ?? "")
      return hash === undefined ? result : Either.map(result, (status) => ({ ...status, replacedBy: hash }))
    })
  })

/** Stores the slots of pending transactions, and which transactions compete for each slot. */
const remember = (memory: PendingMemory, pending: ReadonlyArray<string>, slots: Slots) =>
  Effect.gen(function* () {
    const bySlot = Map.groupBy(pending, (hash) => slots.get(hash) ?? "")
    const earlier = yield* memory.read([...bySlot.keys()])
    yield* memory.write(
      new Map([
        ...[...bySlot].flatMap(([slot, hashes]) => hashes.map((hash) => [hash, [slot]] as const)),
        ...[...bySlot].map(([slot, hashes]) => [slot, [...(earlier.get(slot) ?? []), ...hashes]] as const)
      ])
    )
  })

/** Transactions that are in a block and have the slot of a replaced transaction. */
const replacementsOf = (memory: PendingMemory, replaced: ReadonlyArray<string>, slots: Slots, read: ReadStatuses) =>
  Effect.gen(function* () {
    const wanted = new Set(replaced.flatMap((hash) => slots.get(hash) ?? []))
    for (const [slot, hashes] of yield* memory.read([...wanted]))
      for (const hash of hashes) if (isHash.test(hash)) slots.set(hash, slot)
    const rivals = [...slots].filter(([hash, slot]) => wanted.has(slot) && !replaced.includes(hash))
    const results = yield* read(rivals.map(([hash]) => hash))
    const isIncluded = (index: number) => ["confirmed", "failed"].includes(stateOf(results[index]) ?? "")
    const included = new Map(rivals.flatMap(([hash, slot], index) => (isIncluded(index) ? [[slot, hash]] : [])))
    return new Map(replaced.map((hash) => [hash, included.get(slots.get(hash) ?? "")]))
  })
