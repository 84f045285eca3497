import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Address as EvmAddress } from "viem"
import * as Client from "../../../jsonrpc/Client.ts"
import { each } from "../../../kernel/each.ts"
import { wrongChain } from "../newestBlock.ts"
import * as Codec from "../scanner/Codec.ts"
import { type BalanceStrategy, concurrency, Refused, tally } from "./BalanceStrategy.ts"

/** One `eth_call` for up to 2,000 tokens of several holders; more of either are read concurrently. */
export const scan: BalanceStrategy = (node, query) =>
  Effect.gen(function* () {
    const packed = query.packed.length === 0 ? [{ tokens: [], hex: "" }] : query.packed
    const parts = packed.flatMap(({ hex, tokens }) =>
      Arr.chunksOf(query.holders, holdersPerCall(tokens.length)).map((holders) => ({ hex, tokens, holders }))
    )
    const scans = yield* each(parts, (part) => toTheEnd(node, query.chainId, part), concurrency)
    const tallied = tally(query.holders)
    for (const { found, unread } of scans.flat()) {
      for (const { holder, token, value } of found) tallied.read(holder, token, value)
      for (const { holder, token } of unread) if (token !== "native") tallied.unread(holder, token)
    }
    const timestamps = scans.flat().map(({ timestamp }) => Number(timestamp))
    return { holders: tallied.readings(), timestamp: Math.min(...timestamps) }
  })

/** About as many balances as the gas of one call reads at the 50 million that most nodes allow (3,500 for each). */
const pairsPerCall = 12_000

const holdersPerCall = (tokens: number) =>
  Math.max(1, Math.min(Codec.maxHoldersPerCall(tokens), Math.floor(pairsPerCall / (tokens + 1))))

interface ScanPart {
  readonly hex: string
  readonly tokens: ReadonlyArray<EvmAddress>
  readonly holders: ReadonlyArray<EvmAddress>
}

/** Calls again from where the gas of a call, or the space of its output, ended. */
const toTheEnd = (node: Parameters<BalanceStrategy>[0], chainId: number, part: ScanPart) =>
  Effect.gen(function* () {
    const scans = []
    for (let start = 0; start < Codec.pairCount(part); ) {
      const data = Codec.encodeScan({ ...part, gasPerCall: Codec.defaultGasPerCall, start, tokensPacked: part.hex })
      const outcome = yield* Client.call(node, { method: "eth_call", params: [{ data }, "latest"] })
      if (Either.isLeft(outcome)) return yield* new Refused({ detail: outcome.left.message })
      const scanned = Codec.decodeScan(String(outcome.right), { ...part, start })
      if (Either.isLeft(scanned)) return yield* new Refused({ detail: `the answer is ${scanned.left}` })
      if (scanned.right.chainId !== BigInt(chainId)) return yield* node.fault(wrongChain)
      if (scanned.right.next === start) return yield* new Refused({ detail: "too little gas for one token" })
      scans.push({ ...scanned.right, unread: scanned.right.unread.map((pair) => Codec.pairAt(part, pair)) })
      start = scanned.right.next
    }
    return scans
  })
