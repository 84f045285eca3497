import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { ledger } from "../world/ledger.ts"
import * as World from "../world/World.ts"
import * as TonCells from "./TonCells.ts"
import { transactions } from "./TonHistory.ts"
import * as TonMessages from "./TonMessages.ts"

/** A message of a transaction, raw addresses in lower case. */
export interface WalletMessage {
  readonly source: string
  readonly destination: string
  readonly value: bigint
  readonly forwarding: bigint
  readonly body: TonCells.Cell
}

/** A transaction of an account. */
export interface WalletRow {
  readonly lt: number
  /** UNIX seconds. */
  readonly at: number
  /** base64 */
  readonly hash: string
  readonly fee: bigint
  readonly received: WalletMessage
  readonly sent: ReadonlyArray<WalletMessage>
  readonly data: TonCells.Cell
}

interface SentMessage {
  readonly message: TonMessages.External
  readonly order: TonMessages.Order
  /** The masterchain block that contains it. */
  readonly block: number
}

interface Wallet {
  /** The messages before those in `sent`. */
  base: number
  readonly sent: Array<SentMessage>
  /** Available once a message contained the wallet's code and data. */
  publicKey: bigint | undefined
}

/** The start of the masterchain, and the time between blocks; ms. */
const genesis = 1_573_822_800_000
const period = 1_000

export const blockAt = (now: number): number => Math.floor((now - genesis) / period)
export const timeOf = (block: number): number => Math.floor((genesis + block * period) / 1000)

/** The number of wallets stored; the oldest is evicted. */
const capacity = 10_000

/** Messages of a wallet that are retained, apart from those that wait for a block. */
const maxSent = 1_000

const fee = 3_000_000n

/** In the wording of lite servers, by which clients recognise errors. */
const rejected = (address: string, exitCode: number) => {
  const [, account = ""] = address.split(":")
  return (
    "LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted\n" +
    `Cannot run message on account: inbound external message rejected by transaction ${account.toUpperCase()}:\n` +
    `exitcode=${exitCode}, steps=23, gas_used=0\n`
  )
}

/**
 * The wallets of a simulated chain. Every address with coins is a deployed wallet. A message of its owner is in the
 * next block: its sequence number is used and its transaction is listed, but it moves nothing, so that balances remain
 * those of the world, for all routes alike.
 */
export const wallets = (facts: NetworkFacts) => {
  const known = BoundedMap.make<string, Wallet>({ capacity })

  const walletOf = (address: string): Wallet =>
    known.get(address) ?? {
      base: ledger(facts, address).filter(({ direction }) => direction === "out").length,
      sent: [],
      publicKey: undefined
    }

  const isActive = (address: string) => World.native(facts, address) > 0n

  const done = (address: string, now: number) => walletOf(address).sent.filter(({ block }) => block <= blockAt(now))

  const seqno = (address: string, now: number): number => walletOf(address).base + done(address, now).length

  const send = (boc: string, now: number): Either.Either<TonMessages.External, string> => {
    const root = TonCells.fromBoc(boc)
    if (root._tag === "None") return Either.left("LITE_SERVER_UNKNOWN: cannot deserialize bag of cells")
    const message = TonMessages.external(root.value)
    if (message === undefined) return Either.left("LITE_SERVER_UNKNOWN: cannot unpack external message")
    const { destination } = message
    const wallet = walletOf(destination)
    const waiting = wallet.sent.filter(({ block }) => block > blockAt(now))
    if (waiting.some((sentMessage) => sentMessage.message.hash.equals(message.hash)))
      return Either.left("LITE_SERVER_UNKNOWN: duplicate message")
    if (!isActive(destination))
      return Either.left(
        "LITE_SERVER_UNKNOWN: cannot apply external message to current state : Failed to unpack account state"
      )
    const order = TonMessages.order(message.body)
    if (order === undefined) return Either.left(rejected(destination, 9))
    if (order.seqno !== wallet.base + wallet.sent.length) return Either.left(rejected(destination, 33))
    if (order.validUntil * 1000 <= now) return Either.left(rejected(destination, 36))
    const publicKey = wallet.publicKey ?? keyOf(message)
    // Without a wallet's data its public key is unknown.
    if (publicKey !== undefined && !TonMessages.isSignedBy(publicKey, order))
      return Either.left(rejected(destination, 35))
    wallet.publicKey = publicKey
    wallet.sent.push({ message, order, block: blockAt(now) + 1 })
    if (wallet.sent.length > maxSent && (wallet.sent[0]?.block ?? 0) <= blockAt(now)) {
      wallet.sent.shift()
      wallet.base++
    }
    known.set(destination, wallet)
    return Either.right(message)
  }

  return {
    isActive,
    seqno,
    send,
    publicKey: (address: string) => walletOf(address).publicKey,
    /** Newest first. */
    rows: (address: string, now: number): ReadonlyArray<WalletRow> => [
      ...done(address, now)
        .map((current) => row(address, current))
        .reverse(),
      ...past(facts, address)
    ],
    /** The transactions in a block. */
    inBlock: (block: number, now: number) =>
      block > blockAt(now)
        ? []
        : known
            .entries()
            .flatMap(([account, { sent }]) =>
              sent
                .filter((transaction) => transaction.block === block)
                .map((transaction) => ({ account, ...row(account, transaction) }))
            )
  }
}

/** From the wallet's data, if they belong to this address. */
const keyOf = ({ destination, init }: TonMessages.External): bigint | undefined => {
  const data = init?.refs[1]
  if (init === undefined || data === undefined || !destination.endsWith(TonCells.hash(init).toString("hex")))
    return undefined
  // Version 5 has a bit before its sequence number.
  const from = data.bits.length === 322 ? 65 : 64
  return data.bits.length < from + 256 ? undefined : BigInt(`0b${data.bits.slice(from, from + 256)}`)
}

const row = (account: string, { block, message, order }: SentMessage): WalletRow => {
  const [at, lt] = [timeOf(block), timeOf(block) * 100_000 + 1]
  const sent = order.messages.flatMap((cell) => {
    const read = TonMessages.internal(account, cell)
    return read === undefined ? [] : [{ ...read, forwarding: fee / 10n }]
  })
  const data = TonMessages.transaction({
    account,
    lt,
    at,
    fee,
    received: TonMessages.incoming(account, message.body),
    sent: sent.map((sentMessage, index) => TonMessages.between(sentMessage, lt + 1 + index, at))
  })
  const received = { source: "", destination: account, value: 0n, forwarding: 0n, body: message.body }
  return { lt, at, fee, hash: TonCells.hash(data).toString("base64"), received, sent, data }
}

/** The hashes are those of the history, not the hashes of these cells. */
const past = (facts: NetworkFacts, account: string): ReadonlyArray<WalletRow> =>
  transactions(facts, [account], new URLSearchParams({ limit: "1000" })).transactions.map((transaction) => {
    const [lt, at] = [Number(transaction.lt), transaction.now]
    const messageRow = (message: typeof transaction.in_msg) => ({
      source: (message.source ?? "").toLowerCase(),
      destination: message.destination.toLowerCase(),
      value: BigInt(message.value ?? 0),
      forwarding: BigInt(message.fwd_fee ?? 0),
      bounced: message.bounced ?? false,
      body: TonMessages.nothing
    })
    const [received, sent] = [messageRow(transaction.in_msg), transaction.out_msgs.map(messageRow)]
    const data = TonMessages.transaction({
      account,
      lt,
      at,
      fee: BigInt(transaction.total_fees),
      received:
        received.source === ""
          ? TonMessages.incoming(account, TonMessages.nothing)
          : TonMessages.between(received, lt - 1, at),
      sent: sent.map((message, index) => TonMessages.between(message, lt + 1 + index, at))
    })
    return { lt, at, hash: transaction.hash, fee: BigInt(transaction.total_fees), received, sent, data }
  })

export type Wallets = ReturnType<typeof wallets>
