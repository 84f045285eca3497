import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ton } from "../../../catalogue/ton.ts"
import type { Transaction } from "../../../domain/Transaction.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Group, Page, Row } from "../../mergePaged.ts"
import { paidOf, parties, type Transfer } from "../../parties.ts"
import * as TonAddress from "../TonAddress.ts"
import { Amount, Coins, interpreting } from "./TonApiWire.ts"

const Account = Schema.Struct({ address: Schema.String })
const Jetton = Schema.Struct({ address: Schema.String })

const TonTransfer = Schema.Struct({ sender: Account, recipient: Account, amount: Coins })
const JettonTransfer = Schema.Struct({
  sender: Schema.optional(Account),
  recipient: Schema.optional(Account),
  amount: Amount,
  jetton: Jetton
})
const JettonMint = Schema.Struct({ recipient: Account, amount: Amount, jetton: Jetton })
const JettonBurn = Schema.Struct({ sender: Account, amount: Amount, jetton: Jetton })
/** `ton_attached` until June 2026, `gram_attached` since. */
const SmartContractExec = Schema.extend(
  Schema.Struct({ executor: Account, contract: Account }),
  Schema.Union(Schema.Struct({ gram_attached: Coins }), Schema.Struct({ ton_attached: Coins }))
)

const Action = Schema.Struct({
  type: Schema.String,
  status: Schema.String,
  TonTransfer: Schema.optional(TonTransfer),
  JettonTransfer: Schema.optional(JettonTransfer),
  JettonMint: Schema.optional(JettonMint),
  JettonBurn: Schema.optional(JettonBurn),
  SmartContractExec: Schema.optional(SmartContractExec)
})
type Action = typeof Action.Type

/**
 * A trace from the account's perspective. `extra` is the change of its balance outside the successful actions: the
 * returned coins less the fees.
 */
const Event = Schema.Struct({
  event_id: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  timestamp: Schema.Int,
  lt: Schema.Int,
  in_progress: Schema.Boolean,
  extra: Schema.Union(Schema.Int, Schema.BigIntFromSelf).pipe(Schema.filter((amount) => -BigInt(amount) <= ton.supply)),
  /** The account of the event; missing in some responses. */
  account: Schema.optional(Account),
  actions: Schema.Array(Action)
})
type Event = typeof Event.Type

export interface TonApiRow extends Row {
  readonly event: Event
}

const Events = Schema.Struct({ events: Schema.Array(Schema.Unknown), next_from: Schema.optional(Schema.Int) })

const event = Schema.decodeUnknownOption(Event)

/** Decodes events of an account. Counts and skips unreadable events; a page with only unreadable events is an error. */
export const events = (holder: string): ResponseDecoder.Decoder<Page<TonApiRow>> =>
  interpreting(Events, (body) => {
    const isOwn = ({ account }: Event) => account === undefined || canonical(account.address) === holder
    const rows = body.events.flatMap((listed) =>
      Option.toArray(
        Option.map(
          Option.filter(event(listed), isOwn),
          (own): TonApiRow => ({ key: own.event_id, at: own.timestamp, order: own.lt, event: own })
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
  })

/**
 * Maps an event; its id is the hash of the trace's first transaction. A negative `extra` is the fee. If `extra` is
 * positive, more coins were returned than paid: the account received the difference, and the fee is unknown.
 */
export const toTransaction =
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
        order: event.lt,
        ...sides
      }
    })

/** True if all actions are of a described type; exchanges, stakes, NFTs and the like are not. */
export const isFullyDescribed = ({ event }: TonApiRow) => event.actions.every(({ type }) => describedTypes.has(type))

const describedTypes = new Set([
  "TonTransfer",
  "JettonTransfer",
  "JettonMint",
  "JettonBurn",
  "SmartContractExec",
  "ContractDeploy"
])

const canonical = (text: string) => Either.getOrElse(TonAddress.parse(text), () => text)

const transfersOf = (action: Action): ReadonlyArray<Transfer> => {
  const { JettonBurn, JettonMint, JettonTransfer, SmartContractExec, TonTransfer } = action
  const side = (name: "from" | "to", account: typeof Account.Type | undefined) =>
    account === undefined ? {} : { [name]: canonical(account.address) }
  const transfer = (
    amount: typeof Amount.Type,
    from: typeof Account.Type | undefined,
    to: typeof Account.Type | undefined,
    jetton?: typeof Jetton.Type
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
