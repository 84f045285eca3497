import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ton } from "../../../catalogue/ton.ts"
import { type TonContext, tonStates } from "../../../domain/transactionContext/TonContext.ts"
import * as declare from "../../../settings/declare.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { byKeyOrFault } from "../../amounts.ts"
import { join } from "../../mergePaged.ts"
import { type Client, elector, inChunks, inRange, requireCurrentHead, traceSeconds } from "../Client.ts"
import { requestedAddress } from "../decodeBody.ts"
import type { TonPrices } from "../Fees.ts"
import * as TonTransactions from "../TonTransactions.ts"
import { walletKind } from "../walletKinds.ts"
import * as TonApiEvents from "./TonApiEvents.ts"
import * as TonApiWire from "./TonApiWire.ts"
import { Coins, interpreting } from "./TonApiWire.ts"

// TonAPI's `accounts/_bulk`, and `wallet/{account_id}/seqno` for accounts that are wallets.

const Accounts = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      balance: Coins,
      status: Schema.Literal(...tonStates),
      interfaces: Schema.optional(Schema.Array(Schema.String))
    })
  )
})

/** The contexts by canonical address; wallets lack their seqno, which is read separately. */
const contextsIn = (addresses: ReadonlyArray<string>) => {
  const requested = new Set(addresses)
  return interpreting(Accounts, ({ accounts }) =>
    Either.flatMap(
      Either.all(
        accounts.map(({ address, balance, interfaces = [], status }) =>
          Either.map(requestedAddress(requested, address), (canonical): readonly [string, TonContext] => [
            canonical,
            {
              family: "ton",
              state: status,
              seqno: status === "uninit" || status === "nonexist" ? 0 : null,
              wallet: interfaces.map(walletKind).find((kind) => kind !== null) ?? null,
              walletId: null,
              balance: String(balance)
            }
          ])
        )
      ),
      byKeyOrFault
    )
  )
}

/** The newest block of the masterchain. */
const newestHead = ResponseDecoder.fitting(Schema.Struct({ seqno: Schema.Int, gen_utime: Schema.Int }))

const seqnoIn = ResponseDecoder.fitting(Schema.Struct({ seqno: Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1)) }))

// `/v2/blockchain/config` of TonAPI: the parameters of the configuration, by number.

const Price = Schema.Int.pipe(Schema.nonNegative())

const Config = Schema.Struct({
  "21": Schema.Struct({
    gas_limits_prices: Schema.Struct({
      flat_gas_limit: Schema.optionalWith(Price, { default: () => 0 }),
      flat_gas_price: Schema.optionalWith(Price, { default: () => 0 }),
      gas_price: Price
    })
  }),
  "25": Schema.Struct({
    msg_forward_prices: Schema.Struct({ lump_price: Price, bit_price: Price, cell_price: Price })
  })
})

const pricesOf = (upstream: Upstream.Upstream): Effect.Effect<TonPrices, UpstreamError> =>
  Effect.map(
    upstream.read(HttpClientRequest.get("/v2/blockchain/config"), Config),
    ({ "21": { gas_limits_prices: gas }, "25": { msg_forward_prices: message } }) => ({
      gas: {
        flatLimit: BigInt(gas.flat_gas_limit),
        flatPrice: BigInt(gas.flat_gas_price),
        price: BigInt(gas.gas_price)
      },
      message: {
        lump: BigInt(message.lump_price),
        bit: BigInt(message.bit_price),
        cell: BigInt(message.cell_price)
      }
    })
  )

// TonAPI v2 (tonapi.io, api/openapi.yml of github.com/tonkeeper/opentonapi). Without a key it allows one call per
// second (docs.tonconsole.com).

/** The page limit of the API. */
const eventsPerCall = 100

const unreported = "transfers of exchanges, stakes and NFTs: tonapi does not return all of them"

/** Reads the transactions of an account; each is an event of TonAPI. */
const accountHistory =
  (upstream: Upstream.Upstream): Client["history"] =>
  ({ address, before, limit, since }, within) => {
    const page = (next: string | undefined) => {
      const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(`/v2/accounts/${address}/events`), {
        limit: String(Math.min(eventsPerCall, limit + 1)),
        subject_only: "true",
        ...(since === undefined ? {} : { start_date: String(since - traceSeconds) }),
        ...(before === undefined ? {} : { end_date: String(before.height + traceSeconds) }),
        ...(next === undefined ? {} : { before_lt: next })
      })
      return upstream.over((host) => host.read(request, TonApiEvents.events(address)))
    }
    return Effect.map(join([{ name: "transactions", page }], { limit, within }), ({ groups, missing, more }) => ({
      part: {
        ...inRange(groups.flatMap(TonApiEvents.toTransaction(address)), more, since),
        missing: groups.every(({ rows }) => rows.every(TonApiEvents.isFullyDescribed))
          ? missing
          : [...missing, unreported],
        sources: [upstream.name]
      },
      isComplete: true
    }))
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

  const jettonsOf = (owner: string) => query(jettons(owner), TonApiWire.jettons)

  const withSeqno = (address: string, context: TonContext) =>
    context.wallet === null
      ? Effect.succeed(context)
      : Effect.map(
          query(HttpClientRequest.get(`/v2/wallet/${address}/seqno`), seqnoIn),
          ({ seqno }): TonContext => ({ ...context, seqno })
        )

  const readContexts = (addresses: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const found = yield* query(accounts(addresses), contextsIn(addresses))
      const read = yield* Effect.forEach(
        found,
        ([address, context]) =>
          Effect.map(Effect.either(withSeqno(address, context)), (result) => [address, result] as const),
        { concurrency: 4 }
      )
      const byAddress = new Map(read)
      return (address: string) => byAddress.get(address) ?? Either.left(upstream.fault(TonApiWire.notAll))
    })

  const head = Effect.map(
    query(HttpClientRequest.get("/v2/blockchain/masterchain-head"), newestHead),
    ({ gen_utime, seqno }) => ({ height: seqno, time: gen_utime })
  )
  const current = yield* requireCurrentHead(upstream, head)

  const client: Client = {
    name: upstream.name,
    standing: upstream.standing,
    fault: upstream.fault,
    head,
    balances: inChunks((addresses) =>
      Effect.map(
        query(accounts(addresses), TonApiWire.balances(addresses)),
        (found) => (address) => Either.right(found.get(address) ?? 0n)
      )
    ),
    jettons: (addresses, report) =>
      Effect.forEach(
        addresses,
        (address) => Effect.map(Effect.either(jettonsOf(address)), (result) => report(address, result)),
        { concurrency: "unbounded", discard: true }
      ),
    jetton: (owner, master) =>
      Effect.map(jettonsOf(owner), (all) => all.get(master) ?? { amount: 0n, decimals: undefined }),
    decimals: (master) => query(HttpClientRequest.get(`/v2/jettons/${master}`), TonApiWire.decimals),
    history: accountHistory(upstream),
    contexts: current(inChunks(readContexts)),
    transaction: (hash) =>
      query(HttpClientRequest.get(`/v2/blockchain/transactions/${hash}`), TonTransactions.decodeSingle(hash)),
    transactionOfMessage: (hash) =>
      query(
        HttpClientRequest.get(`/v2/blockchain/messages/${hash}/transaction`),
        TonTransactions.decodeSingleOfMessage(hash)
      ),
    prices: pricesOf(upstream)
  }
  return client
})

const accounts = (addresses: ReadonlyArray<string>) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/v2/accounts/_bulk"), { account_ids: addresses })

const jettons = (address: string) => HttpClientRequest.get(`/v2/accounts/${address}/jettons`)
