import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { parseUnits } from "viem/utils"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { Heights } from "../../domain/history/Heights.ts"
import { type Movement, numbered, type Transaction } from "../../domain/Transaction.ts"
import { type Height, height, numberOf, type Seconds, seconds } from "../../domain/units.ts"
import { byTime } from "../kit/history/heights.ts"
import { paidOf, sumParties } from "../kit/history/parties.ts"
import { isWithin } from "../kit/holdings/amounts.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import * as PolkadotAsset from "./PolkadotAsset.ts"
import type { SubscanChain } from "./Provider.ts"
import type { Extrinsic, SubscanTransfer } from "./providers/subscan/calls.ts"

// Transfers and extrinsics of Subscan (support.subscan.io, API reference), joined by the extrinsic's index.

/** The hash of an extrinsic, or empty text. */
const hash = /^(0x[0-9a-f]{64})?$/i

type Result = Pick<Extrinsic, "event" | "success">

/** True if an extrinsic only paid its fee. Subscan has returned `success` beside the event of a failure. */
export const isFailed = ({ event, success }: Result): boolean => !success || isWithoutEffect(event)

/** True if an extrinsic is marked as failed, but succeeded according to its events. */
export const isContradictory = ({ event, success }: Result): boolean =>
  !success && !isWithoutEffect(event) && (event ?? []).some((each) => nameOfEvent(each) === "system.ExtrinsicSuccess")

/** A proxy, a multisig and a batch succeed if the calls in them fail. The event of an outer call is the last one. */
const isWithoutEffect = (event: Result["event"]): boolean => {
  const decisive = (event ?? []).findLast((each) => hasNoEffect(each) !== undefined)
  return decisive !== undefined && hasNoEffect(decisive) === true
}

type SubscanEvent = NonNullable<Extrinsic["event"]>[number]

/** Whether an event means that the extrinsic had no effect; undefined if earlier events decide. */
const hasNoEffect = (event: SubscanEvent): boolean | undefined => {
  const isEqual = (name: string, value: RegExp) => value.test(JSON.stringify(parameterIn(event.params, name)) ?? "")
  const name = nameOfEvent(event)
  if (name === "system.ExtrinsicFailed") return true
  if (/^utility\.BatchCompleted/.test(name)) return false
  // Earlier calls of a batch had an effect.
  if (name === "utility.BatchInterrupted") return isEqual("index", /^"?0"?$/)
  return /^(proxy\.Proxy|multisig\.Multisig)Executed$/.test(name) && isEqual("result", /^\{"Err/) ? true : undefined
}

const nameOfEvent = ({ event_id, module_id }: SubscanEvent) => `${module_id}.${event_id}`

const Parameters = Schema.Array(Schema.Struct({ name: Schema.optional(Schema.String), value: Schema.Unknown }))
const decodeParameters = Schema.decodeUnknownOption(Schema.Union(Schema.parseJson(Parameters), Parameters))

const parameterIn = (params: unknown, wanted: string): unknown =>
  Option.getOrUndefined(decodeParameters(params))?.find(({ name }) => name === wanted)?.value

/**
 * True if a row does not contradict its events, and its ids have the expected format; only an extrinsic has a hash, and
 * others have an empty one.
 */
export const isWellFormed = (row: SubscanTransfer | Extrinsic): boolean => {
  if (!("amount" in row) && isContradictory(row)) return false
  const own = "amount" in row ? row.hash : row.extrinsic_hash
  if (own === undefined || own === null) return false
  const index = row.extrinsic_index ?? ""
  return hash.test(own) && (index === "" ? own === "" : /^\d+-\d+$/.test(index))
}

/** Decodes the extrinsic of a row that cannot be decoded otherwise. */
export const extrinsicOf = Schema.decodeUnknownOption(Schema.Struct({ extrinsic_index: Schema.NonEmptyString }))

/** The decimals of DOT. */
const decimals = 10

export type SubscanRow = SubscanTransfer | Extrinsic

/** The rows of an extrinsic, or of a transfer without an extrinsic. */
export interface SubscanGroup {
  readonly chain: SubscanChain
  /** The first of the rows. */
  readonly row: SubscanRow
  extrinsic: Extrinsic | undefined
  readonly transfers: Array<SubscanTransfer>
}

/** The index of the extrinsic, or of the event if no extrinsic made the transfer. */
export const idOf = (row: SubscanRow): string => {
  if (row.extrinsic_index) return row.extrinsic_index
  const block = String(numberOf(row.block_num))
  return "event_idx" in row ? `${block}-event-${row.event_idx ?? 0}` : block
}

/** Makes an {@link idOf} unique across both chains. */
export const namedOn = (chain: SubscanChain, id: string): string => (chain === "relay" ? `relay-${id}` : id)

/** Like {@link idOf}, but unique across both chains. */
export const nameOf = (chain: SubscanChain, row: SubscanRow): string => namedOn(chain, idOf(row))

/** More than any block number, so that orders on the relay chain are negative. */
const relayOrder = -(2 ** 32)

/** The sort key of extrinsics: the chain, the block, and the index in it. */
export const orderOf = (chain: SubscanChain, row: SubscanRow): number => {
  const [, index = "0"] = /^\d+-(\d+)$/.exec(row.extrinsic_index ?? "") ?? []
  return (chain === "relay" ? relayOrder : 0) + numberOf(row.block_num) + Number(index) / 65_536
}

/** Pages are separated by time, because the heights of two chains cannot be compared. */
export const heights: Heights<Seconds> = {
  ...byTime(polkadot),
  blockOf: ({ order }): { readonly chain: SubscanChain; readonly block: Height } =>
    order < 0
      ? { chain: "relay", block: height(Math.floor(order - relayOrder)) }
      : { chain: "hub", block: height(Math.floor(order)) }
}

/** Formats an address with Polkadot's prefix; an address of another kind is unchanged. */
const formatAddress = (address: string): string =>
  Either.match(PolkadotAddress.parse(address), { onLeft: () => address, onRight: PolkadotAddress.format })

/** True if an account (a public key) sends, receives or signs, or if an old row does not contain the signer. */
export const concerns =
  (account: string) =>
  (row: SubscanRow): boolean => {
    const own = PolkadotAddress.format(account)
    if ("amount" in row) return formatAddress(row.from) === own || formatAddress(row.to) === own
    const signer = signerOf(row)
    return !signer || formatAddress(signer) === own
  }

const signerOf = ({ account_display, account_id }: Extrinsic) => account_id ?? account_display?.address

/** The number of transfers with an unknown amount of base units. */
export const unknownAmounts = ({ transfers }: SubscanGroup): number =>
  transfers.filter((transfer) => Option.isNone(amountOf(transfer))).length

/** The fee that was paid: `fee` of an extrinsic is an estimate. */
const feeIn = ({ extrinsic, transfers }: Pick<SubscanGroup, "extrinsic" | "transfers">): bigint | null =>
  feeOf(extrinsic?.fee_used) ?? feeOf(transfers[0]?.fee)

/** Whether an extrinsic paid a fee that is unknown. */
export const isFeeUnknown = (group: SubscanGroup): boolean =>
  feeIn(group) === null && (group.extrinsic !== undefined || group.transfers.some(({ hash }) => hash))

/** `holder` is a public key. */
export const toTransaction = (holder: string, { chain, extrinsic, row, transfers }: SubscanGroup): Transaction => {
  const own = PolkadotAddress.format(holder)
  const signer = extrinsic === undefined ? undefined : signerOf(extrinsic)
  const failed = !row.success || (extrinsic !== undefined && isFailed(extrinsic))
  const from = sumParties(transfers.flatMap((transfer) => movement(transfer.from, transfer, failed)))
  const to = sumParties(transfers.flatMap((transfer) => movement(transfer.to, transfer, failed)))
  const paying = signer ? [{ address: formatAddress(signer), amount: 0n }] : []
  const fee = feeIn({ extrinsic, transfers })
  // The only party of a call without transfers is its signer.
  const payers = from.length === 0 && to.length === 0 ? paying : from
  // Old rows do not contain the signer, and transfers never contain it.
  const paid = extrinsic === undefined ? (payers.some(({ address }) => address === own) ? null : 0n) : fee
  return {
    hash: extrinsic?.extrinsic_hash || transfers.find(({ hash }) => hash)?.hash || nameOf(chain, row),
    type: typeOf(own, transfers, extrinsic, failed),
    fee,
    ...paidOf(own, { fee, from: payers }, signer && formatAddress(signer) !== own ? 0n : paid),
    status: failed ? "Failed" : "Success",
    timestamp: row.block_timestamp,
    ...numbered({
      block: chain === "hub" ? numberOf(row.block_num) : undefined,
      nonce: signer ? extrinsic?.nonce : undefined
    }),
    order: orderOf(chain, row),
    from: payers,
    to
  }
}

/**
 * The direction of the holder's transfers. If there are no transfers, because they failed or their list could not be
 * read, the call of a transfer is a Send, and any other has its name.
 */
const typeOf = (
  own: string,
  transfers: ReadonlyArray<SubscanTransfer>,
  extrinsic: Extrinsic | undefined,
  failed: boolean
): string => {
  if (transfers.some(({ from }) => formatAddress(from) === own)) return "Send"
  if (transfers.some(({ to }) => formatAddress(to) === own)) return "Receive"
  if (extrinsic === undefined) return "Unknown"
  const name = `${extrinsic.call_module}.${extrinsic.call_module_function}`
  const isTransfer = /^(balances|assets)\.transfer(_keep_alive|_allow_death|_all)?$/i.test(name)
  return isTransfer || (failed && /^transfer/.test(extrinsic.call_module_function)) ? "Send" : name
}

const movement = (address: string, transfer: SubscanTransfer, failed: boolean): ReadonlyArray<Movement> =>
  Option.match(amountOf(transfer), {
    onNone: () => [],
    onSome: (amount) => {
      const token = tokenOf(transfer)
      const moved = { address: formatAddress(address), amount: failed ? 0n : amount }
      return [token === undefined ? moved : { ...moved, token }]
    }
  })

/** Base units; none if the amount is unknown, or larger than possible. */
const amountOf = (transfer: SubscanTransfer): Option.Option<bigint> =>
  Option.filter(reportedAmount(transfer), isWithin(tokenOf(transfer) === undefined ? polkadot.supply : uint128))

/** The largest balance that the runtime can store. */
const uint128 = 2n ** 128n - 1n

/** DOT has had 10 decimals since 21 August 2020, and had 12 before. */
const redenomination = seconds(1_598_054_400)

/** Amounts in whole coins are usable only if the decimals are known. */
const reportedAmount = (transfer: SubscanTransfer): Option.Option<bigint> => {
  const { amount, amount_v2: raw, block_timestamp: at } = transfer
  const zero = /^0*(\.0*)?$/.test(amount)
  if (raw && /^\d+$/.test(raw) && (BigInt(raw) > 0n || zero))
    return isSame(amount, raw) ? Option.some(BigInt(raw)) : Option.none()
  const isDot = tokenOf(transfer) === undefined && at >= redenomination
  return zero || (isDot && /^\d+(\.\d{1,10})?$/.test(amount))
    ? Option.some(parseUnits(amount || "0", decimals))
    : Option.none()
}

/** Whether two amounts differ only by their decimals; either may be shortened. */
const isSame = (amount: string, raw: string): boolean => {
  const [a, b] = [amount, raw].map((text) => text.replace(".", "").replace(/^0+|0+$/g, "")) as [string, string]
  return amount === "" || ((a === "") === (b === "") && (a.startsWith(b) || b.startsWith(a)))
}

/** The asset id; undefined for DOT, which old responses do not name. */
const tokenOf = ({ asset_type: type, asset_unique_id: id, module }: SubscanTransfer): string | undefined => {
  if (type === "builtin" || type === "native" || (!type && module === "balances")) return undefined
  const [, number = ""] = /^standard_assets\/(\d+)$/.exec(id ?? "") ?? []
  return Option.getOrElse(PolkadotAsset.parse(number), () => id || "Unknown")
}

export const feeOf = (text: string | null | undefined): bigint | null => {
  const fee = text && /^\d+$/.test(text) ? BigInt(text) : null
  return fee !== null && isWithin(polkadot.supply)(fee) ? fee : null
}

/** Whether a call failed that has a successful transfer: a failure takes all of them back. */
export const hasContradictoryTransfer = ({ extrinsic, transfers }: SubscanGroup): boolean =>
  extrinsic?.success === false && transfers.some(({ success }) => success)

/** The names that a group may have in a history. */
export const namesOf = (holder: string, group: SubscanGroup): ReadonlyArray<string> => [
  toTransaction(holder, group).hash,
  nameOf(group.chain, group.row)
]

/** A reused account may sign the same bytes again: the older extrinsic is then identified by its index. */
export const unique = (groups: ReadonlyArray<SubscanGroup>, holder: string): ReadonlyArray<Transaction> => {
  const seen = new Set<string>()
  return groups.map((group) => {
    const transaction = toTransaction(holder, group)
    const hash = seen.has(transaction.hash) ? nameOf(group.chain, group.row) : transaction.hash
    seen.add(hash)
    return { ...transaction, hash }
  })
}
