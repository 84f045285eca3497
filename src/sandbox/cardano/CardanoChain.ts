import { createHash } from "node:crypto"
import { bech32 } from "@scure/base"
import * as slots from "../../chains/cardano/slots.ts"
import { numberOf, seconds, slot, toMillis } from "../../domain/units.ts"
import { randomOf } from "../world/World.ts"

/** One block every twenty seconds; the network had this height in December 2022. */
export const heightAt = (time: number): number => Math.floor(time / 20) - 75_412_262

/** Returns ms. */
export const timeOfSlot = (at: bigint): number => numberOf(toMillis(slots.timeOf(slot(Number(at)))))
export const slotAt = (time: number): number => numberOf(slots.slotOf(seconds(time)))
export const epochAt = (time: number): number => slots.epochAt(seconds(time)).epoch
export const epochSlotAt = (time: number): number => slots.epochAt(seconds(time)).slot

/** Deterministic hash of the words. */
export const digest = (...words: ReadonlyArray<string | number>) =>
  createHash("sha256").update(words.join("|")).digest("hex")

/** The hash of a block ends with its height, which makes blocks findable by hash without state. */
export const hashAt = (height: number) =>
  `${digest("block", height).slice(0, 56)}${height.toString(16).padStart(8, "0")}`

export const heightOf = (hash: string): number | undefined => {
  const height = Number.parseInt(hash.slice(56), 16)
  return hash === hashAt(height) ? height : undefined
}

/** Block in Blockfrost's format. */
export const blockAt = (height: number, now: number) => {
  const newest = heightAt(now)
  const time = 20 * (height - heightAt(0))
  const count = Math.floor(40 * randomOf("transactions", String(height)))
  return {
    time,
    height,
    hash: hashAt(height),
    slot: slotAt(time),
    epoch: epochAt(time),
    epoch_slot: epochSlotAt(time),
    slot_leader: bech32.encode("pool", bech32.toWords(Buffer.from(digest("pool", height % 9).slice(0, 56), "hex"))),
    size: 900 * count + 4,
    tx_count: count,
    output: count === 0 ? null : String(count * 1_234_567_890),
    fees: count === 0 ? null : String(count * 187_654),
    block_vrf: bech32.encode("vrf_vk", bech32.toWords(Buffer.from(digest("vrf", height % 9), "hex"))),
    op_cert: digest("certificate", height % 9),
    op_cert_counter: String(height % 9),
    previous_block: hashAt(height - 1),
    next_block: height < newest ? hashAt(height + 1) : null,
    confirmations: newest - height
  }
}

type CardanoBlock = ReturnType<typeof blockAt>

/** Row of `tip`. */
export const koiosTip = ({ epoch, epoch_slot, hash, height, slot, time }: CardanoBlock) => ({
  hash,
  epoch_no: epoch,
  abs_slot: slot,
  epoch_slot,
  block_height: height,
  block_no: height,
  block_time: time
})

/** Row of `block_info`. */
export const koiosBlock = (block: CardanoBlock) => ({
  ...koiosTip(block),
  block_size: block.size,
  tx_count: block.tx_count,
  vrf_key: block.block_vrf,
  op_cert: block.op_cert,
  op_cert_counter: Number(block.op_cert_counter),
  pool: block.slot_leader,
  proto_major: 10,
  proto_minor: 0,
  total_output: block.output,
  total_fees: block.fees,
  num_confirmations: block.confirmations,
  parent_hash: block.previous_block,
  child_hash: block.next_block
})
