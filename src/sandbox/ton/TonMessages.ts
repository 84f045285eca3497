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

// Messages and transactions, and the bodies of wallets v3, v4 and v5. Addresses are raw.

/** The root of a bag of cells in base64; none if it is invalid. */
export const fromBoc = Option.liftThrowable((text: string): Cell => Cell.fromBase64(text))

/** A bag without a checksum, base64. */
export const toBoc = (cell: Cell): string => cell.toBoc({ crc32: false }).toString("base64")

/** An external message to a contract. */
export interface External {
  readonly destination: string
  /** From the state of a wallet, if it has the address of the contract. */
  readonly publicKey: Buffer | undefined
  readonly body: Cell
  /** The hash of the message itself, and the normalised hash, which all equal messages share (TEP-467). */
  readonly hash: Buffer
  readonly normalized: Buffer
}

const cellOf = (message: Message): Cell =>
  beginCell()
    .store(storeMessage(message, { forceRef: true }))
    .endCell()

export const external = Option.liftThrowable((root: Cell): External => {
  const { body, info, init } = loadMessage(root.beginParse())
  if (info.type !== "external-in") throw new RangeError("not a message from outside")
  const destination = info.dest.toRawString()
  const data = init?.data?.beginParse()
  const isOwn = init && contractAddress(info.dest.workChain, init).equals(info.dest)
  // Version 5 has a bit before its sequence number.
  const publicKey = isOwn ? data?.skip(data.remainingBits === 322 ? 65 : 64).loadBuffer(32) : undefined
  const normalized = cellOf(incoming(destination, body)).hash()
  return { destination, publicKey, body, hash: root.hash(), normalized }
})

/** A message that a wallet sends. */
export interface OrderedMessage {
  readonly destination: string
  readonly value: bigint
  readonly body: Cell
}

/** The order that the owner of a wallet signed. */
export interface Order {
  readonly validUntil: number
  readonly seqno: number
  readonly messages: ReadonlyArray<OrderedMessage>
  readonly signature: Buffer
  readonly signed: Buffer
}

/** Version 5 begins with an operation code and ends with the signature; other versions begin with the signature. */
const opened = 0x7369676e

export const order = Option.liftThrowable((body: Cell): Order => {
  const reader = body.beginParse()
  const isNewest = reader.preloadUint(32) === opened
  const length = reader.remainingBits - 512
  const before = isNewest ? reader.loadBits(length) : undefined
  const signature = reader.loadBuffer(64)
  const signed = new Cell({ bits: before ?? reader.loadBits(length), refs: body.refs })
  // An operation code, and the id of the wallet.
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

/** The action list of a version 5 contract, last action first: the message of each. */
const actions = ({ refs: [before, message] }: Cell): ReadonlyArray<Cell> =>
  before === undefined || message === undefined ? [] : [...actions(before), message]

const ordered = Option.liftThrowable((message: Cell): OrderedMessage => {
  const { body, info } = loadMessageRelaxed(message.beginParse())
  if (info.type !== "internal") throw new RangeError("not a message to a contract")
  return { destination: info.dest.toRawString(), value: info.value.coins, body }
})

/** A message from outside. */
export const incoming = (destination: string, body: Cell): Message => ({
  info: { type: "external-in", dest: Address.parse(destination), importFee: 0n },
  body
})

/** A message between contracts. */
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
