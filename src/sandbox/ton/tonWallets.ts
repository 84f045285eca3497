import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import * as WorldState from "../world/WorldState.ts"
import * as TonCells from "./TonCells.ts"
import { transactions } from "./TonHistory.ts"
import * as TonMessages from "./TonMessages.ts"

const testOnly = 0x80

/** The raw form of an address in any spelling, test network included; undefined if it is invalid. */
export const raw = (text: unknown): string | undefined => {
  const known = Either.getOrUndefined(TonAddress.parse(String(text)))
  if (known !== undefined || !/^[\w+/-]{48}$/.test(String(text))) return known
  const bytes = Buffer.from(String(text), "base64")
  const tag = bytes[0] ?? 0
  const account = `${bytes[1] === 0xff ? -1 : 0}:${bytes.toString("hex", 2, 34)}`
  return (tag & testOnly) !== 0 && spelled(account, (tag & 0x40) === 0, true) === bytes.toString("base64url")
    ? account
    : undefined
}

/** A user-friendly form of a raw address, base64url. */
export const spelled = (account: string, bounceable: boolean, forTests = false): string => {
  const bytes = Buffer.from(TonAddress.friendly(account), "base64url")
  bytes[0] = (bounceable ? 0x11 : 0x51) | (forTests ? testOnly : 0)
  bytes.writeUInt16BE(checksum(bytes.subarray(0, 34)), 34)
  return bytes.toString("base64url")
}

/** CRC16-CCITT in the XMODEM variant. */
const checksum = (bytes: Uint8Array): number =>
  bytes.reduce((before, byte) => {
    let crc = before ^ (byte << 8)
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
    return crc
  }, 0)

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

interface SentMessage extends Submit.SignedEvent {
  readonly message: TonMessages.External
  readonly order: TonMessages.Order
  readonly publicKey: bigint | undefined
}

/** The start of the masterchain, and the time between blocks; ms. */
const genesis = 1_573_822_800_000
const period = 1_000

export const blockAt = (now: number): number => Math.floor((now - genesis) / period)
export const timeOf = (block: number): number => Math.floor((genesis + block * period) / 1000)

/** The public keys of wallets that are stored; the oldest is evicted. */
const capacity = 10_000

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

const failed = (words: string) => Either.left(`LITE_SERVER_UNKNOWN: ${words}`)

/** The operation of a jetton wallet that sends jettons (TEP-74). */
const jettonTransfer = 0x0f8a7ea5n

/** What a message of a wallet moves: jettons where it orders its own jetton wallet to, or coins. */
const movementOf = (facts: NetworkFacts, from: string, { body, destination, value }: TonMessages.InternalMessage) => {
  const contract = World.contractsOn(facts.platform).find(
    ({ address }) => destination === `0:${from.slice(-32)}${(raw(address) ?? "").slice(-32)}`
  )
  const jettons = contract === undefined ? undefined : Option.getOrUndefined(readTransfer(body))
  return contract === undefined || jettons === undefined
    ? { from, to: destination, amount: value }
    : { from, ...jettons, contract }
}

const readTransfer = Option.liftThrowable((body: TonCells.Cell) => {
  const from = TonCells.slice(body)
  if (from.number(32) !== jettonTransfer) throw new RangeError("another operation")
  from.take(64)
  const amount = from.coins()
  return { amount, to: from.address() ?? "" }
})

const codecOf = (facts: World.Inhabited<NetworkFacts>, publicKeys: BoundedMap.BoundedMap<string, bigint>) => ({
  decode: (boc: string): Either.Either<SentMessage, string> => {
    const root = TonCells.fromBoc(boc)
    if (root._tag === "None") return failed("cannot deserialize bag of cells")
    const message = TonMessages.external(root.value)
    if (message === undefined) return failed("cannot unpack external message")
    const { body, destination: from, normalized } = message
    if (World.native(facts, from) === 0n)
      return failed("cannot apply external message to current state : Failed to unpack account state")
    const order = TonMessages.order(body)
    if (order === undefined) return Either.left(rejected(from, 9))
    const publicKey = publicKeys.get(from) ?? keyOf(message)
    // Without a wallet's data its public key is unknown.
    if (publicKey !== undefined && !TonMessages.isSignedBy(publicKey, order)) return Either.left(rejected(from, 35))
    const moved = order.messages.flatMap((cell) => {
      const internal = TonMessages.internal(from, cell)
      return internal === undefined ? [] : [movementOf(facts, from, internal)]
    })
    const [first = { from, amount: 0n }, ...also] = moved
    const times = { sequence: order.seqno, validUntil: order.validUntil * 1000 - 1 }
    return Either.right({ message, order, publicKey, id: normalized.toString("hex"), ...first, also, fee, ...times })
  },
  refusal: (problem: Submit.Problem, { from = "", id }: SentMessage): string => {
    const isPending = facts.world?.state.finalSince(facts.id, id) === undefined
    if (problem === "known" && isPending) return "LITE_SERVER_UNKNOWN: duplicate message"
    return rejected(from, problem === "expired" ? 36 : 33)
  },
  /** What a wallet does not have is not sent, for the fee. */
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
  nextBlock: (now: number) => now + period
})

/** The wallets of a simulated chain: every address with coins is a deployed one. */
export const wallets = (facts: NetworkFacts) => {
  const publicKeys = BoundedMap.make<string, bigint>({ capacity })
  const codec = codecOf(facts, publicKeys)
  const { enter, find } = Submit.entries<SentMessage, string>(facts, codec)
  return {
    isActive: (address: string) => World.native(facts, address) > 0n,
    seqno: (address: string) => Submit.sequenceOf(facts, address),
    send: (boc: string, now: number): Either.Either<TonMessages.External, string> =>
      Either.map(
        Either.flatMap(codec.decode(boc), (decoded) => enter(decoded, now)),
        ({ message }) => message
      ),
    publicKey: (address: string) => publicKeys.get(address),
    /** The sender of what is in a block, by its hash in hexadecimal digits. */
    senderOf: (hash: string) => find(hash)?.signed.from,
    /** Newest first. */
    rows: (address: string): ReadonlyArray<WalletRow> =>
      transactions(facts, [address], new URLSearchParams({ limit: "1000" })).transactions.map((transaction) =>
        row(address, transaction, find(Buffer.from(transaction.trace_id, "base64").toString("hex"))?.signed)
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

type ListedTransaction = ReturnType<typeof transactions>["transactions"][number]

/** The hashes of the past are those of the history, not the hashes of these cells; what was sent has its messages. */
const row = (account: string, transaction: ListedTransaction, own: SentMessage | undefined): WalletRow => {
  const [lt, at] = [Number(transaction.lt), transaction.now]
  const messages = (own?.order.messages ?? []).flatMap((cell) => TonMessages.internal(own?.from ?? "", cell) ?? [])
  const messageRow = (message: typeof transaction.in_msg) => {
    const [source, destination] = [(message.source ?? "").toLowerCase(), message.destination.toLowerCase()]
    return {
      source,
      destination,
      value: BigInt(message.value ?? 0),
      forwarding: BigInt(message.fwd_fee ?? 0),
      bounced: message.bounced ?? false,
      body: messages.find((sent) => sent.destination === destination)?.body ?? TonMessages.nothing
    }
  }
  const listed = messageRow(transaction.in_msg)
  const isFirst = listed.source === ""
  const received = isFirst && own !== undefined ? { ...listed, body: own.message.body } : listed
  const isSender = isFirst && own?.from === account && transaction.out_msgs.length > 0
  const sent = isSender
    ? messages.map((message) => ({ ...message, forwarding: fee / 10n }))
    : transaction.out_msgs.map(messageRow)
  const data = TonMessages.transaction({
    account,
    lt,
    at,
    fee: BigInt(transaction.total_fees),
    received: isFirst ? TonMessages.incoming(account, received.body) : TonMessages.between(received, lt - 1, at),
    sent: sent.map((message, index) => TonMessages.between(message, lt + 1 + index, at))
  })
  const hash = own === undefined ? transaction.hash : TonCells.hash(data).toString("base64")
  return { lt, at, hash, fee: BigInt(transaction.total_fees), received, sent, data }
}

export type Wallets = ReturnType<typeof wallets>
