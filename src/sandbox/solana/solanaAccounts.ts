import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { stakeOf } from "../world/stakes.ts"
import * as World from "../world/World.ts"
import { rentExempt } from "./SolanaChain.ts"
import { type solanaHistory, systemProgram } from "./solanaHistory.ts"

// Accounts of the two token programs, as a node returns them in each encoding.

const programs = {
  token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
}

/** The mints of Token-2022; all others are of the Token program. */
const newer = ["2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"]

/** What there is of every mint. */
export const supply = 3_986_659_142_956_864n

/** The encoding of an account's data. */
export interface Form {
  readonly encoding?: string
  readonly dataSlice?: { readonly offset: number; readonly length: number }
}

const tokenAccount = (contract: World.Contract, owner: string, amount: bigint, form: Form) => ({
  ...accountOf(programOf(contract), BigInt(rentExempt(165))),
  data:
    form.encoding === "jsonParsed"
      ? asParsed(contract, "account", 165, {
          isNative: false,
          mint: contract.address,
          owner,
          state: "initialized",
          tokenAmount: shown(amount, contract)
        })
      : written(bytesOfToken(contract, owner, amount), form),
  space: 165
})

const mintAccount = (contract: World.Contract, form: Form) => ({
  ...accountOf(programOf(contract), BigInt(rentExempt(82))),
  data:
    form.encoding === "jsonParsed"
      ? asParsed(contract, "mint", 82, {
          decimals: contract.decimals,
          freezeAuthority: null,
          isInitialized: true,
          mintAuthority: null,
          supply: String(supply)
        })
      : written(bytesOfMint(contract), form),
  space: 82
})

const programOf = ({ address }: World.Contract) => (newer.includes(address) ? programs.token2022 : programs.token)

export const accountOf = (owner: string, lamports: bigint) => ({
  executable: false,
  lamports: String(lamports),
  owner,
  rentEpoch: "max"
})

const shown = (amount: bigint, { decimals }: World.Contract) => ({
  amount: String(amount),
  decimals,
  uiAmount: Number(formatUnits(amount, decimals)),
  uiAmountString: formatUnits(amount, decimals)
})

const asParsed = (contract: World.Contract, type: string, space: number, info: object) => ({
  program: programOf(contract) === programs.token ? "spl-token" : "spl-token-2022",
  parsed: { type, info },
  space
})

const written = (data: Buffer, { dataSlice, encoding }: Form) => {
  const { length, offset } = dataSlice ?? { offset: 0, length: data.length }
  const part = data.subarray(offset, offset + length)
  if (encoding === undefined) return base58.encode(part)
  return encoding === "base58" ? [base58.encode(part), encoding] : [part.toString("base64"), "base64"]
}

const bytesOfToken = ({ address }: World.Contract, owner: string, amount: bigint) => {
  const data = Buffer.alloc(165)
  data.set(base58.decode(address), 0)
  data.set(base58.decode(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  return data
}

const bytesOfMint = ({ decimals }: World.Contract) => {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(supply, 36)
  data[44] = decimals
  data[45] = 1
  return data
}

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
