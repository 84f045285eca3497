import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import * as World from "../world/World.ts"
import { json, refused, type Simulated } from "../world/wire.ts"
import * as SolanaBlocks from "./SolanaBlocks.ts"
import * as SolanaChain from "./SolanaChain.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { systemProgram } from "./SolanaTransaction.ts"
import {
  accountOf,
  type Form,
  mintAccount,
  programOf,
  programs,
  shown,
  supply,
  tokenAccount,
  tooLarge,
  written
} from "./solanaAccounts.ts"
import { solanaHistory } from "./solanaHistory.ts"
import { feeOf, type SendOptions, sent } from "./solanaSent.ts"

const stakeProgram = "Stake11111111111111111111111111111111111111"

/** Offset of the withdraw authority in an account of the Stake program. */
const withdrawerAt = 44

interface StakeFilters {
  readonly filters?: ReadonlyArray<{ readonly memcmp?: { readonly offset: number; readonly bytes: string } }>
}

/** Stakes whose withdraw authority is the address, in two accounts. Empty for any other filter. */
const stakesOf = (facts: NetworkFacts, form: unknown) => {
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
const executable = [systemProgram, programs.token, programs.token2022, associated]

/** Accounts of a simulated chain. */
const accounts = (facts: NetworkFacts, past: ReturnType<typeof solanaHistory>) => {
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

  /** Token accounts of an owner; undefined if the filter's mint does not exist. */
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
    /** The largest accounts of a mint among those of some holders. */
    largest: (mint: string) => {
      const contract = contractOf(mint)
      if (contract === undefined) return undefined
      return SolanaBlocks.holders
        .flatMap((owner) =>
          parts(owner, contract).map((amount, index) => ({
            address: past.tokenAccount(owner, contract, index),
            amount
          }))
        )
        .toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
        .slice(0, 20)
        .map(({ address, amount }) => ({ address, ...shown(amount, contract) }))
    },
    supply: (mint: string) => {
      const contract = contractOf(mint)
      return contract === undefined ? undefined : shown(supply, contract)
    }
  }
}

/** Genesis hashes of the main network and the test network. */
const genesis = {
  main: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  testnet: "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"
}

/** Jupiter's prices of mints with scaled amounts: the sandbox has no such mint. */
const jupiter: Simulated = () => json({})

/** Simulated upstreams of Solana. The test network has no tokens. */
export const solana = (facts: NetworkFacts) => {
  const { platform: _, ...bare } = facts
  const testnet = { ...bare, id: NetworkId.make(`${facts.id}-testnet`) }
  return [
    [`${facts.id}-rpc`, node(facts, false)] as const,
    [`${facts.id}-testnet-rpc`, node(testnet, true)] as const,
    ["jupiter", jupiter] as const
  ] as const
}

/** The result of a call, or the node's error in an Either. */
type SolanaMethod = (params: ReadonlyArray<unknown>, now: number) => unknown

/** A Solana node; stores the transactions sent to it. */
const node = (facts: NetworkFacts, isTestnet: boolean): Simulated => {
  const missing = () => refused(-32601, "Method not found")
  const unreadable = refused(-32602, "Invalid param: cannot be read")
  return JsonRpc.node(methods(facts, isTestnet), { missing, unreadable }, (answer) => {
    // Written as text: they exceed the integers that a JavaScript number can represent.
    const text = JSON.stringify(answer).replaceAll('"rentEpoch":"max"', '"rentEpoch":18446744073709551615')
    const exact = text
      .replaceAll(/"lamports":"(\d+)"/g, '"lamports":$1')
      .replaceAll(/(?<=[[,])"(\d{16,20})"(?=[,\]])/g, "$1")
    return new Response(exact, {
      headers: { "content-type": "application/json" }
    })
  })
}

const isAddress = (text: unknown) => Option.getOrUndefined(SolanaChain.fromBase58(String(text)))?.length === 32

const invalid = (what: string) => Either.left(refused(-32602, `Invalid param: ${what}`))

const slotFor = (options: unknown, now: number) =>
  SolanaChain.slot(now, (options as SendOptions | undefined)?.commitment)

/** The clock sysvar; only in the jsonParsed encoding. */
const clock = "SysvarC1ock11111111111111111111111111111111"
const clockAt = (now: number) => ({
  parsed: {
    info: { slot: SolanaChain.slot(now, "confirmed"), unixTimestamp: Math.floor(now / 1000) },
    type: "clock"
  },
  program: "sysvar",
  space: 40
})

/** The same as an account, in bytes: slot, start of the epoch, epoch, leader schedule's epoch, time. */
const clockAccount = (now: number, form: Form) => {
  const data = Buffer.alloc(40)
  data.writeBigInt64LE(BigInt(SolanaChain.slot(now, "confirmed")), 0)
  data.writeBigInt64LE(BigInt(Math.floor(now / 1000)), 32)
  return {
    ...accountOf("Sysvar1111111111111111111111111111111111111", 1_169_280n),
    data: form.encoding === "jsonParsed" ? clockAt(now) : written(data, form),
    space: 40
  }
}

/** Wraps a result with the slot that it refers to, like most results. */
const inContext = (value: unknown, now: number) => ({
  context: { apiVersion: "4.0.2", slot: SolanaChain.slot(now, "confirmed") },
  value
})
const result =
  (value: (params: ReadonlyArray<unknown>, now: number) => unknown): SolanaMethod =>
  (params, now) => {
    const found = value(params, now)
    return Either.isEither(found) ? Either.map(found, (right) => inContext(right, now)) : inContext(found, now)
  }
const ofAddress = (value: (address: string, params: ReadonlyArray<unknown>, now: number) => unknown): SolanaMethod =>
  result((params, now) => (isAddress(params[0]) ? value(String(params[0]), params, now) : invalid("Invalid")))

/** The result of `getAccountInfo`, which fails if the data does not fit into its encoding. */
const accountInfo = <A extends { readonly data: unknown } | null>(account: A) =>
  [account?.data].flat()[0] === tooLarge
    ? Either.left(
        refused(-32600, "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.")
      )
    : account

const chainMethods = (chain: string, isTestnet: boolean): JsonRpc.Methods => ({
  getHealth: () => "ok",
  getVersion: () => ({ "feature-set": 3640012085, "solana-core": "4.0.2" }),
  getGenesisHash: () => (isTestnet ? genesis.testnet : genesis.main),
  getFirstAvailableBlock: () => 0,
  getSlot: ([options], now) => slotFor(options, now),
  getBlockHeight: ([options], now) => SolanaChain.heightOf(slotFor(options, now)),
  getEpochInfo: ([options], now) => SolanaChain.epochInfo(slotFor(options, now)),
  getTransactionCount: ([options], now) => SolanaChain.epochInfo(slotFor(options, now)).transactionCount,
  getLatestBlockhash: result(([options], now) => {
    const slot = slotFor(options, now)
    return {
      blockhash: SolanaChain.blockhash(chain, slot),
      lastValidBlockHeight: SolanaChain.heightOf(slot) + SolanaChain.lifetime
    }
  }),
  isBlockhashValid: result(([hash], now) =>
    isAddress(hash) ? SolanaChain.isValid(chain, String(hash), now) : invalid("Invalid")
  ),
  getMinimumBalanceForRentExemption: ([bytes]) =>
    Number.isSafeInteger(bytes) && Number(bytes) >= 0
      ? SolanaChain.rentExempt(Number(bytes))
      : Either.left(refused(-32602, "Invalid params: invalid type, expected usize.")),
  getFeeForMessage: result(([message], now) =>
    Either.map(SolanaTransaction.decodeMessage(message), (decoded) =>
      SolanaChain.isValid(chain, decoded.blockhash, now) ? Number(feeOf(decoded)) : null
    )
  ),
  getRecentPrioritizationFees: (_, now) =>
    Array.from({ length: SolanaChain.lifetime }, (__, index) => ({
      slot: SolanaChain.slot(now, "confirmed") - SolanaChain.lifetime + 1 + index,
      prioritizationFee: (index * 37) % 1_000
    }))
})

const methods = (facts: NetworkFacts, isTestnet: boolean): JsonRpc.Methods => {
  const past = solanaHistory(facts)
  const pool = sent(facts)
  const state = accounts(facts, past)

  /** A sent or past transaction; null if it is unknown, undefined for a malformed signature. */
  const lookUp = (signature: string, options: SendOptions, now: number) => {
    const found = pool.transaction(signature, options, now)
    return found === undefined ? past.getTransaction([signature, options]) : found
  }

  return {
    ...chainMethods(facts.id, isTestnet),
    getBalance: ofAddress((address) => Number(World.native(facts, address))),
    getAccountInfo: ofAddress((address, [, form], now) =>
      address === clock
        ? { ...accountOf("Sysvar1111111111111111111111111111111111111", 1_169_280n), data: clockAt(now), space: 40 }
        : accountInfo(state.account(address, (form ?? {}) as Form))
    ),
    getMultipleAccounts: result(([addresses, form], now) =>
      Array.isArray(addresses) && addresses.length <= 100 && addresses.every(isAddress)
        ? addresses.map((address) =>
            address === clock
              ? clockAccount(now, { encoding: "base64", ...(form as Form) })
              : state.account(String(address), { encoding: "base64", ...(form as Form) })
          )
        : invalid("Invalid")
    ),
    getProgramAccounts: ([program, form]) =>
      program === stakeProgram
        ? stakesOf(facts, form)
        : Either.left(refused(-32010, `${program} excluded from account secondary indexes`)),
    getTokenAccountBalance: ofAddress((address) => state.tokenAmount(address) ?? invalid("could not find account")),
    getTokenLargestAccounts: ofAddress((address) => state.largest(address) ?? invalid("not a Token mint")),
    getSupply: result(() => SolanaBlocks.supply),
    getBlockTime: ([slot], now) => SolanaBlocks.blockTime(slot, now),
    getBlock: ([slot, options], now) =>
      SolanaBlocks.block(
        {
          chain: facts.id,
          signaturesIn: past.signaturesIn,
          transaction: (signature, encoding) => lookUp(signature, { encoding, commitment: "processed" }, now)
        },
        slot,
        options,
        now
      ),
    getTokenSupply: ofAddress((address) => state.supply(address) ?? invalid("not a Token mint")),
    getTokenAccountsByOwner: ofAddress(
      (owner, [, filter, form]) => state.byOwner(owner, filter, (form ?? {}) as Form) ?? invalid("could not find mint")
    ),
    getSignaturesForAddress: (params) =>
      past.getSignaturesForAddress(params) ?? Either.left(refused(-32602, "Invalid limit; max 1000")),
    getSignatureStatuses: result(([signatures, options], now) => {
      if (!Array.isArray(signatures) || signatures.length > 256) return invalid("Too many inputs provided; max 256")
      const { searchTransactionHistory = false } = (options ?? {}) as { readonly searchTransactionHistory?: boolean }
      return signatures.map((current) => {
        const known = pool.status(String(current), now)
        const before = known === null && searchTransactionHistory ? past.getTransaction([current]) : null
        if (before === null || before === undefined) return known
        const { err, status } = before.meta
        return { slot: before.slot, confirmations: null, err, status, confirmationStatus: "finalized" }
      })
    }),
    simulateTransaction: result(([text, options], now) => pool.simulate(text, (options ?? {}) as SendOptions, now)),
    sendTransaction: ([text, options], now) => pool.send(text, (options ?? {}) as SendOptions, now),
    getTransaction: ([signature, options], now) => {
      const before = lookUp(String(signature), (options ?? {}) as SendOptions, now)
      if (before === undefined) return invalid("WrongSize")
      if (before !== null) past.remember(String(signature), before.slot)
      const { maxSupportedTransactionVersion: newest = -1 } = (options ?? {}) as {
        readonly maxSupportedTransactionVersion?: number
      }
      return before !== null && Number(before.version) > newest
        ? Either.left(refused(-32015, `Transaction version (${before.version}) is not supported`))
        : before
    }
  }
}
