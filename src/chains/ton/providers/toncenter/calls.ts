import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { tonStates } from "../../../../domain/TransactionContext.ts"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { elector } from "../../Provider.ts"
import * as TonAddress from "../../TonAddress.ts"
import { IndexedTransaction, isOfMessage, isTransaction } from "../../TonTransactions.ts"
import { Coins, JettonBurn, JettonTransfer, ToncenterTransaction } from "./listRows.ts"

// The calls of TON Center: the index of API v3 (source in github.com/toncenter/ton-indexer), and two of the node's API v2.

/** The address of the documentation. @public */
export const documentation = "https://toncenter.com/api/v3"

/** The maximum of rows per call. */
export const rowsPerPage = 1000

/**
 * An error has `ok: false` (API v2 and the gateway) or an `error` (API v3), and a code, which counts if the HTTP status
 * is 200.
 */
const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body) || (body.ok !== false && typeof body.error !== "string")) return undefined
  const text = [body.error, body.result].find((member) => typeof member === "string") ?? ""
  if (/rate ?limit/i.test(`${text}`)) return { reason: "rate_limited", detail: "rate limit reached" }
  if (typeof body.code === "number")
    return ResponseDecoder.statusFault({ status: body.code, text: "", retryAfter: undefined }) ?? refused
  return body.ok === false ? refused : undefined
}

const refused: Fault = { reason: "upstream_error", detail: "rejected the request" }

export const decodeOptions = { refusal }

interface RequestedAccounts {
  readonly addresses: ReadonlyArray<string>
}

/** The elector is requested along with them: a response without it is incomplete. */
const withElector = ({ addresses }: RequestedAccounts) => [...addresses, elector].map(TonAddress.friendly)

export const masterchainInfo = Call.get("/api/v3/masterchainInfo", {
  response: Schema.Struct({
    last: Schema.Struct({
      seqno: Height,
      gen_utime: Schema.Union(Seconds, Schema.compose(Schema.NumberFromString, Seconds))
    })
  })
})

export const accountStates = Call.get("/api/v3/accountStates", {
  note: "Unused accounts may be absent. Without `include_boc=false`, the response has code and data of the contracts.",
  query: (parameters: RequestedAccounts) => ({ address: withElector(parameters), include_boc: false }),
  response: Schema.Struct({
    accounts: rowsOf(
      Schema.Struct({
        address: Schema.String,
        balance: Schema.NullOr(Coins),
        status: Schema.NullOr(Schema.String)
      })
    )
  })
})

const Seqno = Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1))

/** Any number of 32 bits is the id of a wallet, and some tools write it with a sign. */
const WalletId = Schema.Int.pipe(Schema.between(-(2 ** 31), 2 ** 32 - 1))

export const walletStates = Call.get("/api/v3/walletStates", {
  note: "The state of an account, and the results of its wallet's get methods.",
  query: (parameters: RequestedAccounts) => ({ address: withElector(parameters) }),
  response: Schema.Struct({
    wallets: rowsOf(
      Schema.Struct({
        address: Schema.String,
        is_wallet: Schema.optional(Schema.NullOr(Schema.Boolean)),
        wallet_type: Schema.optional(Schema.NullOr(Schema.String)),
        seqno: Schema.optional(Schema.NullOr(Seqno)),
        wallet_id: Schema.optional(Schema.NullOr(WalletId)),
        balance: Schema.optional(Schema.NullOr(Coins)),
        status: Schema.Literal(...tonStates)
      })
    )
  })
})

/** Metadata of the contracts in the rows, by address; see `declaredIn`. */
const metadata = { metadata: Schema.optional(Schema.Unknown) }

interface OwnersPage {
  readonly owners: ReadonlyArray<string>
  /** Undefined for all jettons. */
  readonly master?: string
  readonly offset: number
}

export const jettonWallets = Call.get("/api/v3/jetton/wallets", {
  perOpen: { balance: 1 },
  note: "Balance and jetton come from contracts that anyone may deploy for any owner, so both may be anything.",
  query: ({ master, offset, owners }: OwnersPage) => ({
    owner_address: owners.map(TonAddress.friendly),
    jetton_address: master === undefined ? undefined : TonAddress.friendly(master),
    limit: rowsPerPage,
    offset
  }),
  response: Schema.Struct({
    jetton_wallets: rowsOf(
      Schema.Struct({ owner: Schema.String, jetton: Schema.String, balance: Schema.optional(Schema.Unknown) })
    ),
    ...metadata
  })
})

export const jettonMaster = Call.get("/api/v3/jetton/masters", {
  query: ({ master }: { readonly master: string }) => ({ address: TonAddress.friendly(master), limit: 1 }),
  response: Schema.Struct({
    jetton_masters: Schema.Array(
      Schema.Struct({
        address: Schema.String,
        mintable: Schema.optional(Schema.Boolean),
        total_supply: Schema.optional(Schema.Unknown),
        admin_address: Schema.optional(Schema.NullOr(Schema.String))
      })
    ),
    ...metadata
  })
})

export const displayMultiplier = Call.post("/api/v2/runGetMethod", {
  note: 'The exit code is 11 if the contract has no such method. A number is on the stack as `["num", "0x1f"]`.',
  body: ({ master }: { readonly master: string }) => ({
    address: TonAddress.friendly(master),
    method: "get_display_multiplier",
    stack: []
  }),
  response: Schema.Struct({
    ok: Schema.Literal(true),
    result: Schema.Struct({ exit_code: Schema.Int, stack: Schema.Unknown })
  })
})

export const configParameter = Call.get("/api/v2/getConfigParam", {
  note: "The parameter is a bag of cells (block.tlb: GasLimitsPrices, MsgForwardPrices).",
  query: ({ id }: { readonly id: number }) => ({ config_id: id }),
  response: Schema.Struct({
    ok: Schema.Literal(true),
    result: Schema.Struct({
      config: Schema.Struct({ bytes: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9+/]{1,2000}={0,2}$/)) })
    })
  })
})

/** A page of a list of an account, in a range of times, newest first. */
export interface AccountPage {
  readonly account: string
  readonly start: Seconds | undefined
  readonly end: Seconds | undefined
  readonly limit: number
  readonly offset: number
}

const listed =
  (owner: "account" | "owner_address") =>
  ({ account, end, limit, offset, start }: AccountPage) => ({
    [owner]: TonAddress.friendly(account),
    start_utime: start === undefined ? undefined : String(start),
    end_utime: end === undefined ? undefined : String(end),
    limit,
    offset,
    sort: "desc"
  })

export const transactions = Call.get("/api/v3/transactions", {
  perOpen: { history: 1 },
  query: listed("account"),
  response: Schema.Struct({ transactions: rowsOf(ToncenterTransaction) })
})

export const jettonTransfers = Call.get("/api/v3/jetton/transfers", {
  perOpen: { history: 1 },
  query: listed("owner_address"),
  response: Schema.Struct({ jetton_transfers: rowsOf(JettonTransfer), ...metadata })
})

export const jettonBurns = Call.get("/api/v3/jetton/burns", {
  perOpen: { history: 1 },
  query: listed("owner_address"),
  response: Schema.Struct({ jetton_burns: rowsOf(JettonBurn), ...metadata })
})

interface OfHash {
  readonly hash: string
}

const transactionList = Schema.Struct({ transactions: Schema.Array(IndexedTransaction) })

export const transaction = Call.get("/api/v3/transactions", {
  query: ({ hash }: OfHash) => ({ hash }),
  response: transactionList,
  about: ({ transactions }, { hash }) => transactions.every(isTransaction(hash))
})

export const transactionOfMessage = Call.get("/api/v3/transactionsByMessage", {
  query: ({ hash }: OfHash) => ({ msg_hash: hash, direction: "in" }),
  response: transactionList,
  about: ({ transactions }, { hash }) => transactions.every(isOfMessage(hash))
})

const Traces = Schema.Struct({
  traces: rowsOf(Schema.Struct({ transactions: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }))
})

interface OfHashes {
  readonly hashes: ReadonlyArray<string>
}

export const tracesOfTransactions = Call.get("/api/v3/traces", {
  query: ({ hashes }: OfHashes) => ({ tx_hash: hashes, limit: hashes.length }),
  response: Traces
})

export const tracesOfMessages = Call.get("/api/v3/traces", {
  query: ({ hashes }: OfHashes) => ({ msg_hash: hashes, limit: hashes.length }),
  response: Traces
})
