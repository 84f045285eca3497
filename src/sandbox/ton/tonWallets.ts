import { Address, Cell, type Message } from "@ton/core"
import { signVerify } from "@ton/crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { type Remembered, remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import * as WorldState from "../world/WorldState.ts"
import { blockTime, jettonWallet, masters, transactions } from "./TonHistory.ts"
import * as TonMessages from "./TonMessages.ts"
import type { TonExternal, TonWireMessage, TonWireTransaction } from "./tonRows.ts"

/** Converts an address in any format, including the test network's, to the raw form; undefined if it is invalid. */
export const raw = (text: unknown): string | undefined => Option.getOrUndefined(readAddress(String(text)))

const readAddress = Option.liftThrowable((text: string) => Address.parse(text).toRawString())

/** A transaction of an account. */
export interface WalletRow {
  readonly lt: number
  /** UNIX seconds. */
  readonly at: number
  /** Base64. */
  readonly hash: string
  readonly fee: bigint
  readonly received: Message
  readonly sent: ReadonlyArray<Message>
  readonly data: Cell
}

interface SentMessage extends Submit.SignedEvent {
  readonly message: TonMessages.External
  readonly order: TonMessages.Order
  readonly publicKey: Buffer | undefined
}

const fee = 3_000_000n

/** Error in the wording of lite servers, because clients recognise errors by it. */
const rejected = (address: string, exitCode: number) => {
  const [, account = ""] = address.split(":")
  return (
    "LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted\n" +
    `Cannot run message on account: inbound external message rejected by transaction ${account.toUpperCase()}:\n` +
    `exitcode=${exitCode}, steps=23, gas_used=0\n`
  )
}

const failed = (words: string) => Either.left(`LITE_SERVER_UNKNOWN: ${words}`)

/** Operation code of a jetton transfer (TEP-74). */
const jettonTransfer = 0x0f8a7ea5

/** Movement by a wallet's message: jettons if it is a transfer order to the wallet's jetton wallet, else TON. */
const movementOf = (facts: NetworkFacts, from: string, { body, destination, value }: TonMessages.OrderedMessage) => {
  const contract = masters(facts).find(({ master }) => destination === jettonWallet(from, master))?.contract
  const jettons = contract === undefined ? undefined : Option.getOrUndefined(readTransfer(body))
  return contract === undefined || jettons === undefined
    ? { from, to: destination, amount: value }
    : { from, ...jettons, contract }
}

const readTransfer = Option.liftThrowable((body: Cell) => {
  const from = body.beginParse()
  if (from.loadUint(32) !== jettonTransfer) throw new RangeError("not a jetton transfer")
  return { amount: from.skip(64).loadCoins(), to: from.loadAddress().toRawString() }
})

const codecOf = (facts: World.InWorld<NetworkFacts>, publicKeys: Remembered<Buffer>) => ({
  decode: (boc: string): Either.Either<SentMessage, string> => {
    const root = Option.getOrUndefined(TonMessages.fromBoc(boc))
    if (root === undefined) return failed("cannot deserialize bag of cells")
    const message = Option.getOrUndefined(TonMessages.external(root))
    if (message === undefined) return failed("cannot unpack external message")
    const { body, destination: from, normalized } = message
    if (World.native(facts, from) === 0n)
      return failed("cannot apply external message to current state : Failed to unpack account state")
    const order = Option.getOrUndefined(TonMessages.order(body))
    if (order === undefined) return Either.left(rejected(from, 9))
    const publicKey = publicKeys.get(from) ?? message.publicKey
    // An unknown public key skips the check: the wallet's data was never sent.
    if (publicKey !== undefined && !signVerify(order.signed, order.signature, publicKey))
      return Either.left(rejected(from, 35))
    const [first = { from, amount: 0n }, ...extra] = order.messages.map((sent) => movementOf(facts, from, sent))
    const times = { sequence: order.seqno, validUntil: order.validUntil * 1000 - 1 }
    const id = normalized.toString("hex")
    const details: TonExternal = {
      hash: message.hash.toString("base64"),
      normalized: normalized.toString("base64"),
      bodyHash: body.hash().toString("base64"),
      body: TonMessages.toBoc(body)
    }
    return Either.right({ message, order, publicKey, id, details, ...first, extra, fee, ...times })
  },
  refusal: (problem: Submit.Problem, { from = "" }: SentMessage): string =>
    problem === "pending" ? "LITE_SERVER_UNKNOWN: duplicate message" : rejected(from, problem === "expired" ? 36 : 33),
  /** Marks the transaction as failed if the balance is too low; it then only costs the fee. */
  check: (sent: SentMessage): Either.Either<SentMessage, string> => {
    const { contract, from = "", publicKey } = sent
    if (publicKey !== undefined) publicKeys.set(from, publicKey)
    const moved = WorldState.movementsOf(sent)
    const isShort = [undefined, contract].some(
      (asset) =>
        moved.reduce((sum, part) => (part.contract === asset ? sum + part.amount : sum), 0n) >
        Submit.available(facts, from, asset)
    )
    return Either.right({ ...sent, failed: isShort })
  },
  nextBlock: (now: number) => now + blockTime
})

/** Wallets of a simulated chain. Every address with coins is a deployed wallet. */
export const wallets = (facts: NetworkFacts) => {
  const publicKeys = remembered<Buffer>()
  const codec = codecOf(facts, publicKeys)
  const { enter, find } = Submit.mempool<SentMessage, string>(facts, codec)
  const rowOf = (transaction: TonWireTransaction) =>
    row(transaction, find(Buffer.from(transaction.trace_id, "base64").toString("hex"))?.signed)
  return {
    isActive: (address: string) => World.native(facts, address) > 0n,
    seqno: (address: string) => Submit.sequenceOf(facts, address),
    send: (boc: string, now: number): Either.Either<TonMessages.External, string> =>
      Either.map(
        Either.flatMap(codec.decode(boc), (decoded) => enter(decoded, now)),
        ({ message }) => message
      ),
    publicKey: (address: string) => publicKeys.get(address),
    /** Sender of a sent message, by its normalised hash in hexadecimal digits. */
    senderOf: (hash: string) => find(hash)?.signed.from,
    /** Transactions of an account, newest first. */
    rows: (address: string, limit = 1_000): ReadonlyArray<WalletRow> =>
      transactions(facts, [address], new URLSearchParams({ limit: String(limit) })).transactions.map(rowOf),
    /** Cell of a transaction. */
    cellOf: (transaction: TonWireTransaction): Cell => rowOf(transaction).data
  }
}

/** A past transaction keeps the history's hash, which is not its cell's. A sent transaction has its real messages. */
const row = (listed: TonWireTransaction, own: SentMessage | undefined): WalletRow => {
  const account = listed.account.toLowerCase()
  const [lt, at, fees] = [Number(listed.lt), listed.now, BigInt(listed.total_fees)]
  const ordered = own?.order.messages ?? []
  const isFirst = listed.in_msg?.source === null
  const messageOf = (shown: TonWireMessage, step: number): Message => {
    const { bounced, fwd_fee, source, value } = shown
    const destination = shown.destination.toLowerCase()
    const body =
      ordered.find((sent) => sent.destination === destination)?.body ?? Cell.fromBase64(shown.message_content.body)
    if (source === null) return TonMessages.incoming(destination, own?.message.body ?? body)
    const sent = { destination, value: BigInt(value ?? 0), body }
    return TonMessages.between(sent, source, BigInt(fwd_fee ?? 0), bounced ?? false, [BigInt(lt + step), at])
  }
  const received = listed.in_msg === null ? TonMessages.incoming(account, Cell.EMPTY) : messageOf(listed.in_msg, -1)
  const sent =
    isFirst && own?.from === account && listed.out_msgs.length > 0
      ? ordered.map((message, index) =>
          TonMessages.between(message, account, fee / 10n, false, [BigInt(lt + 1 + index), at])
        )
      : listed.out_msgs.map((message, index) => messageOf(message, 1 + index))
  const data = TonMessages.transaction({ account, lt: BigInt(lt), at, fee: fees, received, sent })
  const hash = own === undefined ? listed.hash : data.hash().toString("base64")
  return { lt, at, hash, fee: fees, received, sent, data }
}

export type Wallets = ReturnType<typeof wallets>
