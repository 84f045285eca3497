import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parseUnits } from "viem/utils"
import * as TonAddress from "../../src/chains/ton/TonAddress.ts"
import type { HistoryEntry, HistoryWithMeta } from "../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../src/contract/TransactionStatusApi.ts"
import type { Balance } from "../../src/domain/Balance.ts"
import * as Sandbox from "../../src/sandbox/world/World.ts"
import { isOfNfts, isUnlisted, native, sums } from "../walk/sums.ts"
import { addressesOf } from "./requests.ts"
import type { Answered, Asked, Network } from "./trial.ts"

// Without a lie, a response is what the ledger of the sandbox says: otherwise every lie would be compared with a wrong one.

/** A statement that contradicts the ledger. */
interface Contradiction {
  readonly at: string
  readonly wanted: unknown
  readonly got: unknown
}

const differing = (all: ReadonlyArray<Contradiction>) => all.filter(({ got, wanted }) => got !== wanted)

/** The balance of each asset of an address that is not zero, base units, by token address. */
const ownedBy = Effect.fnUntraced(function* (info: Network, world: Sandbox.World, holder: string) {
  const owned = new Map([[native, yield* world.balanceOf(info.id, holder)]])
  for (const { address, coin } of Sandbox.contractsOn(info.platform))
    if (coin.odd === undefined) owned.set(address, yield* world.balanceOf(info.id, holder, address))
  return new Map([...owned].filter(([, amount]) => amount !== 0n))
}, Effect.orDie)

/** One spelling of each asset: the registry writes currencies before issuers or after them, and addresses of TON raw. */
const spelt = ({ family }: Network, asset: string): string =>
  family === "ripple"
    ? asset.split(".").toSorted().join(".")
    : family === "ton"
      ? Either.getOrElse(TonAddress.parse(asset), () => asset)
      : asset

const compared = (
  info: Network,
  at: string,
  owned: Iterable<readonly [string, bigint]>,
  found: Iterable<readonly [string, bigint]>
) => {
  const [wanted, got] = [owned, found].map(
    (all) => new Map([...all].map(([asset, amount]) => [spelt(info, asset), amount]))
  )
  return [...new Set([...(wanted?.keys() ?? []), ...(got?.keys() ?? [])])].map((asset) => ({
    at: `${at}/${asset === native ? "coin" : asset}`,
    wanted: wanted?.get(asset) ?? 0n,
    got: got?.get(asset) ?? 0n
  }))
}

/** Whether a value is the amount at the price, to a hundredth. */
const isWorth = ({ balance, balanceUsd, tokenPrice }: Balance) => {
  if (balanceUsd === null || tokenPrice === null || balance === null) return true
  const worth = Number(balance) * Number(tokenPrice)
  return Math.abs(worth - Number(balanceUsd)) <= worth / 100 + 0.01
}

const ofBalances = Effect.fnUntraced(function* (info: Network, world: Sandbox.World, rows: ReadonlyArray<Balance>) {
  const found: Array<Contradiction> = []
  for (const holder of addressesOf(info)) {
    const own = rows.filter(({ holderAddress }) => holderAddress === holder)
    const amounts = own.map(
      ({ balance, contractAddress, tokenDecimals }) =>
        [contractAddress ?? native, parseUnits(balance ?? "", tokenDecimals)] as const
    )
    found.push(...compared(info, holder, yield* ownedBy(info, world, holder), amounts))
    for (const row of own)
      found.push({ at: `${holder}/${row.coinId}/balanceUsd`, wanted: true, got: isWorth(row) || row.balanceUsd })
  }
  return found
})

const ofHistories = Effect.fnUntraced(function* (
  info: Network,
  world: Sandbox.World,
  { data, meta }: typeof HistoryWithMeta.Type
) {
  const found: Array<Contradiction> = []
  for (const holder of addressesOf(info)) {
    const entries = data[info.id]?.[holder] ?? []
    const moved = [...sums(info, holder, entries)].filter(([, amount]) => amount !== 0n)
    found.push(...compared(info, holder, yield* ownedBy(info, world, holder), moved))
    const { complete = false, missing = ["everything"] } = meta[info.id]?.[holder] ?? {}
    found.push({ at: `${holder}/missing`, wanted: true, got: missing.every(isUnlisted) || missing.join() })
    found.push({ at: `${holder}/complete`, wanted: missing.every(isOfNfts), got: complete })
    for (const { hash, status } of entries)
      found.push({ at: `${hash}/status`, wanted: false, got: status === "Unknown" })
  }
  return found
})

const states = { Success: "confirmed", Failed: "failed", Pending: "pending", Unknown: null } as const

/** Whether a transaction must be final, or must not be, by its age; undefined between the two. */
const finalBy = ({ family, finality }: Network, { status, timestamp }: HistoryEntry, now: number) => {
  const age = now / 1_000 - timestamp
  if (status === "Pending" || ((family === "utxo" || family === "cardano") && age < 600)) return false
  return age > 2 * finality ? true : undefined
}

const ofStatuses = (
  info: Network,
  entries: ReadonlyArray<HistoryEntry>,
  statuses: typeof TransactionStatuses.Type,
  now: number
): ReadonlyArray<Contradiction> =>
  entries.flatMap((entry) => {
    const { block, fee, hash, status } = entry
    const found = statuses[info.id]?.[hash]
    // A transfer that bounces on TON is failed in the history only.
    const state = info.family === "ton" && status === "Failed" ? "confirmed" : states[status]
    const isFinal = finalBy(info, entry, now)
    return [
      { at: `${hash}/status`, wanted: state, got: found?.status },
      ...(isFinal === undefined ? [] : [{ at: `${hash}/final`, wanted: isFinal, got: found?.final }]),
      ...(block === null ? [] : [{ at: `${hash}/block`, wanted: block, got: found?.block }]),
      ...(fee === null || (found?.fee ?? null) === null ? [] : [{ at: `${hash}/fee`, wanted: fee, got: found?.fee }])
    ]
  })

/** A wallet of the sandbox has sent nothing that waits; a balance in a context is that of the ledger. */
const ofContexts = Effect.fnUntraced(function* (info: Network, world: Sandbox.World, body: unknown) {
  const found: Array<Contradiction> = []
  for (const holder of addressesOf(info)) {
    const { context } = Object(Object(Object(body)[info.id])[holder])
    const { balance, nonce, pendingNonce } = Object(context)
    found.push({ at: `${holder}/context`, wanted: true, got: Boolean(context) })
    if (info.family !== "evm") continue
    const owned = yield* ownedBy(info, world, holder)
    found.push({ at: `${holder}/pendingNonce`, wanted: nonce, got: pendingNonce })
    found.push({ at: `${holder}/balance`, wanted: String(owned.get(native) ?? 0n), got: balance })
  }
  return found
})

/** What a response without a lie says otherwise than the ledger; nothing about routes without its numbers. */
export const contradictions = Effect.fnUntraced(function* (
  {
    entries,
    info,
    now,
    world
  }: {
    readonly info: Network
    readonly world: Sandbox.World
    /** Transactions whose statuses are requested, as the history shows them. */
    readonly entries: ReadonlyArray<HistoryEntry>
    readonly now: number
  },
  { more, route }: Asked,
  { body }: Answered
) {
  if (route === "balance") return differing(yield* ofBalances(info, world, body as ReadonlyArray<Balance>))
  if (route === "history" && more === undefined)
    return differing(yield* ofHistories(info, world, body as typeof HistoryWithMeta.Type))
  if (route === "transactions/status")
    return differing(ofStatuses(info, entries, body as typeof TransactionStatuses.Type, now))
  if (route === "utils/transaction-context") return differing(yield* ofContexts(info, world, body))
  return []
})
