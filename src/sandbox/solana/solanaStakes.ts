import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { stakeOf } from "../world/stakes.ts"

export const stakeProgram = "Stake11111111111111111111111111111111111111"

/** Where an account of the Stake program has the authority that may withdraw. */
const withdrawerAt = 44

interface StakeFilters {
  readonly filters?: ReadonlyArray<{ readonly memcmp?: { readonly offset: number; readonly bytes: string } }>
}

/** The stakes that an address may withdraw, in two accounts; none for another filter. */
export const stakesOf = (facts: NetworkFacts, form: unknown) => {
  const { filters = [] } = (form ?? {}) as StakeFilters
  const owner = filters.find(({ memcmp }) => memcmp?.offset === withdrawerAt)?.memcmp?.bytes
  const staked = owner === undefined ? 0n : stakeOf(facts, owner)
  return [staked - staked / 2n, staked / 2n]
    .filter((lamports) => lamports > 0n)
    .map((lamports, index) => ({
      pubkey: base58.encode(createHash("sha256").update(`${owner} stake ${index}`).digest()),
      account: {
        data: ["", "base64"],
        executable: false,
        lamports: Number(lamports),
        owner: stakeProgram,
        rentEpoch: 0,
        space: 200
      }
    }))
}
