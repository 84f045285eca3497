import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { json, type Simulated } from "../world/wire.ts"
import { type Extrinsics, heightAt } from "./PolkadotSent.ts"

/** The page limit. */
const largestPage = 100

type SubscanChain = "hub" | "relay"

/** When DOT moved from the relay chain to Asset Hub: 4 November 2025, UNIX seconds. */
const migration = Date.UTC(2025, 10, 4, 8) / 1000

/** Blocks that the relay chain had more at that time. */
const older = 14_783_302

/** The relay chain has what moved DOT before the migration, and Asset Hub the rest. */
const chainOf = ({ at, contract }: Move): SubscanChain => (at < migration && contract === undefined ? "relay" : "hub")

/** Those of Asset Hub are known by their hash, as those that its node has taken. */
const keyOf = (chain: SubscanChain, hash: string) => (chain === "hub" ? hash : `relay ${hash}`)

/** Subscan of a chain, with the endpoints that the service uses. */
export const subscan =
  (facts: NetworkFacts, extrinsics: Pick<Extrinsics, "find" | "note">, chain: SubscanChain): Simulated =>
  ({ body, now, path }) => {
    const request = Option.getOrUndefined(parsed(body)) ?? {}
    const answer = (data: unknown) => json({ code: 0, message: "Success", generated_at: Math.floor(now / 1000), data })
    if (path.endsWith("/api/scan/metadata"))
      return answer({ networkNode: chain === "hub" ? "assethub-polkadot" : "polkadot", addressType: "0" })
    if (path.endsWith("/api/scan/extrinsic")) return answer(extrinsics.find(keyOf(chain, request.hash ?? "")) ?? null)
    const holder = Either.getOrUndefined(PolkadotAddress.parse(request.address ?? ""))
    const { page = 0, row = 10 } = request
    if (holder === undefined || row > largestPage)
      return json({ code: 400, message: "Error:Field validation failed" }, 400)
    const [, last = Number.POSITIVE_INFINITY] = request.block_range?.split("-") ?? []
    const moves = ledger(facts, holder)
      .filter((move) => chainOf(move) === chain && placeOf(move).block_num <= Number(last))
      .reverse()
    for (const move of moves)
      if (extrinsics.find(keyOf(chain, `0x${move.id}`)) === undefined)
        extrinsics.note(keyOf(chain, `0x${move.id}`), extrinsic(move, holder))
    const part = (all: ReadonlyArray<unknown>) => {
      const rows = all.slice(page * row, (page + 1) * row)
      return rows.length === 0 ? null : rows
    }
    if (path.endsWith("/api/v2/scan/transfers")) {
      const transfers = moves.filter(({ failed }) => !failed)
      return answer({
        count: transfers.length,
        transfers: part(transfers.map((move) => transfer(facts, move, holder)))
      })
    }
    if (path.endsWith("/api/v2/scan/extrinsics")) {
      const extrinsics = moves.filter(({ direction }) => direction === "out")
      return answer({ count: extrinsics.length, extrinsics: part(extrinsics.map((move) => extrinsic(move, holder))) })
    }
    return json({ code: 404, message: "Not Found" }, 404)
  }

interface SubscanRequest {
  readonly address?: string
  readonly row?: number
  readonly page?: number
  readonly hash?: string
  /** `first-last`, both included. */
  readonly block_range?: string
}

const parsed = Option.liftThrowable((body: string): SubscanRequest => JSON.parse(body))

const placeOf = (move: Move) => {
  const { at, failed, id, nth = 0 } = move
  const block = heightAt(at * 1000) + (chainOf(move) === "relay" ? older : 0)
  // A block takes six seconds; extrinsics of different seconds have different places in it.
  const index = 2 + 1_000 * (at % 6) + nth
  return {
    block_num: block,
    block_timestamp: at,
    extrinsic_index: `${block}-${index}`,
    success: !failed,
    hash: `0x${id}`
  }
}

const transfer = (facts: NetworkFacts, move: Move, holder: string) => {
  const { amount, contract, direction, fee } = move
  const own = PolkadotAddress.format(holder)
  const other = PolkadotAddress.format(move.party ?? `0x${move.other}`)
  const decimals = contract?.decimals ?? facts.native.decimals
  return {
    ...placeOf(move),
    from: direction === "out" ? own : other,
    to: direction === "out" ? other : own,
    event_idx: 7,
    module: contract === undefined ? "balances" : "assets",
    amount: formatUnits(amount, decimals),
    amount_v2: String(amount),
    fee: String(fee),
    asset_symbol: contract?.coin.symbol.toUpperCase() ?? facts.native.symbol,
    asset_type: contract === undefined ? "builtin" : "assets",
    asset_unique_id: contract === undefined ? facts.native.symbol : `standard_assets/${contract.address}`
  }
}

const extrinsic = (move: Move, holder: string) => {
  const { hash, ...place } = placeOf(move)
  return {
    ...place,
    extrinsic_hash: hash,
    call_module: move.contract === undefined ? "balances" : "assets",
    call_module_function: "transfer_keep_alive",
    account_display: { address: PolkadotAddress.format(holder) },
    fee: String(move.fee * 2n),
    fee_used: String(move.fee),
    finalized: true
  }
}
