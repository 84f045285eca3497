import * as Option from "effect/Option"
import * as Ed25519 from "../world/Ed25519.ts"
import * as TonCells from "./TonCells.ts"

// Messages and transactions (block.tlb), and the bodies of wallets v3, v4 and v5.

/** An external message to a contract. */
export interface External {
  readonly destination: string
  readonly init: TonCells.Cell | undefined
  readonly body: TonCells.Cell
  /** The hash of the message itself, and the normalised hash, which all equal messages share (TEP-467). */
  readonly hash: Buffer
  readonly normalized: Buffer
}

/** A message between contracts. */
export interface InternalMessage {
  readonly source: string
  readonly destination: string
  readonly value: bigint
  readonly forwarding: bigint
  readonly bounced: boolean
  readonly body: TonCells.Cell
}

/** The order that the owner of a wallet signed. */
export interface Order {
  readonly walletId: bigint
  readonly validUntil: number
  readonly seqno: number
  readonly messages: ReadonlyArray<TonCells.Cell>
  readonly signature: Uint8Array
  readonly signed: Buffer
}

/** An empty body. */
export const nothing = TonCells.cell("")

const stateInit = (from: ReturnType<typeof TonCells.slice>): TonCells.Cell => {
  let bits = ""
  const copy = (length: number) => {
    const taken = from.take(length)
    bits += taken
    return taken
  }
  if (copy(1) === "1") copy(5)
  if (copy(1) === "1") copy(2)
  const refs = [1, 2, 3].flatMap(() => (copy(1) === "1" ? [from.ref()] : []))
  return TonCells.cell(bits, ...refs)
}

export const external = (root: TonCells.Cell): External | undefined => Option.getOrUndefined(readExternal(root))

const readExternal = Option.liftThrowable((root: TonCells.Cell): External => {
  const from = TonCells.slice(root)
  if (from.take(2) !== "10") throw new RangeError("not a message from outside")
  if (from.take(2) === "01") from.take(Number(from.number(9)))
  const destination = from.address()
  if (destination === undefined) throw new RangeError("no destination")
  from.coins()
  const init = from.is() ? (from.is() ? from.ref() : stateInit(from)) : undefined
  const body = from.is() ? from.ref() : from.rest()
  const normalized = TonCells.hash(incoming(destination, body))
  return { destination, init, body, hash: TonCells.hash(root), normalized }
})

/** Version 5 begins with an operation code and ends with the signature; other versions begin with the signature. */
const opened = 0x7369676en

export const order = (body: TonCells.Cell): Order | undefined => Option.getOrUndefined(readOrder(body))

const readOrder = Option.liftThrowable(({ bits, refs }: TonCells.Cell): Order => {
  const isNewest = TonCells.slice({ bits, refs }).number(32) === opened
  const [signature, signed] = isNewest
    ? [bits.slice(-512), TonCells.cell(bits.slice(0, -512), ...refs)]
    : [bits.slice(0, 512), TonCells.cell(bits.slice(512), ...refs)]
  const from = TonCells.slice(signed)
  if (isNewest) from.take(32)
  const [walletId, validUntil, seqno] = [from.number(32), Number(from.number(32)), Number(from.number(32))]
  return {
    walletId,
    validUntil,
    seqno,
    messages: isNewest ? (from.is() ? actions(from.ref()) : []) : refs,
    signature: Buffer.from(BigInt(`0b${signature}`).toString(16).padStart(128, "0"), "hex"),
    signed: TonCells.hash(signed)
  }
})

/** The action list of a version 5 contract, last action first: the message of each. */
const actions = ({ refs: [before, message] }: TonCells.Cell): ReadonlyArray<TonCells.Cell> =>
  before === undefined || message === undefined ? [] : [...actions(before), message]

/** A message that a wallet sends; undefined if it is invalid. */
export const internal = (source: string, root: TonCells.Cell): InternalMessage | undefined =>
  Option.getOrUndefined(readInternal(source, root))

const readInternal = Option.liftThrowable((source: string, root: TonCells.Cell): InternalMessage => {
  const from = TonCells.slice(root)
  if (from.is()) throw new RangeError("not a message to a contract")
  from.take(3)
  from.address()
  const destination = from.address()
  if (destination === undefined) throw new RangeError("no destination")
  const value = from.coins()
  if (from.is()) from.ref()
  from.coins()
  const forwarding = from.coins()
  from.take(96)
  if (from.is()) {
    if (from.is()) from.ref()
    else stateInit(from)
  }
  return { source, destination, value, forwarding, bounced: false, body: from.is() ? from.ref() : from.rest() }
})

export const isSignedBy = (publicKey: bigint, { signature, signed }: Order): boolean =>
  Ed25519.isSigned(Buffer.from(publicKey.toString(16).padStart(64, "0"), "hex"), signed, signature)

export const incoming = (destination: string, body: TonCells.Cell): TonCells.Cell =>
  TonCells.cell(`1000${TonCells.addressBits(destination)}000001`, body)

export const between = (message: InternalMessage, lt: number, at: number): TonCells.Cell =>
  TonCells.cell(
    `011${message.bounced ? "1" : "0"}${TonCells.addressBits(message.source)}${TonCells.addressBits(message.destination)}` +
      `${TonCells.coins(message.value)}0${TonCells.coins(0n)}${TonCells.coins(message.forwarding)}` +
      `${TonCells.uint(lt, 64)}${TonCells.uint(at, 32)}01`,
    message.body
  )

/** An ordinary transaction of an active account. */
export const transaction = (parts: {
  readonly account: string
  readonly lt: number
  readonly at: number
  readonly fee: bigint
  readonly received: TonCells.Cell
  readonly sent: ReadonlyArray<TonCells.Cell>
}): TonCells.Cell => {
  const [, account = "0"] = parts.account.split(":")
  const list = TonCells.dictionary(15, parts.sent)
  const messages =
    typeof list === "string" ? TonCells.cell("10", parts.received) : TonCells.cell("11", parts.received, list)
  // Gas used, its limit, no credit, mode, exit code, no argument, steps, and the states before and after.
  const machine = TonCells.cell(
    `000${"000"}0${TonCells.uint(0, 8)}${TonCells.uint(0, 32)}0${TonCells.uint(0, 32)}${"0".repeat(512)}`
  )
  return TonCells.cell(
    `0111${TonCells.uint(BigInt(`0x${account}`), 256)}${TonCells.uint(parts.lt, 64)}${"0".repeat(256 + 64)}` +
      `${TonCells.uint(parts.at, 32)}${TonCells.uint(parts.sent.length, 15)}1010${TonCells.coins(parts.fee)}0`,
    messages,
    TonCells.cell(`01110010${"0".repeat(512)}`),
    TonCells.cell(`0000${"000"}1100${TonCells.coins(0n)}0000`, machine)
  )
}
