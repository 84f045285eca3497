import { numbered, type Status, type Transaction } from "../../domain/Transaction.ts"
import { least, numberOf } from "../../domain/units.ts"
import type { Group } from "../kit/history/mergePaged.ts"
import { paidOf, parties, type Transfer } from "../kit/history/parties.ts"
import type { JettonTransfer, ToncenterMessage, ToncenterTransaction as Wire } from "./providers/toncenter/listRows.ts"
import type { ToncenterRow } from "./providers/toncenter/ToncenterHistory.ts"

// A transfer is a chain of messages, which TON Center calls a trace. This service returns a trace as one transaction
// with the hash of the trace's first transaction, so that sender and recipient see the same hash.

/** Operation codes of messages between jetton wallets and their owners (TEP-74). */
const jettonTransfer = "0x0f8a7ea5"
const jettonNotification = "0x7362d09c"
const excesses = "0xd53276db"

interface InternalMessage {
  readonly message: ToncenterMessage
  readonly transfer: Transfer
}

/**
 * Maps a trace from the holder's perspective, using the holder's transactions and jetton transfers in it. The fee is
 * the sum of the holder's transaction fees, the forwarding fees of its messages, and the coins that jetton wallets
 * retain from a transfer. The fee is unknown without the list of transactions, and if coins were sent with a jetton
 * transfer that is not listed, because they may be returned.
 */
export const toTransaction =
  (holder: string, hasFees: boolean) =>
  ({ key, rows }: Group<ToncenterRow>): Transaction => {
    const transactions = rows.flatMap((row) => ("transaction" in row ? [row.transaction] : []))
    const jettons = rows.flatMap((row) => ("transfer" in row ? [row.transfer] : []))
    const { incoming, outgoing } = messages(holder, transactions)
    const bounced = takeBounced(incoming, outgoing)
    const gas = takeGas(holder, incoming, outgoing, jettons)
    const native = [...incoming, ...outgoing].map(({ transfer }) => transfer)
    const surplus = surplusOf(holder, gas)
    const forwarded = gas.forwarded.filter(({ amount }) => amount > 0n)
    const moved = jettons.filter((jetton) => !jetton.transaction_aborted).map(jettonMovement)
    const transfers = [...native, ...surplus, ...forwarded, ...moved]
    const nothingMoved = !transfers.some(({ amount }) => amount > 0n)
    const failed = nothingMoved && isFailed(transactions, jettons, bounced)
    const shown = nothingMoved
      ? [...bounced.transfers, ...gas.transfers, ...jettons.map(jettonMovement), ...transfers]
      : transfers
    const own = transactions.reduce((sum, transaction) => sum + feesOf(transaction), 0n)
    const fee = own + bounced.lost + (gas.retained > 0n ? gas.retained : 0n)
    const started = transactions.some(({ in_msg }) => in_msg != null && in_msg.source === null)
    const involved = shown.length > 0 ? shown : [{ from: holder, amount: 0n }]
    // A negative fee means that the holder retained coins for another reason.
    const certain = !hasFees || gas.unknown || fee < 0n ? null : fee
    const sides = parties(involved, !failed)
    return {
      hash: key,
      type: typeOf(holder, started, shown, transactions),
      fee: certain,
      // Every account pays its own fees.
      ...paidOf(holder, { fee: certain, from: sides.from }, certain),
      status: statusOf(transactions, failed, nothingMoved && gas.unknown),
      timestamp: least(...rows.map(({ at }) => at)),
      ...numbered({ block: numberOf(least(...transactions.flatMap(({ mc_block_seqno }) => mc_block_seqno ?? []))) }),
      order: Math.min(...rows.map(({ order }) => order)),
      ...sides
    }
  }

/** The fees of a transaction, plus the forwarding fees of its messages, which `total_fees` does not include. */
const feesOf = ({ out_msgs, total_fees }: Wire) =>
  out_msgs.reduce((sum, { fwd_fee, ihr_fee }) => sum + fwd_fee + ihr_fee, total_fees)

/** The holder's internal messages. A message to the holder itself counts as sent; external messages carry no coins. */
const messages = (holder: string, transactions: ReadonlyArray<Wire>) => ({
  incoming: transactions.flatMap(({ in_msg: message }): ReadonlyArray<InternalMessage> => {
    if (message == null || message.source === null || message.source === holder) return []
    return [{ message, transfer: { from: message.source, to: holder, amount: message.value } }]
  }),
  outgoing: transactions.flatMap(({ out_msgs }) =>
    out_msgs.flatMap(
      (message): ReadonlyArray<InternalMessage> =>
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
 * Removes each bounced message and the message whose coins it returns: neither is a payment, and the difference is a
 * fee. If the holder bounced the message, the difference that it retained pays its own fees.
 */
const takeBounced = (incoming: Array<InternalMessage>, outgoing: Array<InternalMessage>) => {
  const transfers: Array<Transfer> = []
  let lost = 0n
  for (const back of incoming.filter(({ message }) => message.bounced === true)) {
    const sent = take(
      outgoing,
      ({ message }) => message.destination === back.message.source && message.value >= back.message.value
    )
    if (sent === undefined) continue
    take(incoming, (outgoingMessage) => outgoingMessage === back)
    lost += sent.message.value - back.message.value
    transfers.push(sent.transfer)
  }
  for (const back of outgoing.filter(({ message }) => message.bounced === true)) {
    const got = take(incoming, ({ message }) => message.source === back.message.destination)
    if (got === undefined) continue
    take(outgoing, (outgoingMessage) => outgoingMessage === back)
    lost -= got.message.value - back.message.value
    transfers.push(got.transfer)
  }
  return { transfers, lost }
}

/**
 * Removes the coins that are sent with jetton transfers: they are gas, not a payment, and returned coins reduce the
 * fee. Coins that a transfer forwards are a payment from the sender of the jettons to the recipient.
 */
const takeGas = (
  holder: string,
  incoming: Array<InternalMessage>,
  outgoing: Array<InternalMessage>,
  jettons: ReadonlyArray<JettonTransfer>
): Gas => {
  const wallets = new Set(jettons.flatMap(({ source, source_wallet }) => (source === holder ? [source_wallet] : [])))
  const paid = outgoing.filter(({ message }) => message.opcode === jettonTransfer || wallets.has(message.destination))
  for (const outgoingMessage of paid) take(outgoing, (other) => other === outgoingMessage)
  const requested = paid.filter(({ message }) => message.opcode === jettonTransfer)
  let retained = paid.reduce((sum, { message }) => sum + message.value, 0n)
  const back = paid.length === 0 ? [] : incoming.filter(({ message }) => message.opcode === excesses)
  for (const excess of back) take(incoming, (other) => other === excess)
  retained -= back.reduce((sum, { message }) => sum + message.value, 0n)
  const forwarded: Array<Transfer> = []
  for (const { destination, forward_ton_amount, source, transaction_aborted } of jettons) {
    if (transaction_aborted || source == null || destination == null) continue
    if (source === holder) {
      const amount = forward_ton_amount < retained ? forward_ton_amount : retained > 0n ? retained : 0n
      // If the holder is the recipient, the coins arrive as a message, which is already counted.
      if (destination !== holder) forwarded.push({ from: source, to: destination, amount })
      retained -= amount
    } else {
      const notice = take(incoming, ({ message }) => message.opcode === jettonNotification)
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
  /** Coins that were neither returned nor forwarded; negative if more coins were returned than sent. */
  readonly retained: bigint
  readonly forwarded: ReadonlyArray<Transfer>
  readonly back: ReadonlyArray<Transfer>
  readonly transfers: ReadonlyArray<Transfer>
  /** True if gas was sent for more jetton transfers than are listed. */
  readonly unknown: boolean
}

/** Coins returned beyond the amount sent count as received. */
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
 * True if a message bounced, a jetton transfer was aborted, or the wallet could not send; called only if no coins or
 * jettons moved. A recipient's aborted transaction is not a failure: the recipient keeps the coins unless they bounce.
 */
const isFailed = (
  transactions: ReadonlyArray<Wire>,
  jettons: ReadonlyArray<JettonTransfer>,
  bounced: { readonly transfers: ReadonlyArray<Transfer> }
): boolean =>
  bounced.transfers.length > 0 ||
  jettons.some((jetton) => jetton.transaction_aborted) ||
  transactions.some(
    (transaction) =>
      transaction.in_msg?.source === null && transaction.out_msgs.length === 0 && hasNoEffect(transaction)
  )

/** The parts of a transaction that decide whether it had an effect. */
interface TonOutcome {
  readonly description: {
    readonly aborted?: boolean | null | undefined
    readonly action?:
      | { readonly success?: boolean | null | undefined; readonly skipped_actions?: number | null | undefined }
      | null
      | undefined
  }
  readonly out_msgs?: ReadonlyArray<unknown> | null | undefined
}

/**
 * True if a transaction only paid its fee: it was aborted, its actions failed, or it skipped the messages that it could
 * not pay for and sent no others. Wallets set the flag that skips them.
 */
export const hasNoEffect = ({ description: { aborted, action }, out_msgs }: TonOutcome): boolean =>
  aborted === true || action?.success === false || ((action?.skipped_actions ?? 0) > 0 && (out_msgs ?? []).length === 0)

/** Unknown if coins went to a jetton wallet and the result of the transfer is not listed. */
const statusOf = (transactions: ReadonlyArray<Wire>, failed: boolean, unknown: boolean): Status => {
  if (transactions.some(({ emulated }) => emulated === true)) return "Pending"
  return failed ? "Failed" : unknown ? "Unknown" : "Success"
}

/** A trace that the holder signed is a Send, even if coins return; ticks of system contracts have TON's type name. */
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
