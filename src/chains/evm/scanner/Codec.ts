import * as Either from "effect/Either"
import type { Address, Hex } from "viem"
import { scannerBytecode } from "./bytecode.ts"

/** Maximum bytes of init code (EIP-3860): the scanner itself, a head of 12, then 20 per address. */
const initCodeLimit = 49_152
const inputHeadBytes = 12
const addressBytes = 20
const maxAddresses = Math.floor((initCodeLimit - (scannerBytecode.length - 2) / 2 - inputHeadBytes) / addressBytes)

/** Leaves about a fifth of the addresses of one call for holders. */
export const maxTokensPerCall = 2_000

/** Maximum holders in one call with `tokenCount` tokens, which must be at most `maxTokensPerCall`. */
export const maxHoldersPerCall = (tokenCount: number): number => maxAddresses - tokenCount

/** Enough for proxies and rebasing tokens; a token that needs more counts as unread. */
export const defaultGasPerCall = 300_000

/** An output has at most 24,576 bytes (EIP-170): a head of 23 and this many balances of 36 bytes. */
export const maxBalancesPerCall = 682

const version = "02"
const headChars = 2 * 23
const pairChars = 2 * 4
const valueChars = 2 * 32
const unreadFlag = 0x80000000

/** Pair `h * (tokens.length + 1) + t` is holder `h` with its native balance (`t = 0`) or with token `t - 1`. */
export interface ScanPairs {
  readonly holders: ReadonlyArray<Address>
  readonly tokens: ReadonlyArray<Address>
}

export interface ScanRequest {
  readonly gasPerCall: number
  /** The first pair to read. */
  readonly start: number
  readonly holders: ReadonlyArray<Address>
  /** From `packAddresses`, so that a long list is packed once for many requests. */
  readonly tokensPacked: string
}

export interface ScanFound {
  readonly pair: number
  readonly holder: Address
  readonly token: Address | "native"
  readonly value: bigint
}

/** A scan of the pairs from `start` to `next - 1`: pairs that are neither found nor unread are zero. */
export interface Scan {
  /** Chain id of the node: balances of another chain are rejected. */
  readonly chainId: bigint
  /** Time of the block that was read, UNIX seconds. */
  readonly timestamp: bigint
  /** Start of the next call: the number of all pairs when done, or `start` itself if the gas was not enough. */
  readonly next: number
  readonly found: ReadonlyArray<ScanFound>
  /** Pairs of tokens that returned no readable balance. */
  readonly unread: ReadonlyArray<number>
}

export const pairCount = ({ holders, tokens }: ScanPairs): number => holders.length * (tokens.length + 1)

/** The holder and the token of a pair, which must be below `pairCount`. */
export const pairAt = ({ holders, tokens }: ScanPairs, pair: number): Pick<ScanFound, "holder" | "token"> => {
  const width = tokens.length + 1
  const token = pair % width
  return {
    holder: holders[Math.floor(pair / width)] as Address,
    token: token === 0 ? "native" : (tokens[token - 1] as Address)
  }
}

const packAddress = (address: Address): string => {
  // A missing digit would shift all later addresses, and each would get the balance of another address.
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new TypeError(`Not an EVM address: ${address}`)
  return address.slice(2)
}

/** Concatenates addresses without `0x`. A malformed address is a defect. */
export const packAddresses = (addresses: ReadonlyArray<Address>): string => addresses.map(packAddress).join("")

const unsigned = (value: number, bytes: number): string => value.toString(16).padStart(2 * bytes, "0")

/** The `data` of an `eth_call` without `to`. The caller must respect the limits above. */
export const encodeScan = ({ gasPerCall, holders, start, tokensPacked }: ScanRequest): Hex =>
  `${scannerBytecode}${unsigned(gasPerCall, 4)}${unsigned(start, 4)}${unsigned(holders.length, 2)}${unsigned(
    tokensPacked.length / (2 * addressBytes),
    2
  )}${packAddresses(holders)}${tokensPacked}`

/** Decodes an output; rejects any that the scanner cannot have written for these pairs. Left is the problem. */
export const decodeScan = (
  hex: string,
  request: ScanPairs & { readonly start: number }
): Either.Either<Scan, string> => {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(hex)) return Either.left("not hexadecimal")
  const output = hex.slice(2)
  if (output.length < headChars) return Either.left("shorter than its head")
  if (!output.startsWith(version)) return Either.left("of another version")
  const chainId = BigInt(`0x${output.slice(2, 18)}`)
  const timestamp = BigInt(`0x${output.slice(18, 34)}`)
  const next = Number.parseInt(output.slice(34, 42), 16)
  if (2 * Number.parseInt(output.slice(42, headChars), 16) !== output.length) return Either.left("of another length")
  if (next < request.start || next > pairCount(request)) return Either.left("beyond the requested pairs")

  const found: Array<ScanFound> = []
  const unread: Array<number> = []
  let last = request.start - 1
  for (let at = headChars; at < output.length; ) {
    if (output.length - at < pairChars) return Either.left("cut off in a pair")
    const word = Number.parseInt(output.slice(at, at + pairChars), 16)
    at += pairChars
    const pair = word % unreadFlag
    if (pair <= last || pair >= next) return Either.left("out of order")
    last = pair
    const of = pairAt(request, pair)
    if (word >= unreadFlag) {
      if (of.token === "native") return Either.left("without a native balance")
      unread.push(pair)
      continue
    }
    if (output.length - at < valueChars) return Either.left("cut off in a balance")
    const value = BigInt(`0x${output.slice(at, at + valueChars)}`)
    at += valueChars
    if (value === 0n) return Either.left("with a zero written out")
    found.push({ pair, ...of, value })
  }
  return Either.right({ chainId, timestamp, next, found, unread })
}
