import { base58 } from "@scure/base"
import * as Option from "effect/Option"
import { formatUnits } from "viem/utils"
import type { NetworkInfo } from "../networks/Network.ts"
import { solanaHistory } from "./solanaHistory.ts"
import * as World from "./World.ts"
import { json, type Simulated } from "./wire.ts"

const programs = {
  token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  system: "11111111111111111111111111111111"
}

/** The mints of the newer program; all others are of the older one. */
const newer = ["2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"]

/** The upstreams of Solana. */
export const solana = (info: NetworkInfo) => [[`${info.id}-rpc`, node(info)] as const]

/** A node of Solana, as far as the service asks one. */
const node = (info: NetworkInfo): Simulated => {
  const past = solanaHistory(info)
  return ({ body, now }) => {
    const asked = Option.getOrUndefined(parsed(body))
    if (asked === undefined) return json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } })
    // Written by hand: rentEpoch is larger than a number can be.
    const text = JSON.stringify(
      Array.isArray(asked) ? asked.map((one) => answer(info, past, one, now)) : answer(info, past, asked, now)
    ).replaceAll('"rentEpoch":"max"', '"rentEpoch":18446744073709551615')
    return new Response(text.replaceAll(/"lamports":"(\d+)"/g, '"lamports":$1'), {
      headers: { "content-type": "application/json" }
    })
  }
}

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

type Parameters = ReadonlyArray<unknown>

type Past = ReturnType<typeof solanaHistory>

const answer = (info: NetworkInfo, past: Past, call: unknown, now: number) => {
  const { id, method, params } = { id: null, method: "", params: [], ...(call as object) } as {
    readonly id: unknown
    readonly method: string
    readonly params: Parameters
  }
  const context = { apiVersion: "4.0.2", slot: Math.floor(now / 400) }
  if (method === "getGenesisHash") return { jsonrpc: "2.0", id, result: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d" }
  const told = ofPast(past, method, params)
  if (told !== undefined) return { jsonrpc: "2.0", id, ...told }
  const value = methods[method]?.(info, params, past)
  if (value !== undefined) return { jsonrpc: "2.0", id, result: { context, value } }
  return methods[method] === undefined
    ? { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }
    : { jsonrpc: "2.0", id, error: { code: -32602, message: "Invalid param: could not find mint" } }
}

/** What was: answered without a context. */
const ofPast = (past: Past, method: string, params: Parameters) => {
  if (method === "getSignaturesForAddress") {
    const result = past.getSignaturesForAddress(params)
    return result === undefined ? { error: { code: -32602, message: "Invalid limit; max 1000" } } : { result }
  }
  if (method !== "getTransaction") return undefined
  const result = past.getTransaction(params)
  if (result === undefined) return { error: { code: -32602, message: "Invalid param: WrongSize" } }
  const { maxSupportedTransactionVersion: newest = -1 } = (params[1] ?? {}) as {
    readonly maxSupportedTransactionVersion?: number
  }
  return result !== null && result.version > newest
    ? { error: { code: -32015, message: `Transaction version (${result.version}) is not supported` } }
    : { result }
}

const methods: Readonly<Record<string, (info: NetworkInfo, params: Parameters, past: Past) => unknown>> = {
  getBalance: (info, [address]) => Number(World.native(info, String(address))),
  getMultipleAccounts: (info, [addresses]) =>
    (addresses as ReadonlyArray<string>).map((address) => {
      const lamports = World.native(info, address)
      return lamports === 0n ? null : { ...accountOf(programs.system, lamports), data: ["", "base64"], space: 0 }
    }),
  getAccountInfo: (info, [address]) => {
    const contract = contractOf(info, String(address))
    if (contract === undefined) return null
    const parsed = {
      type: "mint",
      info: { decimals: contract.decimals, isInitialized: true, supply: "3986659142956864" }
    }
    return {
      ...accountOf(programOf(contract), 1_461_600n),
      data: { program: "spl-token", parsed, space: 82 },
      space: 82
    }
  },
  getTokenAccountsByOwner: (info, [address, filter, form], past) => {
    const owner = String(address)
    const { mint, programId } = filter as { readonly mint?: string; readonly programId?: string }
    if (mint !== undefined && contractOf(info, mint) === undefined) return undefined
    const { dataSlice, encoding } = form as Form
    return World.contractsOn(info.platform)
      .filter((contract) => (mint === undefined ? programOf(contract) === programId : contract.address === mint))
      .flatMap((contract) => {
        const amount = World.held(info, contract, owner)
        // What is held of a mint lies in two accounts.
        return amount === 0n
          ? []
          : [amount / 3n, amount - amount / 3n].map((part, index) => ({ contract, part, index }))
      })
      .map(({ contract, index, part }) => ({
        pubkey: past.tokenAccount(owner, contract, index),
        account: {
          ...accountOf(programOf(contract), 2_039_280n),
          data: encoding === "jsonParsed" ? asParsed(contract, owner, part) : asBytes(contract, owner, part, dataSlice),
          space: 165
        }
      }))
  }
}

interface Form {
  readonly encoding: string
  readonly dataSlice?: { readonly offset: number; readonly length: number }
}

const contractOf = (info: NetworkInfo, mint: string) =>
  World.contractsOn(info.platform).find(({ address }) => address === mint)

const programOf = ({ address }: World.Contract) => (newer.includes(address) ? programs.token2022 : programs.token)

const accountOf = (owner: string, lamports: bigint) => ({
  executable: false,
  lamports: String(lamports),
  owner,
  rentEpoch: "max"
})

const asParsed = ({ address, decimals }: World.Contract, owner: string, amount: bigint) => ({
  program: "spl-token",
  parsed: {
    type: "account",
    info: {
      isNative: false,
      mint: address,
      owner,
      state: "initialized",
      tokenAmount: {
        amount: String(amount),
        decimals,
        uiAmount: Number(formatUnits(amount, decimals)),
        uiAmountString: formatUnits(amount, decimals)
      }
    }
  },
  space: 165
})

const asBytes = ({ address }: World.Contract, owner: string, amount: bigint, slice: Form["dataSlice"]) => {
  const data = Buffer.alloc(165)
  data.set(base58.decode(address), 0)
  data.set(base58.decode(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  const { length, offset } = slice ?? { offset: 0, length: data.length }
  return [data.subarray(offset, offset + length).toString("base64"), "base64"]
}
