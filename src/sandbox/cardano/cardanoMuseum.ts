import { bech32 } from "@scure/base"
import { isBusy } from "../world/busy.ts"
import * as Landmarks from "../world/Landmarks.ts"
import type { LedgerFacts, Move } from "../world/ledger.ts"
import { digest } from "./CardanoChain.ts"
import type { CardanoOutput, CardanoParts } from "./cardanoRaw.ts"

/** Time of the first block, UNIX seconds. */
export const genesisTime = 1_506_203_091

/** An asset without a name that no registry has, and the largest quantity of an asset. */
const unlisted = new Map([[digest("airdrop").slice(0, 56), 2n ** 63n - 1n]])

/** Assets of a busy address that no registry has. Their policies sort before those of registered assets. */
const busyAssets = 1_100

/** Assets of an address that the ledger of the world does not have; only a museum and a busy address have any. */
export const unlistedAssets = (facts: LedgerFacts, holder: string): ReadonlyMap<string, bigint> => {
  if (holder === Landmarks.museum(facts)) return unlisted
  const count = isBusy(facts, holder) ? busyAssets : 0
  return new Map(Array.from({ length: count }, (_, index) => [index.toString(16).padStart(56, "0"), 1n]))
}

/** Coins that return to the holder in each of its exhibits. */
const change = 2_000_000n

type Contents = Omit<CardanoParts, "collateral" | "fee" | "inputs" | "references" | "valid"> & {
  readonly spent: ReadonlyArray<CardanoOutput>
  /** An output that it reads. */
  readonly read?: CardanoOutput
  /** Whether its first input is also its collateral, as for a contract. */
  readonly isSecured?: boolean
}

/** An exhibit of the museum of `own`; undefined for other moves. */
export const exhibited = (
  { amount, exhibit, fee, received = 0n, seed }: Move,
  own: CardanoOutput,
  theirs: CardanoOutput
): Contents | undefined => {
  const keyHash = seed.slice(0, 56)
  const account = bech32.encode("stake", bech32.toWords(Buffer.from(`e1${keyHash}`, "hex")))
  const certificate = (type: string, number: number, pool = "") => ({
    certificate: { type, item: [number, keyHash, ...(pool === "" ? [] : [pool])] as const }
  })
  const paid = (lovelace: bigint, more: Partial<Contents> = {}): Contents => ({
    spent: [{ ...own, lovelace: change + amount + (received === 0n ? fee : 0n) }],
    outputs: [{ ...own, lovelace }],
    ...more
  })
  switch (exhibit) {
    case "genesis":
      return { spent: [], outputs: [{ ...own, lovelace: amount }] }
    case "registration":
      return paid(change, { deposit: amount, ...certificate("stake_registration", 0) })
    case "delegation":
      return paid(change, certificate("pool_delegation", 2, digest("pool", 1).slice(0, 56)))
    case "withdrawal":
      return paid(change + received - fee, { withdrawn: { account, lovelace: received } })
    case "deregistration":
      return paid(change + received - fee, { deposit: -received, ...certificate("stake_deregistration", 1) })
    case "airdrop":
      return {
        isSecured: true,
        read: { ...own, lovelace: 5_000_000n },
        spent: [{ ...theirs, lovelace: change + amount + fee, assets: unlisted }],
        outputs: [
          { ...own, lovelace: amount, assets: unlisted },
          { ...theirs, lovelace: change }
        ]
      }
    default:
      return undefined
  }
}
