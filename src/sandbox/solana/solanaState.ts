import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { metadataAddress } from "../../chains/solana/metaplex.ts"
import { token, token2022 } from "../../chains/solana/programs.ts"
import { lazy } from "../../kernel/lazy.ts"
import * as World from "../world/World.ts"
import * as SolanaBlocks from "./SolanaBlocks.ts"
import { systemProgram } from "./SolanaTransaction.ts"
import {
  accountOf,
  type Form,
  mintAccount,
  nameAccount,
  programOf,
  shown,
  supply,
  tokenAccount,
  written
} from "./solanaAccounts.ts"
import type { solanaHistory } from "./solanaHistory.ts"

export const stakeProgram = "Stake11111111111111111111111111111111111111"

/** Offset of the withdraw authority in an account of the Stake program. */
const withdrawerAt = 44

interface StakeFilters {
  readonly filters?: ReadonlyArray<{ readonly memcmp?: { readonly offset: number; readonly bytes: string } }>
}

/** Stakes whose withdraw authority is the address, in two accounts. Empty for any other filter. */
export const stakesOf = (facts: NetworkFacts, form: unknown) => {
  const { filters = [] } = (form ?? {}) as StakeFilters
  const owner = filters.find(({ memcmp }) => memcmp?.offset === withdrawerAt)?.memcmp?.bytes
  const staked = owner === undefined ? 0n : World.stakeOf(facts, owner)
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

const associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
const executable = [systemProgram, token, token2022, associated]

const programAccount = (form: Form) => ({
  ...accountOf("NativeLoader1111111111111111111111111111111", 1n),
  executable: true,
  data: written(Buffer.from("simulated"), form),
  space: 9
})

/** Accounts of a simulated chain. */
export const accounts = (facts: NetworkFacts, past: ReturnType<typeof solanaHistory>) => {
  const contractOf = (mint: string) => World.contractsOn(facts.platform).find(({ address }) => address === mint)

  /** Splits the balance of a mint over two token accounts. */
  const parts = (owner: string, contract: World.Contract) => {
    const amount = World.tokenBalance(facts, contract, owner)
    return amount === 0n ? [] : [amount / 3n, amount - amount / 3n]
  }

  /** Finds a token account; undefined if it was never returned. */
  const tokenAt = (account: string) => {
    const { index = 0, mint = "", owner = "" } = past.tokenOf(account) ?? {}
    const contract = contractOf(mint)
    return contract && { contract, owner, amount: parts(owner, contract)[index] ?? 0n }
  }

  const named = namedIn(facts)
  const account = (address: string, form: Form) => {
    if (executable.includes(address)) return programAccount(form)
    const contract = contractOf(address)
    if (contract !== undefined) return mintAccount(contract, form)
    const token = tokenAt(address)
    if (token !== undefined) return tokenAccount(token.contract, token.owner, token.amount, form)
    const lamports = World.native(facts, address)
    const nameOf = named().get(address)
    if (nameOf !== undefined) return nameAccount(nameOf, form)
    if (lamports === 0n) return null
    return { ...accountOf(systemProgram, lamports), data: written(Buffer.alloc(0), form), space: 0 }
  }

  /** Token accounts of an owner; undefined if the filter's mint does not exist. */
  const byOwner = <A>(
    owner: string,
    filter: unknown,
    accountOf: (contract: World.Contract, owner: string, amount: bigint) => A
  ) => {
    const { mint, programId } = { ...(filter as object) } as { readonly mint?: string; readonly programId?: string }
    if (mint !== undefined && contractOf(mint) === undefined) return undefined
    return World.contractsOn(facts.platform)
      .filter((contract) => (mint === undefined ? programOf(contract) === programId : contract.address === mint))
      .flatMap((contract) =>
        parts(owner, contract).map((amount, index) => ({
          pubkey: past.tokenAccount(owner, contract, index),
          account: accountOf(contract, owner, amount)
        }))
      )
  }

  return {
    contractOf,
    account,
    byOwner,
    tokenAmount: (address: string) => {
      const token = tokenAt(address)
      return token && shown(token.amount, token.contract)
    },
    /** The largest accounts of a mint among those of some holders. */
    largest: (mint: string) => {
      const contract = contractOf(mint)
      if (contract === undefined) return undefined
      return SolanaBlocks.holders
        .flatMap((owner) =>
          parts(owner, contract).map((amount, index) => ({
            amount,
            address: past.tokenAccount(owner, contract, index)
          }))
        )
        .toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
        .slice(0, 20)
        .map(({ address, amount }) => ({ address, ...shown(amount, contract) }))
    },
    supply: (mint: string) => {
      const contract = contractOf(mint)
      return contract && shown(supply, contract)
    }
  }
}

/** The mints by the accounts of their names. */
const namedIn = ({ platform }: Pick<NetworkFacts, "platform">) =>
  lazy(() => new Map(World.contractsOn(platform).map((contract) => [metadataAddress(contract.address), contract])))
