import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as World from "../world/World.ts"
import { type solanaHistory, systemProgram } from "./solanaHistory.ts"
import {
  accountOf,
  type Form,
  mintAccount,
  programOf,
  programs,
  shown,
  supply,
  tokenAccount,
  written
} from "./solanaTokenAccounts.ts"

const associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
const executable = [systemProgram, programs.token, programs.token2022, associated]

/** The accounts of a simulated chain. */
export const accounts = (facts: NetworkFacts, past: ReturnType<typeof solanaHistory>) => {
  const contractOf = (mint: string) => World.contractsOn(facts.platform).find(({ address }) => address === mint)

  /** The balance of a mint is split over two accounts. */
  const parts = (owner: string, contract: World.Contract) => {
    const amount = World.tokenBalance(facts, contract, owner)
    return amount === 0n ? [] : [amount / 3n, amount - amount / 3n]
  }

  /** A token account that was returned before. */
  const tokenAt = (account: string) => {
    const { index = 0, mint = "", owner = "" } = past.tokenOf(account) ?? {}
    const contract = contractOf(mint)
    return contract === undefined ? undefined : { contract, owner, amount: parts(owner, contract)[index] ?? 0n }
  }

  const account = (address: string, form: Form) => {
    if (executable.includes(address))
      return {
        ...accountOf("NativeLoader1111111111111111111111111111111", 1n),
        executable: true,
        data: written(Buffer.from("simulated"), form),
        space: 9
      }
    const contract = contractOf(address)
    if (contract !== undefined) return mintAccount(contract, form)
    const token = tokenAt(address)
    if (token !== undefined) return tokenAccount(token.contract, token.owner, token.amount, form)
    const lamports = World.native(facts, address)
    return lamports === 0n
      ? null
      : { ...accountOf(systemProgram, lamports), data: written(Buffer.alloc(0), form), space: 0 }
  }

  /** Undefined if the filter contains no existing mint. */
  const byOwner = (owner: string, filter: unknown, form: Form) => {
    const { mint, programId } = { ...(filter as object) } as { readonly mint?: string; readonly programId?: string }
    if (mint !== undefined && contractOf(mint) === undefined) return undefined
    return World.contractsOn(facts.platform)
      .filter((contract) => (mint === undefined ? programOf(contract) === programId : contract.address === mint))
      .flatMap((contract) =>
        parts(owner, contract).map((amount, index) => ({
          pubkey: past.tokenAccount(owner, contract, index),
          account: tokenAccount(contract, owner, amount, form)
        }))
      )
  }

  return {
    account,
    byOwner,
    tokenAmount: (address: string) => {
      const token = tokenAt(address)
      return token === undefined ? undefined : shown(token.amount, token.contract)
    },
    supply: (mint: string) => {
      const contract = contractOf(mint)
      return contract === undefined ? undefined : shown(supply, contract)
    }
  }
}
