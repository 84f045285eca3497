import {
  Address,
  beginCell,
  Cell,
  contractAddress,
  Dictionary,
  type DictionaryValue,
  loadMessage,
  loadMessageRelaxed,
  type Message,
  storeMessage,
  storeTransaction
} from "@ton/core"
import * as Option from "effect/Option"

// Messages, transactions, and message bodies of wallets v3, v4 and v5. Addresses are raw.

/** Decodes the root of a bag of cells in base64; none if it is invalid. */
export const fromBoc = Option.liftThrowable((text: string): Cell => Cell.fromBase64(text))

/** Encodes a bag of cells without a checksum, in base64. */
export const toBoc = (cell: Cell): string => cell.toBoc({ crc32: false }).toString("base64")

/** An external message to a contract. */
export interface External {
  readonly destination: string
  /** Public key in the message's state init; undefined if the state init does not match the address. */
  readonly publicKey: Buffer | undefined
  readonly body: Cell
  /** Hash of the message, and the normalised hash, which equivalent messages share (TEP-467). */
  readonly hash: Buffer
  readonly normalized: Buffer
}

const cellOf = (message: Message): Cell =>
  beginCell()
    .store(storeMessage(message, { forceRef: true }))
    .endCell()

export const external = Option.liftThrowable((root: Cell): External => {
  const { body, info, init } = loadMessage(root.beginParse())
  if (info.type !== "external-in") throw new RangeError("not an external message")
  const destination = info.dest.toRawString()
  const data = init?.data?.beginParse()
  const isOwn = init && contractAddress(info.dest.workChain, init).equals(info.dest)
  // The data of version 5 starts with a flag bit, before the sequence number.
  const publicKey = isOwn ? data?.skip(data.remainingBits === 322 ? 65 : 64).loadBuffer(32) : undefined
  const normalized = cellOf(incoming(destination, body)).hash()
  return { destination, publicKey, body, hash: root.hash(), normalized }
})

/** A message that an order makes the wallet send. */
export interface OrderedMessage {
  readonly destination: string
  readonly value: bigint
  readonly body: Cell
}

/** Body of an external message to a wallet, signed by the owner. */
export interface Order {
  readonly validUntil: number
  readonly seqno: number
  readonly messages: ReadonlyArray<OrderedMessage>
  readonly signature: Buffer
  readonly signed: Buffer
}

/** Operation code at the start of version 5 bodies, which end with the signature. Other versions start with it. */
const opened = 0x7369676e

export const order = Option.liftThrowable((body: Cell): Order => {
  const reader = body.beginParse()
  const isNewest = reader.preloadUint(32) === opened
  const length = reader.remainingBits - 512
  const before = isNewest ? reader.loadBits(length) : undefined
  const signature = reader.loadBuffer(64)
  const signed = new Cell({ bits: before ?? reader.loadBits(length), refs: body.refs })
  // Skips the wallet id, and in version 5 the operation code.
  const from = signed.beginParse().skip(isNewest ? 64 : 32)
  const [validUntil, seqno] = [from.loadUint(32), from.loadUint(32)]
  const messages = isNewest ? (from.loadBit() ? actions(from.loadRef()) : []) : body.refs
  return {
    validUntil,
    seqno,
    messages: messages.flatMap((message) => Option.toArray(ordered(message))),
    signature,
    signed: signed.hash()
  }
})

/** Messages of version 5's action list, which is linked from the last action to the first. */
const actions = ({ refs: [before, message] }: Cell): ReadonlyArray<Cell> =>
  before === undefined || message === undefined ? [] : [...actions(before), message]

const ordered = Option.liftThrowable((message: Cell): OrderedMessage => {
  const { body, info } = loadMessageRelaxed(message.beginParse())
  if (info.type !== "internal") throw new RangeError("not an internal message")
  return { destination: info.dest.toRawString(), value: info.value.coins, body }
})

/** An external message. */
export const incoming = (destination: string, body: Cell): Message => ({
  info: { type: "external-in", dest: Address.parse(destination), importFee: 0n },
  body
})

/** An internal message: from contract to contract. */
export const between = (
  { body, destination, value }: OrderedMessage,
  source: string,
  forwardFee: bigint,
  bounced: boolean,
  [createdLt, createdAt]: readonly [lt: bigint, at: number]
): Message => ({
  info: {
    type: "internal",
    ihrDisabled: true,
    bounce: true,
    bounced,
    src: Address.parse(source),
    dest: Address.parse(destination),
    value: { coins: value },
    ihrFee: 0n,
    forwardFee,
    createdLt,
    createdAt
  },
  body
})

const nothing = Buffer.alloc(32)

const messages: DictionaryValue<Message> = {
  serialize: (message, builder) => builder.storeRef(cellOf(message)),
  parse: (slice) => loadMessage(slice.loadRef().beginParse())
}

/** An ordinary transaction of an active account. */
export const transaction = (parts: {
  readonly account: string
  readonly lt: bigint
  readonly at: number
  readonly fee: bigint
  readonly received: Message
  readonly sent: ReadonlyArray<Message>
}): Cell => {
  const outMessages = Dictionary.empty(Dictionary.Keys.Uint(15), messages)
  for (const [index, message] of parts.sent.entries()) outMessages.set(index, message)
  return beginCell()
    .store(
      storeTransaction({
        address: BigInt(`0x${Address.parse(parts.account).hash.toString("hex")}`),
        lt: parts.lt,
        prevTransactionHash: 0n,
        prevTransactionLt: 0n,
        now: parts.at,
        outMessagesCount: parts.sent.length,
        oldStatus: "active",
        endStatus: "active",
        inMessage: parts.received,
        outMessages,
        totalFees: { coins: parts.fee },
        stateUpdate: { oldHash: nothing, newHash: nothing },
        description: {
          type: "generic",
          creditFirst: false,
          computePhase: {
            type: "vm",
            success: true,
            messageStateUsed: false,
            accountActivated: false,
            gasFees: 0n,
            gasUsed: 0n,
            gasLimit: 0n,
            mode: 0,
            exitCode: 0,
            vmSteps: 0,
            vmInitStateHash: 0n,
            vmFinalStateHash: 0n
          },
          aborted: false,
          destroyed: false
        },
        raw: Cell.EMPTY,
        hash: () => nothing
      })
    )
    .endCell()
}
