import type { SendReason } from "../../../domain/SendReason.ts"

// What a signed transaction would do, read from its bytes alone.

/** An amount that a recipient gets. */
export interface SignedPayment {
  /** As histories write it; absent if the bytes do not name it. */
  readonly to?: string
  /** The token's address, or `Unknown` if the bytes do not name it; absent for the native coin. */
  readonly token?: string
  /** Base units. */
  readonly amount: bigint
  /** Decimals of the token, if the bytes state them. */
  readonly decimals?: number
  /** A destination tag or comment, by which an exchange recognises its client. */
  readonly tag?: string
}

/** The members that the bytes of a transaction may not determine. */
export type UnknownMember = "from" | "amounts" | "fee" | "nonce" | "expiresAt"

/** What a transaction would do. */
export interface SignedContent {
  /** The account that signed it, or that it names as its sender if signatures are not checked; absent if the bytes do not name it. */
  readonly from?: string
  readonly payments: ReadonlyArray<SignedPayment>
  /** Contracts and programs that it calls without a payment that the bytes state. */
  readonly calls?: ReadonlyArray<string>
  /** Contracts whose call is read as a payment of their token: one that is no such token may do something else. */
  readonly assumed?: ReadonlyArray<string>
  /** Base units of the native coin. */
  readonly fee?: { readonly amount: bigint; readonly isMaximum: boolean }
  /** The nonce or sequence of its account. */
  readonly nonce?: bigint
  /** Number of the chain that it is signed for. */
  readonly chainId?: bigint
  /** Why a member is unknown, or incomplete (`amounts`), for people. */
  readonly unknown: Readonly<Partial<Record<UnknownMember, string>>>
}

/** A refusal by the service itself, before any node. */
export interface SendProblem {
  readonly reason: SendReason
  /** For people. */
  readonly message: string
}

/** The word for a token that the bytes do not name, as in histories. */
export const unknownToken = "Unknown"

/** The reasons of incomplete amounts, in one text; none if there are no reasons. */
export const incomplete = (
  reasons: Iterable<string | false | undefined>
): Pick<SignedContent["unknown"], "amounts"> => {
  const stated = [...new Set(reasons)].filter((reason) => typeof reason === "string")
  return stated.length === 0 ? {} : { amounts: stated.join("; ") }
}

/** The longest memo that is shown, bytes. */
export const maxMemo = 1_000

/** A memo as text; undefined if it is too long or not UTF-8: a part of it would name another client of an exchange. */
export const memoText = (memo: Uint8Array): string | undefined => {
  const text = Buffer.from(memo).toString("utf8")
  return memo.length <= maxMemo && Buffer.from(text).equals(memo) ? text : undefined
}

/** Why a memo is missing. */
export const memoNotShown = "its memo is not shown: it is too long or not UTF-8"

/** The transfer of a token that the data of a contract call means (ERC-20, `transfer`), in hexadecimal digits. */
export interface TokenTransfer {
  /** Twenty bytes without a prefix. */
  readonly to: string
  readonly amount: bigint
}

/** An address of Tron may have its prefix before its twenty bytes. */
const transfer = /^(?:0x)?a9059cbb0{22}(?:00|41)(?<to>[0-9a-f]{40})(?<amount>[0-9a-f]{64})$/i

/** Reads {@link TokenTransfer}. A `transferFrom` may be that of a unique token, so that it is a call like any other. */
export const tokenTransferIn = (data: string): TokenTransfer | undefined => {
  const { amount, to } = transfer.exec(data)?.groups ?? {}
  return amount === undefined || to === undefined ? undefined : { to: to.toLowerCase(), amount: BigInt(`0x${amount}`) }
}
