import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address as EvmAddress } from "viem"
import { evmSupply } from "../../../catalogue/evm/EvmFacts.ts"
import type { Seconds } from "../../../domain/units.ts"
import * as Call from "../../../upstream/Call.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { encodeBalanceOf } from "../multicall.ts"
import * as calls from "../providers/node/calls.ts"

/** Native and token balances of several holders; all addresses in lower case. */
export interface BalanceQuery {
  readonly chainId: number
  /** The address of Multicall3 if it is not the usual one. */
  readonly multicall?: EvmAddress | undefined
  readonly holders: ReadonlyArray<EvmAddress>
  readonly tokens: ReadonlyArray<EvmAddress>
  /** The number of the block whose state is read; the newest one if absent. */
  readonly block?: string
  /** The tokens in the format of the scanner: lists of at most its limit, each packed once. */
  readonly packed: ReadonlyArray<{ readonly tokens: ReadonlyArray<EvmAddress>; readonly hex: string }>
}

/** Balances of one holder. A token in neither list was read and is zero. */
export interface BalanceReading {
  /** Undefined if it was not readable, or cannot exist. */
  readonly native: bigint | undefined
  readonly balances: ReadonlyMap<EvmAddress, bigint>
  /** Tokens that returned no readable balance. */
  readonly unread: ReadonlySet<EvmAddress>
}

export interface Readings {
  /** In the order of the holders. */
  readonly holders: ReadonlyArray<BalanceReading>
  /** Time of the oldest block that was read. */
  readonly timestamp: Seconds
}

/** The node does not support this kind of call; it may support another. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { detail: Schema.String }) {}

/** A strategy for reading balances from one node. */
export type BalanceStrategy = (node: Endpoint, query: BalanceQuery) => Effect.Effect<Readings, UpstreamError | Refused>

/** Maximum calls that are encoded at once: each may have 100 kB, and there may be thousands. */
export const concurrency = 32

/** Collects readings; a pair that is never reported is zero. */
export const tally = (holders: ReadonlyArray<EvmAddress>) => {
  const blank = () => ({
    native: 0n as bigint | undefined,
    balances: new Map<EvmAddress, bigint>(),
    unread: new Set<EvmAddress>()
  })
  const readings = new Map(holders.map((holder) => [holder, blank()]))
  const of = (holder: EvmAddress) => readings.get(holder) ?? blank()
  return {
    read: (holder: EvmAddress, asset: EvmAddress | "native", amount: bigint) => {
      if (asset === "native") of(holder).native = amount <= evmSupply ? amount : undefined
      else if (amount > 0n) of(holder).balances.set(asset, amount)
    },
    unread: (holder: EvmAddress, asset: EvmAddress | "native") => {
      if (asset === "native") of(holder).native = undefined
      else of(holder).unread.add(asset)
    },
    readings: (): ReadonlyArray<BalanceReading> => holders.map(of)
  }
}

/** The call of a token's balance. */
export const balanceOf = (holder: EvmAddress, token: EvmAddress, block?: string) =>
  Call.methodOf(calls.contract, { to: token, data: encodeBalanceOf(holder), block })
