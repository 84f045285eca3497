import { distance, type Seconds, type Slot, seconds, shift, slot } from "../../domain/units.ts"

// Slots and epochs since Shelley: a slot takes a second, and an epoch five days.

const shelley = { time: seconds(1_596_059_091), slot: slot(4_492_800), epoch: 208 }
const epochSlots = 432_000

/** The time of a slot. */
export const timeOf = (at: Slot): Seconds => shift(shelley.time, distance(shelley.slot, at))

/** The slot of a time. */
export const slotOf = (time: Seconds): Slot => shift(shelley.slot, distance(shelley.time, time))

/** The epoch of a time, and the slots of the epoch before it. */
export const epochAt = (time: Seconds) => {
  const slots = distance(shelley.time, time)
  const epochs = Math.floor(slots / epochSlots)
  return { epoch: shelley.epoch + epochs, slot: slots - epochs * epochSlots }
}
