import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import { read, type SignedTransfer } from "./extrinsicParts.ts"
import { isSigned } from "./polkadotKeys.ts"

type PolkadotFacts = World.Inhabited<NetworkFacts>

/** What is kept between a list, or a submission, and the look-ups of its entries. */
const capacity = 50_000

/** What the signatures of the simulated chain contain. */
export interface SignedChain {
  readonly genesis: string
  readonly specVersion: number
  readonly transactionVersion: number
  readonly blockHash: (height: number) => string
}

/** A final block every six seconds. */
export const heightAt = (now: number): number => Math.floor(now / 6_000) - 280_000_000

/** The least that an account has, a hundredth of a DOT. */
const existentialDeposit = 100_000_000n

/** Of a transfer with this many bytes. */
export const feeOf = (bytes: number): bigint => 14_000_000n + BigInt(bytes) * 10_000n

const invalid = (reason: string) => refused(1010, "Invalid Transaction", reason)

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const hex = (text: string) => Buffer.from(text.slice(2), "hex")

/** The block where the era began: a signature contains its hash. */
const birthOf = (chain: SignedChain, { era }: SignedTransfer, now: number): string | undefined => {
  if (era === undefined) return chain.genesis
  const height = heightAt(now)
  const birth = Math.floor((Math.max(height, era.phase) - era.phase) / era.period) * era.period + era.phase
  return chain.blockHash(birth)
}

const payloadOf = (chain: SignedChain, transfer: SignedTransfer, birth: string) =>
  Buffer.concat([
    transfer.call,
    transfer.extra,
    u32(chain.specVersion),
    u32(chain.transactionVersion),
    hex(chain.genesis),
    hex(birth),
    Buffer.of(0)
  ])

interface SubmittedTransfer extends Submit.SignedEvent {
  readonly from: string
  readonly to: string
  readonly fee: bigint
  readonly transfer: SignedTransfer
}

const codecOf = (facts: PolkadotFacts, chain: SignedChain): Submit.Codec<SubmittedTransfer, Refusal> => ({
  decode: (text, now) =>
    Effect.gen(function* () {
      const transfer = yield* Effect.mapError(read(text), (problem) =>
        problem === "format"
          ? refused(1001, "Extrinsic has invalid format: could not decode")
          : invalid("The call is not simulated")
      )
      const { extrinsic, hasMetadataHash, nonce, planck, signer, tip, to } = transfer
      const { bytes, hash, signature, signatureType } = extrinsic
      const birth = birthOf(chain, transfer, now)
      const isValid =
        birth !== undefined &&
        !hasMetadataHash &&
        (yield* isSigned({ signer, signature, signatureType }, payloadOf(chain, transfer, birth)))
      if (!isValid) return yield* Effect.fail(invalid("Transaction has a bad signature"))
      const from = `0x${Buffer.from(signer).toString("hex")}`
      const fee = feeOf(bytes.length) + tip
      return { transfer, id: hash.slice(2), from, to, amount: planck, fee, sequence: nonce }
    }),
  refusal: (problem, { id }) => {
    const isPending = facts.world?.state.finalSince(facts.id, id) === undefined
    if (problem === "known" && isPending) return refused(1013, "Transaction is already imported", `0x${id}`)
    return invalid(
      problem === "future sequence" ? "Transaction will be valid in the future" : "Transaction is outdated"
    )
  },
  check: (signed) => {
    const { amount, fee, from, to, transfer } = signed
    const free = Submit.available(facts, from) - locked(facts, from)
    if (free < fee) return Either.left(invalid("Inability to pay some fees , e.g. account balance too low"))
    // A real block would have it, as a failed one that pays its fee; here it is refused.
    const left = free - fee - amount
    const isNew = World.native(facts, to) === 0n
    return left < (transfer.keepsAlive ? existentialDeposit : 0n) || (isNew && amount < existentialDeposit)
      ? Either.left(invalid("Custom error: the transfer would fail"))
      : Either.right(signed)
  },
  nextBlock: (now) => 6_000 * (Math.floor(now / 6_000) + 1)
})

/** The extrinsics of a simulated chain: those that were submitted, and those that an indexer has listed. */
export const extrinsics = (facts: PolkadotFacts, chain: SignedChain) => {
  const past = BoundedMap.make<string, unknown>({ capacity })
  const sent = Submit.submissions(facts, codecOf(facts, chain))
  return {
    nonceOf: (account: string, withPending = false) => Submit.sequenceOf(facts, account, withPending),
    /** What a list names. */
    note: (hash: string, entry: unknown) => past.set(hash, entry),
    /** An indexer has what is in a block. */
    find: (hash: string): unknown => {
      const found = sent.find(hash.slice(2))
      if (found?.at === undefined) return past.get(hash)
      const { fee, from } = found.signed
      return {
        block_timestamp: found.at,
        extrinsic_hash: hash,
        success: true,
        call_module: "balances",
        call_module_function: "transfer_keep_alive",
        account_id: PolkadotAddress.format(from as `0x${string}`),
        fee: String(fee)
      }
    },
    /** The result of `author_submitExtrinsic`. */
    submit: (text: string, now: number) => Effect.map(sent.submit(text, now), ({ id }) => `0x${id}`)
  }
}

export type Extrinsics = ReturnType<typeof extrinsics>

/** A third is reserved; half of the rest is frozen, which the reserved third counts against. */
const locked = (facts: PolkadotFacts, account: string) => {
  const total = World.native(facts, account)
  const reserved = total / 3n
  const frozen = (total - reserved) / 2n
  return reserved + (frozen > reserved ? frozen - reserved : 0n)
}
