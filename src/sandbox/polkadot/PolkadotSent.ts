import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
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

/** How long an extrinsic is in the pool of a node, ms: some blocks, until its own is final. */
const inPool = 20_000

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

/** The extrinsics of a simulated chain: those that were submitted, and those that an indexer has listed. */
export const extrinsics = (facts: PolkadotFacts, chain: SignedChain) => {
  const entries = BoundedMap.make<string, unknown>({ capacity })
  const pool = BoundedMap.make<string, true>({ capacity })
  const nonces = BoundedMap.make<string, number>({ capacity })

  const nonceOf = (account: string) => nonces.get(account) ?? firstNonce(facts, account)

  const problemOf = (transfer: SignedTransfer, account: string, now: number): Refusal | undefined => {
    const { extrinsic, keepsAlive, nonce, planck, tip, to } = transfer
    if (pool.get(extrinsic.hash, now) === true) return refused(1013, "Transaction is already imported", extrinsic.hash)
    if (nonce < nonceOf(account)) return invalid("Transaction is outdated")
    if (nonce > nonceOf(account)) return invalid("Transaction will be valid in the future")
    const fee = feeOf(extrinsic.bytes.length) + tip
    const free = spendable(facts, account)
    if (free < fee) return invalid("Inability to pay some fees , e.g. account balance too low")
    // A real block would have it, as a failed one that pays its fee; here it is refused.
    const left = free - fee - planck
    const isNew = World.native(facts, to) === 0n
    return left < (keepsAlive ? existentialDeposit : 0n) || (isNew && planck < existentialDeposit)
      ? invalid("Custom error: the transfer would fail")
      : undefined
  }

  return {
    nonceOf,
    /** What a list names. */
    note: (hash: string, entry: unknown) => entries.set(hash, entry),
    find: (hash: string): unknown => entries.get(hash),
    /** The result of `author_submitExtrinsic`. */
    submit: (text: string, now: number): Effect.Effect<Either.Either<string, Refusal>> =>
      Effect.gen(function* () {
        const transfer = read(text)
        if (Either.isLeft(transfer))
          return Either.left(
            transfer.left === "format"
              ? refused(1001, "Extrinsic has invalid format: could not decode")
              : invalid("The call is not simulated")
          )
        const { extrinsic, hasMetadataHash, planck, signer, tip, to } = transfer.right
        const account = `0x${Buffer.from(signer).toString("hex")}`
        const birth = birthOf(chain, transfer.right, now)
        const { signature, signatureType } = extrinsic
        const isValid =
          birth !== undefined &&
          !hasMetadataHash &&
          (yield* isSigned({ signer, signature, signatureType }, payloadOf(chain, transfer.right, birth)))
        if (!isValid) return Either.left(invalid("Transaction has a bad signature"))
        const problem = problemOf(transfer.right, account, now)
        if (problem !== undefined) return Either.left(problem)
        nonces.set(account, nonceOf(account) + 1)
        const fee = feeOf(extrinsic.bytes.length) + tip
        const second = Math.floor(now / 1000)
        pool.set(extrinsic.hash, true, now + inPool)
        entries.set(extrinsic.hash, {
          block_timestamp: second,
          extrinsic_hash: extrinsic.hash,
          success: true,
          call_module: "balances",
          call_module_function: "transfer_keep_alive",
          account_id: PolkadotAddress.format(account as `0x${string}`),
          fee: String(fee)
        })
        facts.world?.state.settle(
          facts.id,
          { id: extrinsic.hash.slice(2), from: account, to, amount: planck, fee },
          second
        )
        return Either.right(extrinsic.hash)
      })
  }
}

export type Extrinsics = ReturnType<typeof extrinsics>

/** As in the account's entry of the storage, before anything is submitted. */
const firstNonce = (facts: PolkadotFacts, account: string) => (World.native(facts, account) === 0n ? 0 : 3)

/** A third is reserved; half of the rest is frozen, which the reserved third counts against. */
const spendable = (facts: PolkadotFacts, account: string) => {
  const total = World.native(facts, account)
  const reserved = total / 3n
  const free = total - reserved
  const frozen = free / 2n
  return free - (frozen > reserved ? frozen - reserved : 0n)
}
