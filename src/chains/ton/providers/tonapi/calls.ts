import * as Schema from "effect/Schema"
import { ton } from "../../../../catalogue/ton.ts"
import { tonStates } from "../../../../domain/TransactionContext.ts"
import { Height, LogicalTime, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { IndexedTransaction, isOfMessage, isTransaction } from "../../TonTransactions.ts"
import { maxJettons } from "../rows.ts"

// The calls of TonAPI v2 (api/openapi.yml of github.com/tonkeeper/opentonapi). Without a key it allows one call per second.
// An object that does not exist is a 404. Balances are bare JSON numbers of any size.

/** The address of the documentation. @public */
export const documentation = "https://docs.tonconsole.com/tonapi"

export const decodeOptions = { exact: true }

/** A number, or its digits as a string: both occur. */
const units = (max: bigint) =>
  Schema.Union(
    Schema.Int.pipe(Schema.nonNegative()),
    Schema.NonNegativeBigIntFromSelf,
    Schema.String.pipe(Schema.pattern(/^\d{1,40}$/))
  ).pipe(Schema.filter((amount) => BigInt(amount) <= max))

/** Base units of a jetton. */
export const Amount = units(maxJettons)

/** Base units of TON. */
const Coins = units(ton.supply)

export const Decimals = Schema.Int.pipe(Schema.between(0, 255))

/** The metadata of a master has digits. */
export const WrittenDecimals = Schema.Union(Decimals, Schema.compose(Schema.NumberFromString, Decimals))

interface AccountIds {
  readonly addresses: ReadonlyArray<string>
}

const bulk = { body: ({ addresses }: AccountIds) => ({ account_ids: addresses }) }

export const masterchainHead = Call.get("/v2/blockchain/masterchain-head", {
  response: Schema.Struct({ seqno: Height, gen_utime: Seconds })
})

export const accountBalances = Call.post("/v2/accounts/_bulk", {
  perOpen: { balance: 1 },
  ...bulk,
  note: "Accounts that do not exist are included.",
  response: Schema.Struct({ accounts: rowsOf(Schema.Struct({ address: Schema.String, balance: Coins })) })
})

export const accountStates = Call.post("/v2/accounts/_bulk", {
  ...bulk,
  response: Schema.Struct({
    accounts: rowsOf(
      Schema.Struct({
        address: Schema.String,
        balance: Coins,
        status: Schema.Literal(...tonStates),
        interfaces: Schema.optional(Schema.Array(Schema.String))
      })
    )
  })
})

export const seqno = Call.get("/v2/wallet/{address}/seqno", {
  response: Schema.Struct({ seqno: Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1)) })
})

export const ownedJettons = Call.get("/v2/accounts/{address}/jettons", {
  note: "Balance, decimals and multiplier come from contracts that anyone may deploy for any owner, so they may be anything.",
  response: Schema.Struct({
    balances: rowsOf(
      Schema.Struct({
        balance: Schema.optional(Schema.Unknown),
        jetton: Schema.Struct({
          address: Schema.String,
          decimals: Schema.optional(Schema.Unknown),
          scaled_ui: Schema.optional(Schema.Unknown)
        })
      })
    )
  })
})

export const jetton = Call.get("/v2/jettons/{address}", {
  response: Schema.Struct({ metadata: Schema.Struct({ decimals: WrittenDecimals }) })
})

export const jettonMaster = Call.get("/v2/jettons/{address}", {
  response: Schema.Struct({
    mintable: Schema.optional(Schema.Boolean),
    total_supply: Schema.optional(Schema.Unknown),
    admin: Schema.optional(Schema.NullOr(Schema.Struct({ address: Schema.String }))),
    metadata: Schema.Struct({
      address: Schema.String,
      name: Schema.optional(Schema.Unknown),
      symbol: Schema.optional(Schema.Unknown),
      decimals: Schema.optional(Schema.Unknown)
    })
  })
})

export const jettonInfos = Call.post("/v2/jettons/_bulk", {
  ...bulk,
  note: "Jettons that are not indexed are absent.",
  response: Schema.Struct({
    jettons: rowsOf(
      Schema.Struct({
        metadata: Schema.Struct({ address: Schema.String, decimals: Schema.optional(Schema.Unknown) }),
        scaled_ui: Schema.optional(Schema.Unknown)
      })
    )
  })
})

const Account = Schema.Struct({ address: Schema.String })
const Jetton = Schema.Struct({ address: Schema.String, decimals: Schema.optional(Schema.Unknown) })

/** `ton_attached` until June 2026, `gram_attached` since. */
const SmartContractExec = Schema.extend(
  Schema.Struct({ executor: Account, contract: Account }),
  Schema.Union(Schema.Struct({ gram_attached: Coins }), Schema.Struct({ ton_attached: Coins }))
)

const Action = Schema.Struct({
  type: Schema.String,
  status: Schema.String,
  TonTransfer: Schema.optional(Schema.Struct({ sender: Account, recipient: Account, amount: Coins })),
  JettonTransfer: Schema.optional(
    Schema.Struct({
      sender: Schema.optional(Account),
      recipient: Schema.optional(Account),
      amount: Amount,
      jetton: Jetton
    })
  ),
  JettonMint: Schema.optional(Schema.Struct({ recipient: Account, amount: Amount, jetton: Jetton })),
  JettonBurn: Schema.optional(Schema.Struct({ sender: Account, amount: Amount, jetton: Jetton })),
  SmartContractExec: Schema.optional(SmartContractExec)
})
export type Action = typeof Action.Type

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
export type Event = typeof Event.Type

/** The maximum of events per call. */
export const eventsPerCall = 100

/** A page of the events of an account, in a range of times. */
interface EventPage {
  readonly limit: number
  readonly start: Seconds | undefined
  readonly end: Seconds | undefined
  readonly before: string | undefined
}

export const events = Call.get("/v2/accounts/{address}/events", {
  query: ({ before, end, limit, start }: EventPage) => ({
    limit,
    subject_only: true,
    start_date: start === undefined ? undefined : String(start),
    end_date: end === undefined ? undefined : String(end),
    before_lt: before
  }),
  response: Schema.Struct({ events: rowsOf(Event), next_from: Schema.optional(Schema.Int) })
})

export const transaction = Call.get("/v2/blockchain/transactions/{hash}", {
  response: IndexedTransaction,
  about: (row, { hash }) => isTransaction(hash)(row)
})

export const transactionOfMessage = Call.get("/v2/blockchain/messages/{hash}/transaction", {
  response: IndexedTransaction,
  about: (row, { hash }) => isOfMessage(hash)(row)
})

const Price = Schema.Int.pipe(Schema.nonNegative())
const PriceOrZero = Schema.optionalWith(Price, { default: () => 0 })

export const config = Call.get("/v2/blockchain/config", {
  note: "The parameters of the configuration, by number.",
  response: Schema.Struct({
    "21": Schema.Struct({
      gas_limits_prices: Schema.Struct({ flat_gas_limit: PriceOrZero, flat_gas_price: PriceOrZero, gas_price: Price })
    }),
    "25": Schema.Struct({
      msg_forward_prices: Schema.Struct({ lump_price: Price, bit_price: Price, cell_price: Price })
    })
  })
})
