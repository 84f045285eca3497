import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ton } from "../../../../catalogue/ton.ts"
import { gap } from "../../../../domain/history/Gap.ts"
import type { Transaction } from "../../../../domain/Transaction.ts"
import { type TonContext, tonStates } from "../../../../domain/TransactionContext.ts"
import { Height, LogicalTime, numberOf, Seconds } from "../../../../domain/units.ts"
import * as declare from "../../../../settings/declare.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import { type Group, join, type Page, type Row } from "../../../kit/history/mergePaged.ts"
import { paidOf, parties, type Transfer } from "../../../kit/history/parties.ts"
import { byAddress, lookup, stated } from "../../decodeBody.ts"
import { inRange, requestedTimes } from "../../history.ts"
import { elector, type TonProvider } from "../../Provider.ts"
import * as TonAddress from "../../TonAddress.ts"
import * as TonTransactions from "../../TonTransactions.ts"
import { walletKind } from "../../walletKinds.ts"
import { behindCheck, currentHead, inChunks, requireCurrentHead } from "../reading.ts"
import { pricesOf } from "./TonApiPrices.ts"
import * as TonApiWire from "./TonApiWire.ts"
import { Amount, Coins, interpreting } from "./TonApiWire.ts"

const Account = Schema.Struct({ address: Schema.String })
const Jetton = Schema.Struct({ address: Schema.String, decimals: Schema.optional(Schema.Unknown) })

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
  timestamp: Seconds,
  lt: LogicalTime,
  in_progress: Schema.Boolean,
  extra: Schema.Union(Schema.Int, Schema.BigIntFromSelf).pipe(Schema.filter((amount) => -BigInt(amount) <= ton.supply)),
  /** The account of the event; missing in some responses. */
  account: Schema.optional(Account),
  actions: Schema.Array(Action)
})
type Event = typeof Event.Type

interface TonApiRow extends Row {
  readonly event: Event
}

const Events = Schema.Struct({ events: Schema.Array(Schema.Unknown), next_from: Schema.optional(Schema.Int) })

const event = Schema.decodeUnknownOption(Event)

/** Decodes events of an account. Counts and skips unreadable events; a page with only unreadable events is an error. */
const events = (holder: string): ResponseDecoder.Decoder<Page<TonApiRow>> =>
  interpreting(Events, (body) => {
    const isOwn = ({ account }: Event) => account === undefined || canonical(account.address) === holder
    const rows = body.events.flatMap((listed) =>
      Option.toArray(
        Option.map(
          Option.filter(event(listed), isOwn),
          (own): TonApiRow => ({
            key: own.event_id,
            id: own.event_id,
            at: own.timestamp,
            order: numberOf(own.lt),
            event: own
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
  })

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
        const decimals = Option.getOrUndefined(TonApiWire.decimalsOf(action?.jetton.decimals))
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

// TonAPI's `accounts/_bulk`, and `wallet/{account_id}/seqno` for accounts that are wallets.

const Accounts = Schema.Struct({ accounts: Schema.Array(Schema.Unknown) })

const accountState = Schema.decodeUnknownEither(
  Schema.Struct({
    balance: Coins,
    status: Schema.Literal(...tonStates),
    interfaces: Schema.optional(Schema.Array(Schema.String))
  })
)

/** The contexts of accounts; wallets lack their seqno, which is read separately. */
const contextsIn = (addresses: ReadonlyArray<string>) =>
  interpreting(Accounts, ({ accounts }) => {
    const read = (row: unknown) =>
      Either.map(
        accountState(row),
        ({ balance, interfaces = [], status }): TonContext => ({
          family: "ton",
          state: status,
          seqno: status === "uninit" || status === "nonexist" ? 0 : null,
          wallet: interfaces.map(walletKind).find((kind) => kind !== null) ?? null,
          walletId: null,
          balance: String(balance)
        })
      )
    return Either.right(lookup(byAddress(accounts, new Set(addresses), stated, read), Either.left(TonApiWire.notAll)))
  })

/** The newest block of the masterchain. */
const newestHead = ResponseDecoder.fitting(Schema.Struct({ seqno: Height, gen_utime: Seconds }))

const seqnoIn = ResponseDecoder.fitting(Schema.Struct({ seqno: Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1)) }))

// TonAPI v2 (tonapi.io, api/openapi.yml of github.com/tonkeeper/opentonapi). Without a key it allows one call per
// second (docs.tonconsole.com).

/** The page limit of the API. */
const eventsPerCall = 100

const unreported = gap("transfers", "transfers of exchanges, stakes and NFTs: tonapi does not return all of them")

/** Reads the transactions of an account; each is an event of TonAPI. */
const accountHistory =
  (upstream: Upstream.Upstream): TonProvider["history"] =>
  (query, within) => {
    const { address, limit } = query
    const { end, merge, start } = requestedTimes(query)
    const page = (next: string | undefined) => {
      const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(`/v2/accounts/${address}/events`), {
        limit: String(Math.min(eventsPerCall, limit + 1)),
        subject_only: "true",
        ...(start === undefined ? {} : { start_date: String(start) }),
        ...(end === undefined ? {} : { end_date: String(end) }),
        ...(next === undefined ? {} : { before_lt: next })
      })
      return upstream.over((host) => host.read(request, events(address)))
    }
    return Effect.map(
      join([{ name: "transactions", page }], { ...merge, limit, within }),
      ({ gaps, groups, more }) => ({
        part: {
          ...inRange(groups.flatMap(toTransaction(address)), more, query),
          gaps: groups.every(({ rows }) => rows.every(isFullyDescribed)) ? gaps : [...gaps, unreported],
          // It does not return the blocks.
          provisional: true,
          sources: [upstream.name]
        },
        isComplete: true,
        decimals: decimalsIn(groups.flatMap(({ rows }) => rows))
      })
    )
  }

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TONAPI_URL",
    default: ton.indexers.tonapi,
    meaning: "Base address of TonAPI, which serves /v2; used for data that TON Center does not return"
  })
  return yield* Upstream.make({
    name: "tonapi",
    urls: [url],
    size: ResponseSize.rows,
    rate: { source: "TONAPI", keyless: { perSecond: 1, burst: 1 } },
    canary: (address) => address.read(accounts([elector]), TonApiWire.balances([elector]))
  })
})

/** The second indexer, after TON Center. A call returns balances of many accounts, but jettons of a single account. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect

  const query = <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
    upstream.over((address) => address.read(request, interpret))

  const jettonsOf = (owner: string) =>
    Effect.map(query(jettons(owner), TonApiWire.jettons), ({ byMaster, fault }) => ({
      byMaster,
      unread: fault && upstream.fault(fault)
    }))

  const head = Effect.map(
    query(HttpClientRequest.get("/v2/blockchain/masterchain-head"), newestHead),
    ({ gen_utime, seqno }) => ({ height: seqno, time: gen_utime })
  )
  const current = yield* currentHead(upstream, head)
  const notBehind = yield* behindCheck(upstream, head)

  return {
    name: upstream.name,
    standing: upstream.standing,
    fault: upstream.fault,
    head,
    current,
    notBehind,
    balances: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(
          query(accounts(addresses), TonApiWire.balances(addresses)),
          (balanceOf) => (address) => Either.mapLeft(balanceOf(address), upstream.fault)
        )
      )
    ),
    jettons: requireCurrentHead(notBehind)((addresses, report) =>
      Effect.forEach(
        addresses,
        (address) => Effect.map(Effect.either(jettonsOf(address)), (result) => report(address, result)),
        { concurrency: "unbounded", discard: true }
      )
    ),
    jetton: (owner, master) =>
      Effect.flatMap(Effect.zipRight(notBehind, jettonsOf(owner)), ({ byMaster, unread }) => {
        const own = byMaster.get(master)
        return own === undefined && unread !== undefined
          ? Effect.fail(unread)
          : Effect.succeed(own ?? { amount: 0n, decimals: undefined })
      }),
    decimals: (master) => query(HttpClientRequest.get(`/v2/jettons/${master}`), TonApiWire.decimals),
    infos: requireCurrentHead(notBehind)(infosOf(upstream)),
    history: accountHistory(upstream),
    contexts: requireCurrentHead(current)(inChunks(contextsOf(upstream))),
    transaction: (hash) =>
      query(HttpClientRequest.get(`/v2/blockchain/transactions/${hash}`), TonTransactions.decodeSingle(hash)),
    transactionOfMessage: (hash) =>
      query(
        HttpClientRequest.get(`/v2/blockchain/messages/${hash}/transaction`),
        TonTransactions.decodeSingleOfMessage(hash)
      ),
    prices: pricesOf(upstream)
  } satisfies TonProvider as TonProvider
})

/** Reads the contexts of accounts: the seqno of each wallet takes a call. */
const contextsOf = (upstream: Upstream.Upstream) => {
  const withSeqno = (address: string, context: TonContext) =>
    context.wallet === null
      ? Effect.succeed(context)
      : Effect.map(
          upstream.over((host) => host.read(HttpClientRequest.get(`/v2/wallet/${address}/seqno`), seqnoIn)),
          ({ seqno }): TonContext => ({ ...context, seqno })
        )

  return (addresses: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const contextOf = yield* upstream.over((host) => host.read(accounts(addresses), contextsIn(addresses)))
      const read = yield* Effect.forEach(
        addresses,
        (address) => {
          const context = Either.mapLeft(contextOf(address), upstream.fault)
          const whole = Effect.flatMap(context, (own) => withSeqno(address, own))
          return Effect.map(Effect.either(whole), (result) => [address, result] as const)
        },
        { concurrency: 4 }
      )
      const found = new Map(read)
      return (address: string) => found.get(address) ?? Either.left(upstream.fault(TonApiWire.notAll))
    })
}

const infosOf = (upstream: Upstream.Upstream): TonProvider["infos"] =>
  inChunks((masters) =>
    Effect.map(
      upstream.over((host) => host.read(jettonInfos(masters), TonApiWire.infos(masters))),
      (infoOf) => (master) => Either.mapLeft(infoOf(master), upstream.fault)
    )
  )

const accounts = (addresses: ReadonlyArray<string>) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/v2/accounts/_bulk"), { account_ids: addresses })

const jettonInfos = (masters: ReadonlyArray<string>) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/v2/jettons/_bulk"), { account_ids: masters })

const jettons = (address: string) => HttpClientRequest.get(`/v2/accounts/${address}/jettons`)
