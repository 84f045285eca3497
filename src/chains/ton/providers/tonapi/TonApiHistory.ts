import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { gap } from "../../../../domain/history/Gap.ts"
import type { Transaction } from "../../../../domain/Transaction.ts"
import { numberOf } from "../../../../domain/units.ts"
import type * as Call from "../../../../upstream/Call.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { type Group, join, type Page, type Row } from "../../../kit/history/mergePaged.ts"
import { paidOf, parties, type Transfer } from "../../../kit/history/parties.ts"
import { inRange, requestedTimes } from "../../history.ts"
import type { TonProvider } from "../../Provider.ts"
import * as TonAddress from "../../TonAddress.ts"
import * as calls from "./calls.ts"
import { decimalsOf } from "./jettons.ts"

interface TonApiRow extends Row {
  readonly event: calls.Event
}

/** Events of an account. Counts and skips unreadable events; a page with only unreadable events is an error. */
const eventsOf =
  (holder: string) =>
  (body: typeof calls.events.response.Type): Either.Either<Page<TonApiRow>, Fault> => {
    const isOwn = ({ account }: calls.Event) => account === undefined || canonical(account.address) === holder
    const rows = body.events.flatMap(({ row }) =>
      Option.toArray(
        Option.map(
          Option.filter(row, isOwn),
          (event): TonApiRow => ({
            key: event.event_id,
            id: event.event_id,
            at: event.timestamp,
            order: numberOf(event.lt),
            event
          })
        )
      )
    )
    return rows.length === 0 && body.events.length > 0
      ? Either.left({ reason: "bad_answer" as const, detail: "returned transactions in an unexpected format" })
      : Either.right({
          rows,
          oldest: rows.at(-1)?.at,
          next: body.events.length === 0 || !body.next_from ? undefined : String(body.next_from),
          unreadable: body.events.length - rows.length
        })
  }

/**
 * Maps an event; its id is the hash of the trace's first transaction. A negative `extra` is the fee. If `extra` is
 * positive, more coins were returned than paid: the account received the difference, and the fee is unknown.
 */
const toTransaction =
  (holder: string) =>
  ({ key, rows }: Group<TonApiRow>): ReadonlyArray<Transaction> =>
    rows.slice(0, 1).map(({ event }) => {
      const actions = event.actions.map((action) => ({ action, transfers: transfersOf(action) }))
      const own = actions.filter(({ transfers }) => transfers.some(({ from, to }) => from === holder || to === holder))
      const done = own.filter(({ action }) => action.status === "ok")
      const extra = BigInt(event.extra)
      const failed = done.length === 0 && extra <= 0n && event.actions.some(({ status }) => status !== "ok")
      const transfers = (failed ? own : done).flatMap(({ transfers }) => transfers)
      const direction = transfers.some(({ from }) => from === holder) ? "Send" : "Receive"
      const others = event.actions.find((action) => !describedTypes.has(action.type))
      const fee = extra > 0n ? null : -extra
      const returned = extra > 0n ? [{ to: holder, amount: extra }] : []
      const moved = [...transfers, ...returned]
      const sides = parties(moved.length > 0 ? moved : [{ from: holder, amount: 0n }], !failed)
      return {
        hash: key,
        type: transfers.length > 0 || others === undefined ? direction : others.type,
        fee,
        ...paidOf(holder, { fee, from: sides.from }, fee),
        status: event.in_progress ? "Pending" : failed ? "Failed" : "Success",
        timestamp: event.timestamp,
        order: numberOf(event.lt),
        ...sides
      }
    })

/** The decimals that came with the jettons of these rows, by master. */
const decimalsIn = (rows: ReadonlyArray<TonApiRow>): ReadonlyMap<string, number> =>
  new Map(
    rows
      .flatMap(({ event }) => event.actions)
      .flatMap(({ JettonBurn, JettonMint, JettonTransfer }) => [JettonBurn, JettonMint, JettonTransfer])
      .flatMap((action) => {
        const decimals = Option.getOrUndefined(decimalsOf(action?.jetton.decimals))
        return action === undefined || decimals === undefined ? [] : [[canonical(action.jetton.address), decimals]]
      })
  )

/** True if all actions are of a described type; exchanges, stakes, NFTs and the like are not. */
const isFullyDescribed = ({ event }: TonApiRow) => event.actions.every(({ type }) => describedTypes.has(type))

const describedTypes = new Set([
  "TonTransfer",
  "JettonTransfer",
  "JettonMint",
  "JettonBurn",
  "SmartContractExec",
  "ContractDeploy"
])

const canonical = (text: string) => Either.getOrElse(TonAddress.parse(text), () => text)

interface Addressed {
  readonly address: string
}

const transfersOf = (action: calls.Action): ReadonlyArray<Transfer> => {
  const { JettonBurn, JettonMint, JettonTransfer, SmartContractExec, TonTransfer } = action
  const side = (name: "from" | "to", account: Addressed | undefined) =>
    account === undefined ? {} : { [name]: canonical(account.address) }
  const transfer = (
    amount: typeof calls.Amount.Type,
    from: Addressed | undefined,
    to: Addressed | undefined,
    jetton?: Addressed
  ): ReadonlyArray<Transfer> => [
    {
      ...side("from", from),
      ...side("to", to),
      amount: BigInt(amount),
      ...(jetton === undefined ? {} : { token: canonical(jetton.address) })
    }
  ]
  if (TonTransfer !== undefined) return transfer(TonTransfer.amount, TonTransfer.sender, TonTransfer.recipient)
  if (JettonTransfer !== undefined)
    return transfer(JettonTransfer.amount, JettonTransfer.sender, JettonTransfer.recipient, JettonTransfer.jetton)
  if (JettonMint !== undefined) return transfer(JettonMint.amount, undefined, JettonMint.recipient, JettonMint.jetton)
  if (JettonBurn !== undefined) return transfer(JettonBurn.amount, JettonBurn.sender, undefined, JettonBurn.jetton)
  if (SmartContractExec !== undefined)
    return transfer(
      "gram_attached" in SmartContractExec ? SmartContractExec.gram_attached : SmartContractExec.ton_attached,
      SmartContractExec.executor,
      SmartContractExec.contract
    )
  return []
}

const unreported = gap("transfers", "transfers of exchanges, stakes and NFTs: tonapi does not return all of them")

/** Reads the transactions of an account; each is an event of TonAPI. */
export const accountHistory =
  (name: string, read: Call.ConvertingReader): TonProvider["history"] =>
  (query, within) => {
    const { address, limit } = query
    const { end, merge, start } = requestedTimes(query)
    const page = (before: string | undefined) =>
      read(
        calls.events,
        { address, limit: Math.min(calls.eventsPerCall, limit + 1), start, end, before },
        eventsOf(address)
      )
    return Effect.map(
      join([{ name: "transactions", page }], { ...merge, limit, within }),
      ({ gaps, groups, more }) => ({
        part: {
          ...inRange(groups.flatMap(toTransaction(address)), more, query),
          gaps: groups.every(({ rows }) => rows.every(isFullyDescribed)) ? gaps : [...gaps, unreported],
          // It does not return the blocks.
          provisional: true,
          sources: [name]
        },
        isComplete: true,
        decimals: decimalsIn(groups.flatMap(({ rows }) => rows))
      })
    )
  }
