import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import { parseHash } from "../../chains/ton/TonTransactions.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"

type TonWireTransaction = ReturnType<typeof transactions>["transactions"][number]

/** Start of the masterchain, and the block time; ms. */
const genesis = 1_573_822_800_000
export const blockTime = 1_000

export const blockAt = (now: number): number => Math.floor((now - genesis) / blockTime)
export const timeOf = (block: number): number => Math.floor((genesis + block * blockTime) / 1000)

/** Transactions for look-ups by hash: those of listed accounts, the origins of their traces, and sent ones. */
export const make = (facts: NetworkFacts, senderOf: (hash: string) => string | undefined) => {
  const known = remembered<TonWireTransaction>()
  const remember = (accounts: ReadonlyArray<string>): void => {
    const own = transactions(facts, accounts, new URLSearchParams({ limit: "1000" }))
    for (const transaction of [...own.transactions, ...origins(facts, accounts)])
      known.set(Buffer.from(transaction.hash, "base64").toString("hex"), transaction)
  }
  return {
    remember,
    /** Finds a transaction by hash, in hexadecimal digits or base64. */
    by: (hash: string): Option.Option<TonWireTransaction> =>
      Option.flatMapNullable(Either.getRight(parseHash(hash)), (key) => {
        const sender = senderOf(key)
        if (sender !== undefined && !known.has(key)) remember([sender])
        return known.get(key)
      })
  }
}

export type TonWire = ReturnType<typeof make>

/** Converts to TonAPI's format: hashes in hexadecimal digits, addresses in lower case, amounts as numbers. */
export const asTonApi = ({
  account,
  description,
  end_status,
  hash,
  lt,
  now,
  orig_status,
  total_fees
}: TonWireTransaction) => ({
  hash: Buffer.from(hash, "base64").toString("hex"),
  lt: Number(lt),
  account: { address: account.toLowerCase(), is_scam: false, is_wallet: true },
  success: !description.aborted,
  utime: now,
  orig_status,
  end_status,
  total_fees: Number(total_fees),
  transaction_type: "TransOrd",
  aborted: description.aborted
})

/** Raw address in upper case, like in TON Center. */
const upper = (address: string) => address.toUpperCase()
const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64")
const otherOf = ({ seed, counterparty }: Move) => counterparty ?? `0:${seed}`
const ltOf = ({ at, ordinal = 0 }: Move) => at * 100_000 + ordinal * 10
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

/** Returns a page of rows within a time range: 10 rows by default, at most 1,000. */
const paged = <A extends { readonly now: number }>(
  rows: ReadonlyArray<A>,
  query: URLSearchParams
): ReadonlyArray<A> => {
  const [limit, offset] = [Math.min(Number(query.get("limit") ?? 10), 1000), Number(query.get("offset") ?? 0)]
  const since = Number(query.get("start_utime") ?? 0)
  const until = Number(query.get("end_utime") ?? Number.POSITIVE_INFINITY)
  return rows.filter(({ now }) => now >= since && now <= until).slice(offset, offset + limit)
}

const moves = (facts: NetworkFacts, address: string) => [...ledger(facts, address)].reverse()

interface TonHistoryMessage {
  readonly source: string | null
  readonly destination: string
  readonly value?: bigint
  readonly fwd?: bigint
  readonly opcode?: string
  readonly bounced?: boolean
}

const message = ({ bounced = false, destination, fwd = 0n, opcode, source, value }: TonHistoryMessage) => ({
  hash: base64("00".repeat(32)),
  source: source === null ? null : upper(source),
  destination: upper(destination),
  value: value === undefined ? null : value.toString(),
  fwd_fee: value === undefined ? null : fwd.toString(),
  ihr_fee: value === undefined ? null : "0",
  opcode: opcode ?? null,
  bounce: value === undefined ? null : !bounced,
  bounced: value === undefined ? null : bounced
})

/** Transactions of the account in the trace of a move, newest first. */
const traced = (address: string, move: Move) => {
  const { amount, contract, direction, failed, fee, id } = move
  const transaction = (
    step: number,
    fees: bigint,
    received: TonHistoryMessage,
    sent: ReadonlyArray<TonHistoryMessage>,
    skipped = 0
  ) => ({
    account: upper(address),
    // The trace id is the hash of the trace's first transaction.
    hash: base64(received.source === null ? id : `${id.slice(8)}${String(step).padStart(8, "0")}`),
    trace_id: base64(id),
    lt: String(ltOf(move) + step),
    now: move.at,
    mc_block_seqno: blockAt(1000 * move.at),
    orig_status: "active",
    end_status: "active",
    total_fees: fees.toString(),
    description: {
      type: "ord",
      aborted: false,
      compute_ph: { skipped: false, success: true, exit_code: 0 },
      action: { success: true, valid: true, result_code: 0, skipped_actions: skipped }
    },
    in_msg: message(received),
    out_msgs: sent.map(message),
    emulated: false
  })
  const other = otherOf(move)
  if (direction === "in")
    return contract === undefined
      ? [transaction(3, 0n, { source: other, destination: address, value: amount }, [])]
      : []
  const signed = { source: null, destination: address, opcode: "0x7369676e" }
  const [fwd, lost] = [fee / 4n, fee / 4n]
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
  if (!failed) return [transaction(1, fee - fwd, signed, [{ source: address, destination: other, value: amount, fwd }])]
  // An amount too small to pay for the bounce is not sent.
  if (amount <= lost) return [transaction(1, fee, signed, [], 1)]
  return [
    transaction(
      5,
      0n,
      { source: other, destination: address, value: amount - lost, opcode: "0xffffffff", bounced: true },
      []
    ),
    transaction(1, fee - fwd - lost, signed, [{ source: address, destination: other, value: amount, fwd }])
  ]
}

export const transactions = (facts: NetworkFacts, accounts: ReadonlyArray<string>, query: URLSearchParams) => ({
  transactions: paged(
    accounts.flatMap((address) => moves(facts, address).flatMap((move) => traced(address, move))),
    query
  ),
  address_book: {}
})

/** First transactions of incoming traces; they belong to the sending accounts. */
export const origins = (facts: NetworkFacts, accounts: ReadonlyArray<string>) =>
  accounts.flatMap((address) => {
    const [, own = ""] = address.split(":")
    return moves(facts, address)
      .filter(({ direction }) => direction === "in")
      .flatMap((move) => traced(otherOf(move), { ...move, direction: "out", seed: own }).slice(-1))
  })

/** Jetton transfers of owners. `transaction_hash` is the transaction of the sender's jetton wallet. */
export const jettonTransfers = (facts: NetworkFacts, owners: ReadonlyArray<string>, query: URLSearchParams) => {
  const rows = owners.flatMap((owner) =>
    moves(facts, owner).flatMap((move) => {
      if (move.contract === undefined) return []
      const [source, destination] = move.direction === "in" ? [otherOf(move), owner] : [owner, otherOf(move)]
      return [
        {
          now: move.at,
          query_id: "0",
          source: upper(source),
          destination: upper(destination),
          amount: move.amount.toString(),
          source_wallet: upper(jettonWallet(source, masterOf(move))),
          jetton_master: upper(masterOf(move)),
          transaction_hash: base64(`${move.id.slice(8)}00000002`),
          transaction_lt: String(ltOf(move) + 2),
          transaction_now: move.at,
          transaction_aborted: move.failed,
          forward_ton_amount: "0",
          trace_id: base64(move.id)
        }
      ]
    })
  )
  return { jetton_transfers: paged(rows, query).map(({ now: _, ...row }) => row), address_book: {}, metadata: {} }
}

/** TonAPI's events of an account: one per trace, with the account's fees as `extra`. */
export const events = (facts: NetworkFacts, address: string, query: URLSearchParams) => {
  const [limit, before] = [Math.min(Number(query.get("limit") ?? 20), 100), Number(query.get("before_lt") ?? 0)]
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
      const coins = (from: object, to: object, amount: bigint) => ({
        ...common,
        type: "TonTransfer",
        TonTransfer: { sender: from, recipient: to, amount: Number(amount) }
      })
      return {
        event_id: move.id,
        account: own,
        timestamp: move.at,
        actions: [
          move.contract === undefined
            ? coins(sender, recipient, move.amount)
            : {
                ...common,
                type: "JettonTransfer",
                JettonTransfer: { sender, recipient, amount: String(move.amount), jetton }
              },
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
