import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as Base58 from "../world/Base58.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import * as World from "../world/World.ts"
import { refused, type Working } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { accountOf, accounts, type Form, stakeProgram, stakesOf } from "./solanaAccounts.ts"
import { solanaHistory } from "./solanaHistory.ts"
import { feeOf, type SendOptions, sent } from "./solanaSent.ts"

/** The genesis hashes of the main and of the test network. */
const genesis = {
  main: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  testnet: "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"
}

/** The upstreams of Solana; its test network has no tokens. */
export const solana = (facts: NetworkFacts) => {
  const { platform: _, ...bare } = facts
  const testnet = { ...bare, id: NetworkId.make(`${facts.id}-testnet`) }
  return [
    [`${facts.id}-rpc`, node(facts, false)] as const,
    [`${facts.id}-testnet-rpc`, node(testnet, true)] as const
  ] as const
}

/** The result of a call, or the node's error in an Either. */
type SolanaMethod = (params: ReadonlyArray<unknown>, now: number) => unknown

/** A node of Solana that stores the transactions sent to it. */
const node = (facts: NetworkFacts, isTestnet: boolean): Working => {
  const table = methods(facts, isTestnet)
  const call: JsonRpc.RpcCall = (method, params, now) => {
    const known = Object.hasOwn(table, method) ? table[method] : undefined
    return known === undefined ? Either.left(refused(-32601, "Method not found")) : known(params, now)
  }
  return (request) =>
    Effect.map(
      JsonRpc.answers(call, { unreadable: refused(-32602, "Invalid param: cannot be read") }, request),
      (answer) => {
        // As text: rentEpoch is larger than a JavaScript number can represent.
        const text = JSON.stringify(answer).replaceAll('"rentEpoch":"max"', '"rentEpoch":18446744073709551615')
        return new Response(text.replaceAll(/"lamports":"(\d+)"/g, '"lamports":$1'), {
          headers: { "content-type": "application/json" }
        })
      }
    )
}

const isAddress = (text: unknown) => Option.getOrUndefined(Base58.decode(String(text)))?.length === 32

const invalid = (what: string) => Either.left(refused(-32602, `Invalid param: ${what}`))

const slotFor = (options: unknown, now: number) =>
  SolanaChain.slot(now, (options as SendOptions | undefined)?.commitment)

/** The network's own clock; in the form of jsonParsed alone. */
const clock = "SysvarC1ock11111111111111111111111111111111"
const clockAt = (now: number) => ({
  parsed: {
    info: { slot: SolanaChain.slot(now, "confirmed"), unixTimestamp: Math.floor(now / 1000) },
    type: "clock"
  },
  program: "sysvar",
  space: 40
})

/** Most results contain the slot that they refer to. */
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

const chainMethods = (chain: string, isTestnet: boolean): Readonly<Record<string, SolanaMethod>> => ({
  getHealth: () => "ok",
  getVersion: () => ({ "feature-set": 3640012085, "solana-core": "4.0.2" }),
  getGenesisHash: () => (isTestnet ? genesis.testnet : genesis.main),
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

const methods = (facts: NetworkFacts, isTestnet: boolean): Readonly<Record<string, SolanaMethod>> => {
  const past = solanaHistory(facts)
  const pool = sent(facts)
  const state = accounts(facts, past)

  return {
    ...chainMethods(facts.id, isTestnet),
    getBalance: ofAddress((address) => Number(World.native(facts, address))),
    getAccountInfo: ofAddress((address, [, form], now) =>
      address === clock
        ? { ...accountOf("Sysvar1111111111111111111111111111111111111", 1_169_280n), data: clockAt(now), space: 40 }
        : state.account(address, (form ?? {}) as Form)
    ),
    getMultipleAccounts: result(([addresses, form]) =>
      Array.isArray(addresses) && addresses.length <= 100 && addresses.every(isAddress)
        ? addresses.map((address) => state.account(String(address), (form ?? {}) as Form))
        : invalid("Invalid")
    ),
    getProgramAccounts: ([program, form]) =>
      program === stakeProgram
        ? stakesOf(facts, form)
        : Either.left(refused(-32010, `${program} excluded from account secondary indexes`)),
    getTokenAccountBalance: ofAddress((address) => state.tokenAmount(address) ?? invalid("could not find account")),
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
      const found = pool.transaction(String(signature), (options ?? {}) as SendOptions, now)
      if (found !== undefined && found?.version !== 0) return found
      const before = found ?? past.getTransaction([signature, options])
      if (before === undefined) return invalid("WrongSize")
      const { maxSupportedTransactionVersion: newest = -1 } = (options ?? {}) as {
        readonly maxSupportedTransactionVersion?: number
      }
      return before !== null && Number(before.version) > newest
        ? Either.left(refused(-32015, `Transaction version (${before.version}) is not supported`))
        : before
    }
  }
}
