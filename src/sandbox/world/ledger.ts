import { hash } from "node:crypto"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import type { Family, NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { blocksOf, busyPayments, firstPayments } from "./busy.ts"
import { exhibitsOf } from "./exhibits/exhibitsOf.ts"
import { memoized } from "./memoized.ts"
import * as World from "./World.ts"
import { beginning, type FinalEvent } from "./WorldState.ts"

/** Movement of one asset in a transaction of a holder, independent of the chain. */
export interface Move {
  /** Transaction hash: 32 bytes in hexadecimal digits. */
  readonly id: string
  /** UNIX seconds; even, since the block time of a chain may be two seconds. */
  readonly at: number
  readonly direction: "in" | "out"
  /** Token that moves; absent for the native coin. */
  readonly contract?: World.Contract
  /** Number of equal transfers that are the amount, in chains that list each of them. Default: 1. */
  readonly parts?: number
  /** Amount in base units; stays with the sender if the transaction failed. */
  readonly amount: bigint
  /** Fee in base units of the native coin; the sender also pays it if the transaction failed. */
  readonly fee: bigint
  readonly failed: boolean
  /** Counterparty: 32 bytes in hexadecimal digits, from which each chain derives an address. */
  readonly seed: string
  /** Canonical address of the counterparty, if the event specifies it; replaces `other`. */
  readonly counterparty?: string
  /** Amount of the native coin that a swap brings in for the outgoing token. */
  readonly received?: bigint
  /**
   * An approval of the token for a spender, with an amount of 0; newly minted tokens; coins from a contract that a third
   * party called; a transfer of nothing, which any account can make to another.
   */
  readonly kind?: "approval" | "mint" | "call" | "empty"
  /** Name of the form that the transaction has in a museum. */
  readonly exhibit?: string
  /** Data of the family. */
  readonly details?: unknown
  /** Time of sending if it differs from `at`, UNIX seconds; the same before and after the move is in a block. */
  readonly sentAt?: number
  /** True if the move is in no block yet; `at` is the time of sending. */
  readonly isPending?: boolean
  /** Index among the events of that second; absent for the generated past. */
  readonly ordinal?: number
  /** Index among the generated moves of that second; absent for events and pending moves. */
  readonly rank?: number
}

const even = (seconds: number) => seconds - (seconds % 2)

/** Hash of the words and the network, with the seed of the world unless it is the default. */
const digest = ({ id, world }: World.InWorld, ...words: ReadonlyArray<string>) =>
  hash(
    "sha256",
    [...(world === undefined || world.seed === World.defaultSeed ? [] : [world.seed]), id, ...words].join("|")
  )

export type LedgerFacts = World.InWorld<
  Pick<NetworkFacts, "id" | "native" | "platform"> & { readonly family?: Family } & Pick<
      Partial<EvmFacts>,
      "genesis" | "dataFee" | "blobsSince"
    >
>

/** Families with token approvals, with swaps in one transaction, and whose sources list newly minted tokens. */
const families = {
  approval: "evm tron",
  mint: "evm tron cardano ripple solana sui",
  swap: "evm tron polkadot ripple solana sui ton"
}

const has = (what: keyof typeof families, { family = "evm" }: LedgerFacts) => families[what].split(" ").includes(family)

/** The amount of an address-poisoning transfer: the smallest that a network accepts. */
const dust: Partial<Record<Family, bigint>> = { cardano: 1_000_000n, utxo: 546n }

const leastOf = ({ family = "evm" }: LedgerFacts) => dust[family] ?? 1n

/** Seed of an address that starts and ends like another one, in the parts of a seed that families use. */
const similar = (seed: string, other: string) =>
  seed.slice(0, 6) + other.slice(6, 34) + seed.slice(34, 40) + other.slice(40, 58) + seed.slice(58)

/** On EVM networks, fees are multiples of the gas of their transactions: 21,000 and 24,000, and four thirds of these. */
const feeStep = 672_000n

/** Transaction fee: about a hundred-thousandth of a coin, with pseudo-random digits. */
const feeOf = (facts: LedgerFacts, id: string): bigint => {
  const unit = 10n ** BigInt(Math.max(facts.native.decimals - 5, 0))
  const fee = unit + (unit * BigInt(Math.floor(World.randomIn(facts, "fee", id) * 1000))) / 1000n
  return (facts.family ?? "evm") === "evm" ? fee - (fee % feeStep) : fee
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)

type Draft = Pick<Move, "direction" | "amount" | "failed" | "contract" | "received" | "kind" | "exhibit" | "parts"> & {
  readonly fee?: bigint
}

/** The usual transactions of a holder, oldest first. The last one imitates the recipient of the one before it. */
const usualDrafts = (facts: LedgerFacts, holder: string, balance: bigint): ReadonlyArray<Draft> => {
  const share = (what: string) => BigInt(Math.floor(World.randomIn(facts, what, holder) * 1000))
  const tokens = World.contractsOn(facts.platform).flatMap((contract) => {
    const amount = World.initialTokens(facts, contract, holder)
    return amount === 0n ? [] : [{ contract, amount }]
  })
  // A wrapped coin with the symbol of the native coin is not swapped.
  const isOther = ({ coin }: World.Contract) => coin.symbol !== facts.native.symbol.toLowerCase()
  const swapped = has("swap", facts) ? tokens.findIndex(({ contract }) => isOther(contract)) : -1
  return [
    ...tokens.flatMap(({ amount, contract }, index): ReadonlyArray<Draft> => {
      const sent = (amount * share(`sends ${contract.address}`)) / 2000n
      const came: Draft = { direction: "in", contract, amount: amount + sent, failed: false }
      const mint: Draft = index > 0 && has("mint", facts) ? { ...came, kind: "mint" } : came
      const send: Draft = { direction: "out", contract, amount: sent, failed: false }
      if (sent === 0n) return [mint]
      if (index !== swapped) return [mint, send]
      const approval: Draft = { ...send, amount: 0n, kind: "approval" }
      const swap = { ...send, received: World.worthOf(facts, contract, sent) }
      return has("approval", facts) ? [mint, approval, swap] : [mint, swap]
    }),
    { direction: "out", amount: 1n + (balance * share("sends")) / 1000n, failed: false },
    { direction: "in", amount: 1n + (balance * share("gets")) / 2000n, failed: false },
    { direction: "out", amount: 1n + (balance * share("fails")) / 1000n, failed: true },
    { direction: "out", amount: 1n + (balance * share("sends more")) / 1000n, failed: false },
    { direction: "in", amount: leastOf(facts), failed: false }
  ]
}

/** Generates the past of a holder, before the events of the world. */
const generatedPast = (facts: LedgerFacts, holder: string): ReadonlyArray<Move> => {
  const balance = World.initialNative(facts, holder)
  if (balance === 0n) return []
  const usual = usualDrafts(facts, holder, balance)
  const contracts = () => World.listedOn(facts.platform)
  const token = () => contracts().find((contract) => World.initialTokens(facts, contract, holder) > 0n)
  const drafts: ReadonlyArray<Draft> = [
    ...usual,
    ...exhibitsOf(facts, holder, contracts),
    ...busyPayments(facts, holder, leastOf(facts), token)
  ]
  const early: ReadonlyArray<Draft> = firstPayments(facts, holder, token, () => World.randomIn(facts, "early") < 0.5)
  const poisoning = early.length + usual.length
  const cost = (index: number) => feeOf(facts, digest(facts, holder, String(index)))
  const flows = [...early, ...drafts].map(
    ({ amount, contract, direction, failed, fee, received = 0n }, index) =>
      received -
      (direction === "out" ? (fee ?? cost(index + 1)) : 0n) +
      (contract !== undefined || failed ? 0n : direction === "out" ? -amount : amount)
  )
  /** Net inflow of all transfers, and the highest of any number of last ones. */
  const [net, most] = flows.reduceRight<readonly [bigint, bigint]>(
    ([sum, highest], flow) => [sum + flow, larger(highest, sum + flow)],
    [0n, 0n]
  )
  // The last transfer sends out what came in beyond the balance, so that no balance between two of them is below zero.
  const excess = larger(net, most - balance)
  const surplus: ReadonlyArray<Draft> = excess > 0n ? [{ direction: "out", amount: excess, failed: false }] : []
  // The first transfer brings in the balance and everything that is spent later.
  const later = excess > 0n ? excess - net + cost(early.length + drafts.length + 1) : -net
  const first: Draft = { direction: "in", amount: balance + later, failed: false }
  const all = [...early, first, ...drafts, ...surplus]
  // The generated past takes 600 days.
  const blocks = blocksOf(facts, holder, all.length)
  const step = Math.floor((600 * 24 * 3600) / ((blocks.at(-1) ?? 0) + 2))
  const rankOf = (index: number): number =>
    index > 0 && blocks[index - 1] === blocks[index] ? 1 + rankOf(index - 1) : 0
  const timeOf = (index: number) =>
    index * step + Math.floor(World.randomIn(facts, "time", holder, String(index)) * (step - 1))
  const seedOf = (index: number) => digest(facts, "other", holder, String(index))
  return all.map((draft, index) => ({
    ...draft,
    id: digest(facts, holder, String(index)),
    at: even(beginning + timeOf(blocks[index] ?? index)),
    rank: rankOf(index),
    fee: draft.fee ?? cost(index),
    // The poisoning address imitates the recipient of the transfer before it.
    seed: index === poisoning ? similar(seedOf(index - 1), seedOf(index)) : seedOf(index)
  }))
}

/** Converts an event to the moves of one party: one move per asset with the net amount. */
const movesOf =
  (facts: LedgerFacts, holder: string) =>
  (event: FinalEvent): ReadonlyArray<Move> => {
    const { extra = [], at, details, failed = false, fee = 0n, id, ordinal, seen } = event
    const own = [event, ...extra].filter(({ from, to }) => from === holder || to === holder)
    return [...Map.groupBy(own, ({ contract }) => contract?.address).values()].map((parts, index) => {
      const net = parts.reduce(
        (sum, { amount, from, to }) => sum + (to === holder ? amount : 0n) - (from === holder ? amount : 0n),
        0n
      )
      const isOut = parts.length === 1 ? parts[0]?.from === holder : net < 0n
      const part = parts.find(({ from, to }) => (isOut ? from : to) === holder)
      const counterparty = isOut ? part?.to : part?.from
      return {
        id,
        at,
        direction: isOut ? "out" : "in",
        ...(part?.contract === undefined ? {} : { contract: part.contract }),
        amount: parts.length === 1 ? (parts[0]?.amount ?? 0n) : net < 0n ? -net : net,
        fee: index === 0 ? fee : 0n,
        failed,
        seed: digest(facts, "other", id),
        ...(counterparty === undefined ? {} : { counterparty }),
        ...(details === undefined ? {} : { details }),
        ...(seen === undefined ? {} : { sentAt: seen }),
        ordinal
      }
    })
  }

/**
 * All moves of a holder, oldest first. For every asset, incoming minus outgoing amounts and paid fees equals the
 * balance in the world. Empty for an unused address.
 */
export const ledger = memoized((facts: LedgerFacts, holder): ReadonlyArray<Move> => {
  const events = facts.world?.state.final(facts.id, holder) ?? []
  const all = generatedPast(facts, holder)
  return events.length === 0 ? all : [...all, ...events.flatMap(movesOf(facts, holder))].sort((a, b) => a.at - b.at)
})

/**
 * Index of each outgoing transaction of a holder, by id of the move. The generated past comes first, although events may
 * be before its end.
 */
export const sequences = memoized(
  (facts: LedgerFacts, holder): ReadonlyMap<string, number> =>
    new Map(
      ledger(facts, holder)
        .filter(({ direction }) => direction === "out")
        .toSorted((a, b) => Number(a.ordinal !== undefined) - Number(b.ordinal !== undefined))
        .map(({ id }, index) => [id, index])
    )
)

/** Pending events of a holder as moves, at their times of sending. */
export const pendingMoves = (facts: LedgerFacts, holder: string): ReadonlyArray<Move> =>
  (facts.world?.state.pending(facts.id, holder) ?? [])
    .flatMap((event) => movesOf(facts, holder)({ ...event, at: event.seen, ordinal: 0 }))
    .map((move) => ({ ...move, isPending: true }))

/** Amounts of the transfers of a move. */
export const amountsOf = ({ amount, parts = 1 }: Pick<Move, "amount" | "parts">): ReadonlyArray<bigint> =>
  Array.from({ length: parts }, () => amount / BigInt(parts))
