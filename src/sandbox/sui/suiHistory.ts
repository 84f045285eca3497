import { base58 } from "@scure/base"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as CoinType from "../../chains/sui/CoinType.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { epochAt } from "./SuiSystem.ts"

type SuiHistoryArguments = Readonly<Record<string, unknown>>

/** Storage cost and rebate; the rest of the fee is for computation. */
const storage = { storageCost: 2_000, storageRebate: 1_000 }

interface SuiFilter {
  readonly affectedAddress?: string
  readonly sentAddress?: string
  readonly beforeCheckpoint?: number
}

const checkpointAt = (at: number) => Math.floor(at * 4) - 6_000_000_000

/** Transactions that affect an address, or that it sent, oldest first; a cursor is an index of the list. */
export const transactions = (facts: NetworkFacts, { after, before, filter, first, last }: SuiHistoryArguments) => {
  const { affectedAddress, beforeCheckpoint, sentAddress } = (filter ?? {}) as SuiFilter
  const holder = affectedAddress ?? sentAddress ?? ""
  const moves = ledger(facts, holder).filter(
    ({ at, direction }) =>
      (sentAddress === undefined || direction === "out") &&
      (beforeCheckpoint === undefined || checkpointAt(at) < beforeCheckpoint)
  )
  const place = (mark: unknown, otherwise: number) =>
    typeof mark === "string" ? Number(Buffer.from(mark, "base64").toString()) : otherwise
  const forward = first !== undefined
  const from = place(after, 0)
  const end = forward ? Math.min(from + Number(first), moves.length) : place(before, moves.length)
  const start = forward ? from : Math.max(end - Number(last ?? 20), 0)
  const marked = (at: number) => (moves.length === 0 ? null : Buffer.from(String(at)).toString("base64"))
  return {
    nodes: moves.slice(start, end).map((move) => transaction(move, holder)),
    pageInfo: {
      hasPreviousPage: start > 0,
      startCursor: marked(start),
      hasNextPage: end < moves.length,
      endCursor: marked(end)
    }
  }
}

/** No data is ever pruned. */
export const serviceConfig = {
  availableRange: () => ({ first: { sequenceNumber: 0, timestamp: "2023-04-12T17:00:00Z" } })
}

const transaction = (move: Move, holder: string) => {
  const { at, direction, failed, fee } = move
  const other = move.party ?? `0x${move.other}`
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
  ].filter((change) => change.amount !== 0n)
  const digest = base58.encode(Buffer.from(move.id, "hex"))
  const gas =
    fee === 0n
      ? { computationCost: 0, storageCost: 0, storageRebate: 0 }
      : { computationCost: Number(fee) - storage.storageCost + storage.storageRebate, ...storage }
  return {
    digest,
    sender: { address: sender },
    gasInput: { gasSponsor: { address: sender } },
    kind: { __typename: "ProgrammableTransaction" },
    transactionBcs: null,
    signatures: [],
    effects: {
      digest,
      status: failed ? "FAILURE" : "SUCCESS",
      timestamp: new Date(at * 1000 + 153 + (move.nth ?? 0)).toISOString(),
      checkpoint: { sequenceNumber: checkpointAt(at) },
      gasEffects: { gasSummary: gas },
      balanceChanges: {
        nodes: changes.map((change) => ({
          owner: { address: change.address },
          coinType: { repr: change.coinType },
          amount: String(change.amount)
        })),
        pageInfo: { hasNextPage: false, endCursor: null }
      },
      balanceChangesJson: changes.map((change) => ({ ...change, amount: String(change.amount) })),
      effectsJson: {
        version: 2,
        status: { success: !failed },
        epoch: String(epochAt(at * 1000)),
        gasUsed: Object.fromEntries(Object.entries(gas).map(([name, amount]) => [name, String(amount)])),
        transactionDigest: digest
      },
      executionError: failed ? noCoins : null,
      effectsBcs: null,
      events: nothing,
      objectChanges: nothing
    }
  }
}

const nothing = { nodes: [], pageInfo: { hasNextPage: false } }

const noCoins = {
  message: "InsufficientCoinBalance in command 0",
  abortCode: null,
  sourceLineNumber: null,
  module: null,
  function: null
}
