import { type Address, type Cell, loadMessageRelaxed, type MessageRelaxed, type Slice } from "@ton/core"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Seconds, seconds } from "../../domain/units.ts"
import {
  incomplete,
  maxMemo,
  memoNotShown,
  memoText,
  type SignedContent,
  type SignedPayment,
  unknownToken
} from "../kit/sending/content.ts"

// Orders to wallets of the versions 3, 4 and 5 (github.com/ton-blockchain/wallet-contract, wallet-contract-v5).

/** The parts of an order that a wallet checks before it executes the order, and its messages. */
export interface Order {
  readonly sequence: number
  /** Last time at which a block may execute it; undefined if it has none. */
  readonly validUntil: Seconds | undefined
  /** The messages that it sends; those that cannot be read are missing. */
  readonly messages: () => { readonly sent: ReadonlyArray<SentMessage>; readonly isWhole: boolean }
}

interface SentMessage {
  readonly mode: number
  readonly message: MessageRelaxed
}

/** The operation at the start of orders to wallets of version 5. */
const version5 = 0x7369676e

/** The time of an order without an end. */
const never = 0xffffffff

/** The largest number of actions of a contract. */
const maxActions = 255

/** The tag of an action that sends a message (block.tlb, `action_send_msg`). */
const sendMessage = 0x0ec3c86d

const messageIn = (cell: Cell): MessageRelaxed | undefined =>
  Either.getOrUndefined(Either.try(() => loadMessageRelaxed(cell.beginParse())))

const sentIn = (mode: number, cell: Cell): ReadonlyArray<SentMessage> => {
  const message = messageIn(cell)
  return message === undefined ? [] : [{ mode, message }]
}

/** Modes of 8 bits, and a message for each. */
const inList = (slice: Slice, count: number) => {
  const sent = Array.from({ length: count }, () => sentIn(slice.loadUint(8), slice.loadRef())).flat()
  return { sent, isWhole: sent.length === count }
}

/** A chain of actions, the last one first. */
const inActions = (slice: Slice) => {
  const sent: Array<SentMessage> = []
  let isWhole = true
  let list = slice.loadMaybeRef()?.beginParse()
  for (let count = 0; list !== undefined && list.remainingRefs > 0 && count < maxActions; count++) {
    const next = list.loadRef().beginParse()
    const isSend = list.remainingBits >= 40 && list.remainingRefs > 0 && list.loadUint(32) === sendMessage
    const found = isSend ? sentIn(list.loadUint(8), list.loadRef()) : []
    if (found.length === 0) isWhole = false
    sent.unshift(...found)
    list = next
  }
  // Extended actions change the wallet.
  return { sent, isWhole: isWhole && !(slice.remainingBits > 0 && slice.loadBit()) }
}

/**
 * The order to a wallet of version 3, 4 or 5; undefined for messages of another size. A wallet of version 3 or 4 has a
 * mode of 8 bits for each message, version 4 an operation of 8 bits before them.
 */
export const orderOf = (body: Cell): Order | undefined => {
  const slice = body.beginParse()
  const [bits, count] = [slice.remainingBits, slice.remainingRefs]
  const modes = 8 * count
  const is5 = bits >= 640 && slice.preloadUint(32) === version5
  if (!is5 && bits !== 608 + modes && bits !== 616 + modes) return undefined
  // Before it: operation and wallet id; or signature and wallet id.
  const validUntil = slice.skip(is5 ? 64 : 544).loadUint(32)
  const sequence = slice.loadUint(32)
  const rest = slice.clone()
  const nothing = { sent: [], isWhole: false }
  return {
    validUntil: validUntil === never ? undefined : seconds(validUntil),
    sequence,
    messages: () =>
      Either.getOrElse(
        Either.try(() => {
          const list = rest.clone()
          if (is5) return inActions(list)
          // The operation 0 of version 4 sends messages; others install and remove plugins.
          if (bits === 616 + modes && list.loadUint(8) !== 0) return nothing
          return inList(list, count)
        }),
        () => nothing
      )
  }
}

/** Operations of bodies: a comment, and a transfer of a jetton (TEP-74). */
const [comment, jettonTransfer] = [0, 0x0f8a7ea5]

/** All coins of the wallet are sent, whatever the message says. */
const carriesAll = 128

const isEmpty = (slice: Slice) => slice.remainingBits === 0 && slice.remainingRefs === 0

/** What a body means: a payment, with its comment and jettons, or a call. */
interface SentBody {
  readonly isCall: boolean
  readonly tag?: string
  /** Whether it has a comment that is not shown. */
  readonly hasOtherMemo?: true
  readonly jettons?: SignedPayment
}

const called: SentBody = { isCall: true }

/** The bytes of a cell and of those after it, up to more than are shown; undefined if they are not whole bytes. */
const bytesIn = (start: Slice): Uint8Array | undefined => {
  const parts: Array<Buffer> = []
  let left = maxMemo + 1
  for (let slice: Slice | undefined = start; slice !== undefined && left > 0; ) {
    const bytes: number = slice.remainingBits / 8
    const isEndless = bytes === 0 && parts.length > 0
    if (!Number.isInteger(bytes) || slice.remainingRefs > 1 || isEndless) return undefined
    parts.push(slice.loadBuffer(bytes))
    left -= bytes
    slice = slice.remainingRefs === 0 ? undefined : slice.loadRef().beginParse()
  }
  return Buffer.concat(parts)
}

/** No body, or a comment. */
const commented = (slice: Slice): SentBody => {
  if (isEmpty(slice)) return { isCall: false }
  const bytes = slice.loadUint(32) === comment ? bytesIn(slice) : undefined
  if (bytes === undefined) return called
  const tag = memoText(bytes)
  return { isCall: false, ...(tag === undefined ? { hasOtherMemo: true } : tag === "" ? {} : { tag }) }
}

/** A transfer of jettons after its operation. The recipient gets the comment at its end, or another message. */
const transferred = (slice: Slice): SentBody => {
  const amount = slice.skip(64).loadCoins()
  const to = slice.loadAddress().toRawString()
  slice.loadAddressAny()
  slice.loadMaybeRef()
  slice.loadCoins()
  const forwarded = slice.loadBit() ? slice.loadRef().beginParse() : slice
  const { tag, ...read } = Option.getOrElse(liftedComment(forwarded), () => called)
  return { ...read, jettons: { to, token: unknownToken, amount, ...(tag === undefined ? {} : { tag }) } }
}

const liftedComment = Option.liftThrowable(commented)

const liftedBody = Option.liftThrowable(
  (slice: Slice): SentBody =>
    slice.remainingBits >= 32 && slice.preloadUint(32) === jettonTransfer
      ? transferred(slice.skip(32))
      : commented(slice)
)

/** A message with what its body means. */
interface ReadMessage extends SentMessage {
  readonly body: SentBody
}

const withBody = (sent: SentMessage): ReadMessage => ({
  ...sent,
  body: Option.getOrElse(liftedBody(sent.message.body.beginParse()), () => called)
})

/** The payments of a message: its coins, and the jettons that it orders the wallet's jetton wallet to send. */
const paymentsOf = ({ body: { jettons, tag }, message: { info }, mode }: ReadMessage): ReadonlyArray<SignedPayment> => {
  if (info.type !== "internal") return []
  const coins = { to: info.dest.toRawString(), amount: info.value.coins, ...(tag === undefined ? {} : { tag }) }
  return [...(mode >= carriesAll ? [] : [coins]), ...(jettons === undefined ? [] : [jettons])]
}

const callOf = ({ body: { isCall }, message: { info } }: ReadMessage): ReadonlyArray<string> =>
  info.type === "internal" && isCall ? [info.dest.toRawString()] : []

const hasExtra = ({ message: { info } }: SentMessage): boolean =>
  info.type === "internal" && (info.value.other?.size ?? 0) > 0

/** What an order to a wallet does. */
export const contentOf = (wallet: Address, order: Order | undefined): SignedContent => {
  const { isWhole, sent: all } = order?.messages() ?? { isWhole: false, sent: [] }
  const sent = all.map(withBody)
  const payments = sent.flatMap(paymentsOf)
  const calls = [...new Set(sent.flatMap(callOf))]
  return {
    from: wallet.toRawString(),
    payments,
    calls,
    ...(order === undefined ? {} : { nonce: BigInt(order.sequence) }),
    unknown: {
      ...(order === undefined ? { nonce: "it is not an order of a known wallet" } : {}),
      fee: "the contracts that it reaches determine it",
      ...incomplete([
        order === undefined && "it is not an order of a known wallet",
        order !== undefined && !isWhole && "a part of the order is not read",
        sent.some(({ mode }) => mode >= carriesAll) && "it sends all coins of the wallet",
        sent.some(({ body }) => body.hasOtherMemo) && memoNotShown,
        sent.some(hasExtra) && "it also sends extra currencies",
        payments.some(({ token }) => token !== undefined) && "jettons are named by the wallet that holds them",
        calls.length > 0 && "it calls contracts, which may move more"
      ])
    }
  }
}
