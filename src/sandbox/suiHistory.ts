import { base58 } from "@scure/base"
import * as Option from "effect/Option"
import type { NetworkInfo } from "../networks/Network.ts"
import * as CoinType from "../networks/sui/coinType.ts"
import { ledger, type Move } from "./ledger.ts"

type Arguments = Readonly<Record<string, unknown>>

/** Storage paid and given back; the rest of the fee is for computation. */
const storage = { storageCost: 2_000, storageRebate: 1_000 }

/** The transactions that touch an address, the oldest first; a mark is a place among them. */
export const transactions = (info: NetworkInfo, { before, filter, last }: Arguments) => {
  const { affectedAddress } = filter as { readonly affectedAddress: string }
  const moves = ledger(info, affectedAddress)
  const end = typeof before === "string" ? Number(Buffer.from(before, "base64").toString()) : moves.length
  const start = Math.max(end - Number(last ?? 20), 0)
  return {
    nodes: moves.slice(start, end).map((move) => transaction(move, affectedAddress)),
    pageInfo: {
      hasPreviousPage: start > 0,
      startCursor: moves.length === 0 ? null : Buffer.from(String(start)).toString("base64")
    }
  }
}

/** All that ever happened is kept. */
export const serviceConfig = {
  availableRange: () => ({ first: { sequenceNumber: 0, timestamp: "2023-04-12T17:00:00Z" } })
}

const transaction = (move: Move, holder: string) => {
  const { at, direction, failed, fee } = move
  const other = `0x${move.other}`
  const [sender, receiver] = direction === "out" ? [holder, other] : [other, holder]
  const coin =
    move.contract === undefined
      ? CoinType.sui
      : Option.getOrElse(CoinType.canonical(move.contract.address), () => CoinType.sui)
  const amount = failed ? 0n : move.amount
  const native = coin === CoinType.sui
  const changes = [
    { address: receiver, coinType: coin, amount },
    { address: sender, coinType: CoinType.sui, amount: -fee - (native ? amount : 0n) },
    ...(native ? [] : [{ address: sender, coinType: coin, amount: -amount }])
  ].filter((one) => one.amount !== 0n)
  return {
    digest: base58.encode(Buffer.from(move.id, "hex")),
    sender: { address: sender },
    gasInput: { gasSponsor: { address: sender } },
    kind: { __typename: "ProgrammableTransaction" },
    effects: {
      status: failed ? "FAILURE" : "SUCCESS",
      timestamp: new Date(at * 1000 + 153).toISOString(),
      checkpoint: { sequenceNumber: Math.floor(at * 4) - 6_000_000_000 },
      gasEffects: {
        gasSummary: { computationCost: Number(fee) - storage.storageCost + storage.storageRebate, ...storage }
      },
      balanceChanges: {
        nodes: changes.map((one) => ({
          owner: { address: one.address },
          coinType: { repr: one.coinType },
          amount: String(one.amount)
        })),
        pageInfo: { hasNextPage: false, endCursor: null }
      }
    }
  }
}
