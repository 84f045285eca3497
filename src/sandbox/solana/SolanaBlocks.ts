import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import { refused } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"

/** Options of `getBlock`. */
interface BlockOptions {
  readonly commitment?: string
  readonly encoding?: string
  readonly maxSupportedTransactionVersion?: number
  readonly rewards?: boolean
  readonly transactionDetails?: string
}

/** A transaction as `getTransaction` returns it. */
interface Found {
  readonly slot: number
  readonly blockTime: number
  readonly version?: unknown
  readonly meta: unknown
  readonly transaction: unknown
}

interface BlockSource {
  readonly chain: string
  /** Signatures of the known transactions of a slot. */
  readonly signaturesIn: (slot: number) => ReadonlyArray<string>
  readonly transaction: (signature: string, encoding: string) => Found | null | undefined
}

const unavailable = (slot: unknown) => Either.left(refused(-32004, `Block not available for slot ${slot}`))

const isAvailable = (slot: unknown, now: number, commitment?: string): slot is number =>
  Number.isSafeInteger(slot) && Number(slot) >= 0 && Number(slot) <= SolanaChain.slot(now, commitment)

/** Time of a slot, UNIX seconds. */
export const blockTime = (slot: unknown, now: number) =>
  isAvailable(slot, now, "confirmed") ? SolanaChain.timeOf(slot) : unavailable(slot)

/** Result of `getBlock`. A block contains the transactions that a list or a look-up has returned. */
export const block = (
  { chain, signaturesIn, transaction }: BlockSource,
  slot: unknown,
  given: unknown,
  now: number
) => {
  const options = typeof given === "string" ? { encoding: given } : ((given ?? {}) as BlockOptions)
  const { commitment, encoding = "json", maxSupportedTransactionVersion: newest = -1 } = options as BlockOptions
  const { rewards, transactionDetails: details = "full" } = options as BlockOptions
  if (!isAvailable(slot, now, commitment)) return unavailable(slot)
  const signatures = signaturesIn(slot)
  const found = signatures.flatMap((signature) => transaction(signature, encoding) ?? [])
  const unsupported = details === "full" && found.find(({ version }) => Number(version) > newest)
  if (unsupported) return Either.left(refused(-32015, `Transaction version (${unsupported.version}) is not supported`))
  const parts =
    details === "none"
      ? {}
      : details === "signatures"
        ? { signatures }
        : { transactions: found.map(({ blockTime: _, slot: __, ...row }) => row) }
  return {
    blockHeight: SolanaChain.heightOf(slot),
    blockTime: SolanaChain.timeOf(slot),
    blockhash: SolanaChain.blockhash(chain, slot),
    parentSlot: slot - 1,
    previousBlockhash: SolanaChain.blockhash(chain, slot - 1),
    ...parts,
    ...(rewards === false ? {} : { rewards: [] })
  }
}

/** Result of `getSupply`, lamports. */
export const supply = {
  total: 600_000_000_000_000_000,
  circulating: 500_000_000_000_000_000,
  nonCirculating: 100_000_000_000_000_000,
  nonCirculatingAccounts: []
}

/** Addresses among which the largest accounts of a mint are. */
export const holders: ReadonlyArray<string> = Array.from({ length: 60 }, (_, index) =>
  base58.encode(createHash("sha256").update(`holder ${index}`).digest())
)
