import type { Status, Transaction } from "../../domain/Transaction.ts"
import type { Group } from "../mergePaged.ts"
import { paidOf, parties, type Transfer } from "../parties.ts"
import type {
  JettonTransfer,
  ToncenterMessage,
  ToncenterRow,
  ToncenterTransaction as Wire
} from "./toncenter/ToncenterHistory.ts"

// A transfer is a chain of messages, which TON Center calls a trace. A trace is one transaction here; its hash is that
// of the trace's first transaction, the same for sender and recipient.

/** Operation codes of messages between jetton wallets and their owners (TEP-74). */
const jettonTransfer = "0x0f8a7ea5"
const jettonNotification = "0x7362d09c"
const excesses = "0xd53276db"

interface OutgoingMessage {
  readonly message: ToncenterMessage
  readonly transfer: Transfer
}

/**
 * A trace from its holder's perspective, from the holder's transactions and jetton transfers in it. The fee is what the
 * holder pays for its transactions, for forwarding its messages, and what jetton wallets retain of the coins that came
 * with a transfer. It is unknown without the list of transactions, and where coins were sent with a jetton transfer
 * that is not listed, as they may be returned.
 */
export const toTransaction =
  (holder: string, hasFees: boolean) =>
  ({ key, rows }: Group<ToncenterRow>): Transaction => {
    const transactions = onceEach(
      rows.flatMap((row) => ("transaction" in row ? [row.transaction] : [])),
      ({ hash }) => hash
    )
    const jettons = onceEach(
      rows.flatMap((row) => ("transfer" in row ? [row.transfer] : [])),
      ({ transaction_hash }) => transaction_hash
    )
    const { came, went } = messages(holder, transactions)
    const undone = takeBounced(came, went)
    const gas = takeGas(holder, came, went, jettons)
    const native = [...came, ...went].map(({ transfer }) => transfer)
    const surplus = surplusOf(holder, gas)
    const forwarded = gas.forwarded.filter(({ amount }) => amount > 0n)
    const moved = jettons.filter((jetton) => !jetton.transaction_aborted).map(jettonMovement)
    const transfers = [...native, ...surplus, ...forwarded, ...moved]
    const still = !transfers.some(({ amount }) => amount > 0n)
    const failed = still && isFailed(transactions, jettons, undone)
    const shown = still
      ? [...undone.transfers, ...gas.transfers, ...jettons.map(jettonMovement), ...transfers]
      : transfers
    const own = transactions.reduce((sum, transaction) => sum + feesOf(transaction), 0n)
    const fee = own + undone.lost + (gas.retained > 0n ? gas.retained : 0n)
    const started = transactions.some(({ in_msg }) => in_msg != null && in_msg.source === null)
    const involved = shown.length > 0 ? shown : [{ from: holder, amount: 0n }]
    // A negative fee is an amount that was retained for another reason.
    const certain = !hasFees || gas.unknown || fee < 0n ? null : fee
    const sides = parties(involved, !failed)
    return {
      hash: key,
      type: typeOf(holder, started, shown, transactions),
      fee: certain,
      // Every account pays its own.
      ...paidOf(holder, { fee: certain, from: sides.from }, certain),
      status: statusOf(transactions, failed, still && gas.unknown),
      timestamp: Math.min(...rows.map(({ at }) => at)),
      order: Math.min(...rows.map(({ order }) => order)),
      ...sides
    }
  }

/** Rows move to the next page when new ones arrive. */
const onceEach = <A>(rows: ReadonlyArray<A>, hash: (row: A) => string) => [
  ...new Map(rows.map((row) => [hash(row), row])).values()
]

/** Forwarding fees of messages are not part of the sending transaction's fees. */
const feesOf = ({ out_msgs, total_fees }: Wire) =>
  out_msgs.reduce((sum, { fwd_fee, ihr_fee }) => sum + fwd_fee + ihr_fee, total_fees)

/** Messages with coins. A message to the holder itself counts as sent; external messages move nothing. */
const messages = (holder: string, transactions: ReadonlyArray<Wire>) => ({
  came: transactions.flatMap(({ in_msg: message }): ReadonlyArray<OutgoingMessage> => {
    if (message == null || message.source === null || message.source === holder) return []
    return [{ message, transfer: { from: message.source, to: holder, amount: message.value } }]
  }),
  went: transactions.flatMap(({ out_msgs }) =>
    out_msgs.flatMap(
      (message): ReadonlyArray<OutgoingMessage> =>
        message.destination === null
          ? []
          : [{ message, transfer: { from: holder, to: message.destination, amount: message.value } }]
    )
  )
})

/** Removes and returns the first matching element. */
const take = <A>(list: Array<A>, which: (item: A) => boolean): A | undefined => {
  const index = list.findIndex(which)
  return index < 0 ? undefined : list.splice(index, 1)[0]
}

/**
 * A bounced message returns the coins to its sender: neither of the two messages is a payment, and the difference is a
 * fee. Where the holder bounces it, the retained difference pays the holder's own fees.
 */
const takeBounced = (came: Array<OutgoingMessage>, went: Array<OutgoingMessage>) => {
  const transfers: Array<Transfer> = []
  let lost = 0n
  for (const back of came.filter(({ message }) => message.bounced === true)) {
    const sent = take(
      went,
      ({ message }) => message.destination === back.message.source && message.value >= back.message.value
    )
    if (sent === undefined) continue
    take(came, (outgoingMessage) => outgoingMessage === back)
    lost += sent.message.value - back.message.value
    transfers.push(sent.transfer)
  }
  for (const back of went.filter(({ message }) => message.bounced === true)) {
    const got = take(came, ({ message }) => message.source === back.message.destination)
    if (got === undefined) continue
    take(went, (outgoingMessage) => outgoingMessage === back)
    lost -= got.message.value - back.message.value
    transfers.push(got.transfer)
  }
  return { transfers, lost }
}

/**
 * Coins sent along with a jetton transfer are gas, not a payment: what is returned reduces the fee. Coins that the
 * transfer itself forwards go from the sender of the jettons to their recipient.
 */
const takeGas = (
  holder: string,
  came: Array<OutgoingMessage>,
  went: Array<OutgoingMessage>,
  jettons: ReadonlyArray<JettonTransfer>
): Gas => {
  const wallets = new Set(jettons.flatMap(({ source, source_wallet }) => (source === holder ? [source_wallet] : [])))
  const paid = went.filter(({ message }) => message.opcode === jettonTransfer || wallets.has(message.destination))
  for (const outgoingMessage of paid) take(went, (other) => other === outgoingMessage)
  const requested = paid.filter(({ message }) => message.opcode === jettonTransfer)
  let retained = paid.reduce((sum, { message }) => sum + message.value, 0n)
  const back = paid.length === 0 ? [] : came.filter(({ message }) => message.opcode === excesses)
  for (const excess of back) take(came, (other) => other === excess)
  retained -= back.reduce((sum, { message }) => sum + message.value, 0n)
  const forwarded: Array<Transfer> = []
  for (const { destination, forward_ton_amount, source, transaction_aborted } of jettons) {
    if (transaction_aborted || source == null || destination == null) continue
    if (source === holder) {
      const amount = forward_ton_amount < retained ? forward_ton_amount : retained > 0n ? retained : 0n
      // To the holder itself it arrives as a message, which is already counted.
      if (destination !== holder) forwarded.push({ from: source, to: destination, amount })
      retained -= amount
    } else {
      const notice = take(came, ({ message }) => message.opcode === jettonNotification)
      if (notice !== undefined) forwarded.push({ from: source, to: holder, amount: notice.message.value })
    }
  }
  return {
    retained,
    forwarded,
    back: back.map(({ transfer }) => transfer),
    transfers: paid.map(({ transfer }) => ({ ...transfer, amount: 0n })),
    unknown: requested.length > jettons.filter(({ source }) => source === holder).length
  }
}

interface Gas {
  /** What was neither returned nor forwarded; negative if more was returned. */
  readonly retained: bigint
  readonly forwarded: ReadonlyArray<Transfer>
  readonly back: ReadonlyArray<Transfer>
  readonly transfers: ReadonlyArray<Transfer>
  /** Gas was sent for more jetton transfers than are listed. */
  readonly unknown: boolean
}

/** What is returned beyond the amount sent counts as received. */
const surplusOf = (holder: string, { back, retained }: Gas): ReadonlyArray<Transfer> => {
  const from = back.at(-1)?.from
  return retained >= 0n ? [] : [{ ...(from === undefined ? {} : { from }), to: holder, amount: -retained }]
}

const jettonMovement = ({ amount, destination, jetton_master, source }: JettonTransfer): Transfer => ({
  ...(source == null ? {} : { from: source }),
  ...(destination == null ? {} : { to: destination }),
  amount,
  token: jetton_master ?? "Unknown"
})

/**
 * Failed means that nothing moved although something should have: everything bounced, the jetton transfers were
 * aborted, or the wallet could not send. A recipient's aborted transaction keeps the coins unless they bounce, and is
 * not a failure.
 */
const isFailed = (
  transactions: ReadonlyArray<Wire>,
  jettons: ReadonlyArray<JettonTransfer>,
  undone: { readonly transfers: ReadonlyArray<Transfer> }
): boolean =>
  undone.transfers.length > 0 ||
  jettons.some((jetton) => jetton.transaction_aborted) ||
  transactions.some(
    ({ description, in_msg, out_msgs }) =>
      in_msg?.source === null &&
      out_msgs.length === 0 &&
      (description.aborted === true ||
        description.action?.success === false ||
        (description.action?.skipped_actions ?? 0) > 0)
  )

/** Unknown if coins went to a jetton wallet and the result of the transfer is not listed. */
const statusOf = (transactions: ReadonlyArray<Wire>, failed: boolean, unknown: boolean): Status => {
  if (transactions.some(({ emulated }) => emulated === true)) return "Pending"
  return failed ? "Failed" : unknown ? "Unknown" : "Success"
}

/** What the holder signed is a Send, even if something is returned; ticks of system contracts have TON's type name. */
const typeOf = (
  holder: string,
  started: boolean,
  transfers: ReadonlyArray<Transfer>,
  transactions: ReadonlyArray<Wire>
): string => {
  if (started || transfers.some(({ from }) => from === holder)) return "Send"
  const system = transactions.find(({ description }) => description.type !== "ord")
  return transfers.length === 0 && system !== undefined ? system.description.type : "Receive"
}
