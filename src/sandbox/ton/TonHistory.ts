import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import { parseHash } from "../../chains/ton/TonTransactions.ts"
import { isBusy } from "../world/busy.ts"
import { amountsOf, ledger, type Move } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import {
  base64,
  type TonExternal,
  type TonMessageParts,
  type TonWireTransaction,
  toncenterRow,
  upper
} from "./tonRows.ts"

/** Start of the masterchain, and the block time; ms. */
const genesis = 1_573_822_800_000
export const blockTime = 400

export const blockAt = (now: number): number => Math.floor((now - genesis) / blockTime)
export const timeOf = (block: number): number => Math.floor((genesis + block * blockTime) / 1000)

/** Transactions for look-ups by hash: those of listed accounts, the origins of their traces, and sent ones. */
export const make = (facts: NetworkFacts, senderOf: (hash: string) => string | undefined) => {
  /** Accounts in whose lists transactions are, by hash of the transaction or of the message that caused it. */
  const accounts = remembered<string>()
  const ofMessages = remembered<string>()
  const rowsOf = (account: string) => [...own(facts, account), ...origins(facts, account)]
  const remember = (addresses: ReadonlyArray<string>): void => {
    for (const account of addresses)
      for (const { hash, in_msg } of rowsOf(account)) {
        accounts.set(hash, account)
        if (in_msg !== null)
          for (const message of [in_msg.hash, in_msg.hash_norm ?? in_msg.hash]) ofMessages.set(message, account)
      }
  }
  const find = (known: typeof accounts, hash: string, isIt: (row: TonWireTransaction, key: string) => boolean) =>
    Option.flatMapNullable(Either.getRight(parseHash(hash)), (hex) => {
      const account = known.get(base64(hex)) ?? senderOf(hex)
      return account === undefined ? undefined : rowsOf(account).find((row) => isIt(row, base64(hex)))
    })
  return {
    remember,
    /** Finds a transaction by hash, in hexadecimal digits or base64. */
    by: (hash: string) => find(accounts, hash, (row, key) => row.hash === key),
    /** Finds the transaction that a message caused. */
    ofMessage: (hash: string) =>
      find(ofMessages, hash, ({ in_msg }, key) => in_msg?.hash === key || in_msg?.hash_norm === key)
  }
}

export type TonWire = ReturnType<typeof make>

const otherOf = ({ seed, counterparty }: Move) => counterparty ?? `0:${seed}`
const ltOf = ({ at, ordinal = 0, rank = 0 }: Move) => at * 100_000 + ordinal * 10 + rank * 100
/** TON sent to jetton wallets for gas, nanotons. */
const gas = 50_000_000n
const masterOf = ({ contract }: Move) => Either.getOrElse(TonAddress.parse(contract?.address ?? ""), () => "")

/** Parses addresses to the raw form; leaves invalid texts out. */
export const rawOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => Option.toArray(Either.getRight(TonAddress.parse(text))))

/** Jettons of a network with their master addresses. */
export const masters = ({ platform }: Pick<NetworkFacts, "platform">) =>
  World.contractsOn(platform).flatMap((contract) => rawOf([contract.address]).map((master) => ({ contract, master })))

/** Address of an owner's jetton wallet, derived from both addresses. */
export const jettonWallet = (owner: string, master: string) => `0:${owner.slice(-32)}${master.slice(-32)}`

/** Returns a page of rows within a time range: newest first and 10 rows by default, at most 1,000. */
const paged = <A extends { readonly now: number }>(
  rows: ReadonlyArray<A>,
  query: URLSearchParams
): ReadonlyArray<A> => {
  const [limit, offset] = [Math.min(Number(query.get("limit") ?? 10), 1000), Number(query.get("offset") ?? 0)]
  const since = Number(query.get("start_utime") ?? 0)
  const until = Number(query.get("end_utime") ?? Number.POSITIVE_INFINITY)
  const all = query.get("sort") === "asc" ? rows.toReversed() : rows
  return all.filter(({ now }) => now >= since && now <= until).slice(offset, offset + limit)
}

const moves = memoized((facts: NetworkFacts, address): ReadonlyArray<Move> => ledger(facts, address).toReversed())

/** Coins of an account after each move, newest first. */
const balancesOf = (newestFirst: ReadonlyArray<Move>): ReadonlyArray<bigint> => {
  let sum = 0n
  const balances = newestFirst.toReversed().map(({ amount, contract, direction, failed, fee, received = 0n }) => {
    const moved = contract !== undefined || failed ? 0n : direction === "in" ? amount : -amount
    sum += moved + received - (direction === "out" ? fee : 0n)
    return sum
  })
  return balances.reverse()
}

/** Coins of accounts outside of the world, nanotons. */
const rich = 10n ** 15n

/** Operation code and comment of a message in a museum. */
const contentOf = (exhibit: string | undefined): Pick<TonMessageParts, "opcode" | "comment"> =>
  exhibit === "comment"
    ? { opcode: "0x00000000", comment: "hii" }
    : exhibit === "jettons to their master"
      ? { opcode: "0x0f8a7ea5" }
      : {}

/**
 * Transactions of the account in the trace of a move, newest first. Empty messages follow a payment to it at these steps:
 * traces of a busy account have more rows than a page expects.
 */
const traced = (address: string, move: Move, balance = rich, emptySteps: ReadonlyArray<number> = []) => {
  const { amount, contract, details, direction, exhibit, failed, fee, id } = move
  const transaction = (
    step: number,
    fees: bigint,
    received: TonMessageParts,
    sent: ReadonlyArray<TonMessageParts>,
    skipped = 0
  ) => {
    const before = balance + fees - (received.value ?? 0n) + sent.reduce((sum, { value = 0n }) => sum + value, 0n)
    return toncenterRow({
      account: address,
      // The trace id is the hash of the trace's first transaction.
      hash: received.source === null ? id : `${id.slice(8)}${String(step).padStart(8, "0")}`,
      trace: id,
      lt: ltOf(move) + step,
      at: move.at,
      block: blockAt(1000 * move.at),
      fees,
      balances: [before > 0n ? before : 0n, balance],
      received,
      sent,
      skipped,
      exhibit
    })
  }
  const other = otherOf(move)
  const [fwd, lost] = [fee / 4n, fee / 4n]
  const content = contentOf(exhibit)
  if (exhibit === "tick-tock") return [transaction(1, 0n, { source: null, destination: address }, [])]
  if (direction === "in")
    return contract === undefined
      ? [
          ...emptySteps.map((step) => transaction(step, 0n, { source: other, destination: address, value: 0n }, [])),
          transaction(3, 0n, { source: other, destination: address, value: amount, fwd, ...content }, [])
        ]
      : []
  const external = details === undefined ? {} : { external: details as TonExternal }
  const signed = { source: null, destination: address, opcode: "0x7369676e", ...external }
  if (contract !== undefined) {
    const wallet = jettonWallet(address, masterOf(move))
    const { received } = move
    return [
      ...(received === undefined
        ? []
        : [transaction(15, 0n, { source: other, destination: address, value: received }, [])]),
      transaction(9, 0n, { source: wallet, destination: address, value: gas - lost, opcode: "0xd53276db" }, []),
      transaction(1, fee - fwd - lost, signed, [
        { source: address, destination: wallet, value: gas, fwd, opcode: "0x0f8a7ea5" }
      ])
    ]
  }
  const sent = { source: address, destination: other, value: amount, fwd, ...content }
  if (!failed) return [transaction(1, fee - fwd, signed, [sent])]
  // An amount too small to pay for the bounce is not sent.
  if (amount <= lost) return [transaction(1, fee, signed, [], 1)]
  return [
    transaction(
      5,
      0n,
      { source: other, destination: address, value: amount - lost, opcode: "0xffffffff", bounced: true },
      []
    ),
    transaction(1, fee - fwd - lost, signed, [sent])
  ]
}

/** Transactions of an account, newest first; each names the one before it. */
const own = memoized((facts: NetworkFacts, address): ReadonlyArray<TonWireTransaction> => {
  const all = moves(facts, address)
  const balances = balancesOf(all)
  const emptySteps = isBusy(facts, address) ? [11, 9, 7, 5] : []
  const rows = all.flatMap((move, index) => traced(address, move, balances[index], emptySteps))
  return rows.map((row, index) => {
    const { hash, lt } = rows[index + 1] ?? { hash: base64("00".repeat(32)), lt: "0" }
    return { ...row, prev_trans_hash: hash, prev_trans_lt: lt }
  })
})

export const transactions = (facts: NetworkFacts, accounts: ReadonlyArray<string>, query: URLSearchParams) => ({
  transactions: paged(
    accounts.flatMap((address) => own(facts, address)),
    query
  ),
  address_book: {}
})

/** First transactions of incoming traces; they belong to the sending accounts. */
const origins = memoized((facts: NetworkFacts, address): ReadonlyArray<TonWireTransaction> => {
  const [, account = ""] = address.split(":")
  return moves(facts, address)
    .filter(({ direction, exhibit }) => direction === "in" && exhibit !== "tick-tock")
    .flatMap((move) => {
      const { counterparty } = move
      if (counterparty !== undefined)
        return own(facts, counterparty).filter(({ hash, trace_id }) => hash === trace_id && hash === base64(move.id))
      return traced(otherOf(move), { ...move, direction: "out", seed: account }).slice(-1)
    })
})

/** Jetton transfers of owners. `transaction_hash` is the transaction of the sender's jetton wallet. */
export const jettonTransfers = (
  facts: NetworkFacts,
  owners: ReadonlyArray<string>,
  query: URLSearchParams,
  metadataOf: (contract: World.Contract) => object
) => {
  const all = owners.flatMap((owner) =>
    moves(facts, owner).flatMap((move) =>
      move.contract === undefined
        ? []
        : amountsOf(move).map((amount, part) => ({ now: move.at, owner, move, amount, part }))
    )
  )
  const page = paged(all, query)
  const rows = page.map(({ amount, move, owner, part }) => {
    const [source, destination] = move.direction === "in" ? [otherOf(move), owner] : [owner, otherOf(move)]
    return {
      query_id: "0",
      source: upper(source),
      destination: upper(destination),
      amount: amount.toString(),
      source_wallet: upper(jettonWallet(source, masterOf(move))),
      jetton_master: upper(masterOf(move)),
      transaction_hash: base64(`${move.id.slice(8)}${String(part).padStart(7, "0")}2`),
      transaction_lt: String(ltOf(move) + 2),
      transaction_now: move.at,
      transaction_aborted: move.failed,
      forward_ton_amount: "0",
      trace_id: base64(move.id)
    }
  })
  const metadata = page.flatMap(({ move }) =>
    move.contract === undefined ? [] : [[upper(masterOf(move)), metadataOf(move.contract)]]
  )
  return { jetton_transfers: rows, address_book: {}, metadata: Object.fromEntries(metadata) }
}

/** TonAPI's events of an account: one per trace, with the account's fees as `extra`. */
export const events = (facts: NetworkFacts, address: string, query: URLSearchParams) => {
  const [limit, before] = [Math.min(Number(query.get("limit")), 100), Number(query.get("before_lt") ?? 0)]
  const since = Number(query.get("start_date") ?? 0)
  const until = Number(query.get("end_date") ?? Number.POSITIVE_INFINITY)
  const all = moves(facts, address).filter(
    (move) => move.at >= since && move.at <= until && (before === 0 || ltOf(move) < before)
  )
  const shown = all.slice(0, limit)
  const last = shown.at(-1)
  return {
    events: shown.map((move) => {
      const own = { address, is_scam: false, is_wallet: true }
      const other = { address: otherOf(move), is_scam: false, is_wallet: true }
      const [sender, recipient] = move.direction === "in" ? [other, own] : [own, other]
      const jetton = { address: masterOf(move), decimals: move.contract?.decimals }
      const common = { status: move.failed ? "failed" : "ok", base_transactions: [move.id] }
      const coins = (from: typeof own, to: typeof own, amount: bigint) => ({
        ...common,
        type: "TonTransfer",
        TonTransfer: {
          sender: from,
          recipient: to,
          amount: Number(amount),
          ...(comment === undefined ? {} : { comment })
        }
      })
      const { comment } = contentOf(move.exhibit)
      return {
        event_id: move.id,
        account: own,
        timestamp: move.at,
        actions:
          move.exhibit === "tick-tock"
            ? []
            : [
                ...(move.contract === undefined
                  ? [coins(sender, recipient, move.amount)]
                  : amountsOf(move).map((amount) => ({
                      ...common,
                      type: "JettonTransfer",
                      JettonTransfer: { sender, recipient, amount: String(amount), jetton }
                    }))),
                ...(move.received === undefined ? [] : [coins(recipient, sender, move.received)])
              ],
        is_scam: false,
        lt: ltOf(move),
        in_progress: false,
        extra: move.direction === "in" ? 0 : -Number(move.fee)
      }
    }),
    next_from: last === undefined || all.length <= limit ? 0 : ltOf(last)
  }
}
