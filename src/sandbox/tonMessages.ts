import { createPublicKey, verify } from "node:crypto"
import * as Option from "effect/Option"
import * as Cells from "./tonCells.ts"

// Messages and transactions (block.tlb), and the bodies of wallets v3, v4 and v5.

/** A message from outside, as it comes to a contract. */
export interface External {
  readonly destination: string
  readonly init: Cells.Cell | undefined
  readonly body: Cells.Cell
  /** What names the message: of itself, and of the form that all equal messages have (TEP-467). */
  readonly hash: Buffer
  readonly normalized: Buffer
}

/** A message from a contract to another. */
export interface Internal {
  readonly source: string
  readonly destination: string
  readonly value: bigint
  readonly forwarding: bigint
  readonly bounced: boolean
  readonly body: Cells.Cell
}

/** What the owner of a wallet signed. */
export interface Order {
  readonly walletId: bigint
  readonly validUntil: number
  readonly seqno: number
  readonly messages: ReadonlyArray<Cells.Cell>
  readonly signature: Uint8Array
  readonly signed: Buffer
}

/** The body of a message that says nothing. */
export const nothing = Cells.cell("")

const stateInit = (from: ReturnType<typeof Cells.slice>): Cells.Cell => {
  let bits = ""
  const copy = (length: number) => {
    const taken = from.take(length)
    bits += taken
    return taken
  }
  if (copy(1) === "1") copy(5)
  if (copy(1) === "1") copy(2)
  const refs = [1, 2, 3].flatMap(() => (copy(1) === "1" ? [from.ref()] : []))
  return Cells.cell(bits, ...refs)
}

export const external = (root: Cells.Cell): External | undefined => Option.getOrUndefined(readExternal(root))

const readExternal = Option.liftThrowable((root: Cells.Cell): External => {
  const from = Cells.slice(root)
  if (from.take(2) !== "10") throw new RangeError("not a message from outside")
  if (from.take(2) === "01") from.take(Number(from.number(9)))
  const destination = from.address()
  if (destination === undefined) throw new RangeError("no destination")
  from.coins()
  const init = from.is() ? (from.is() ? from.ref() : stateInit(from)) : undefined
  const body = from.is() ? from.ref() : from.rest()
  const normalized = Cells.hash(incoming(destination, body))
  return { destination, init, body, hash: Cells.hash(root), normalized }
})

/** Version 5 begins with the word for a signed order and ends with the signature; the others begin with it. */
const opened = 0x7369676en

export const order = (body: Cells.Cell): Order | undefined => Option.getOrUndefined(readOrder(body))

const readOrder = Option.liftThrowable(({ bits, refs }: Cells.Cell): Order => {
  const isNewest = Cells.slice({ bits, refs }).number(32) === opened
  const [signature, signed] = isNewest
    ? [bits.slice(-512), Cells.cell(bits.slice(0, -512), ...refs)]
    : [bits.slice(0, 512), Cells.cell(bits.slice(512), ...refs)]
  const from = Cells.slice(signed)
  if (isNewest) from.take(32)
  const [walletId, validUntil, seqno] = [from.number(32), Number(from.number(32)), Number(from.number(32))]
  return {
    walletId,
    validUntil,
    seqno,
    messages: isNewest ? (from.is() ? actions(from.ref()) : []) : refs,
    signature: Buffer.from(BigInt(`0b${signature}`).toString(16).padStart(128, "0"), "hex"),
    signed: Cells.hash(signed)
  }
})

/** The list of what a contract of version 5 does, the last first: of each the message that it sends. */
const actions = ({ refs: [before, message] }: Cells.Cell): ReadonlyArray<Cells.Cell> =>
  before === undefined || message === undefined ? [] : [...actions(before), message]

/** A message that a wallet sends; undefined where it is none. */
export const internal = (source: string, root: Cells.Cell): Internal | undefined =>
  Option.getOrUndefined(readInternal(source, root))

const readInternal = Option.liftThrowable((source: string, root: Cells.Cell): Internal => {
  const from = Cells.slice(root)
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

export const isSignedBy = (publicKey: bigint, { signature, signed }: Order): boolean => {
  const x = Buffer.from(publicKey.toString(16).padStart(64, "0"), "hex").toString("base64url")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  return verify(null, signed, key, signature)
}

export const incoming = (destination: string, body: Cells.Cell): Cells.Cell =>
  Cells.cell(`1000${Cells.addressBits(destination)}000001`, body)

export const between = (one: Internal, lt: number, at: number): Cells.Cell =>
  Cells.cell(
    `011${one.bounced ? "1" : "0"}${Cells.addressBits(one.source)}${Cells.addressBits(one.destination)}` +
      `${Cells.coins(one.value)}0${Cells.coins(0n)}${Cells.coins(one.forwarding)}` +
      `${Cells.uint(lt, 64)}${Cells.uint(at, 32)}01`,
    one.body
  )

/** An ordinary transaction of an account in use. */
export const transaction = (one: {
  readonly account: string
  readonly lt: number
  readonly at: number
  readonly fee: bigint
  readonly received: Cells.Cell
  readonly sent: ReadonlyArray<Cells.Cell>
}): Cells.Cell => {
  const [, account = "0"] = one.account.split(":")
  const list = Cells.dictionary(15, one.sent)
  const messages = typeof list === "string" ? Cells.cell("10", one.received) : Cells.cell("11", one.received, list)
  // Gas used, its limit, no credit, mode, exit code, no argument, steps, and the states before and after.
  const machine = Cells.cell(
    `000${"000"}0${Cells.uint(0, 8)}${Cells.uint(0, 32)}0${Cells.uint(0, 32)}${"0".repeat(512)}`
  )
  return Cells.cell(
    `0111${Cells.uint(BigInt(`0x${account}`), 256)}${Cells.uint(one.lt, 64)}${"0".repeat(256 + 64)}` +
      `${Cells.uint(one.at, 32)}${Cells.uint(one.sent.length, 15)}1010${Cells.coins(one.fee)}0`,
    messages,
    Cells.cell(`01110010${"0".repeat(512)}`),
    Cells.cell(`0000${"000"}1100${Cells.coins(0n)}0000`, machine)
  )
}
