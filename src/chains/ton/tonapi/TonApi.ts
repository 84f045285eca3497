import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ton } from "../../../catalogue/ton.ts"
import type { TonContext } from "../../../domain/transactionContext/TonContext.ts"
import * as declare from "../../../settings/declare.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import { join } from "../../mergePaged.ts"
import { type Client, elector, inChunks, inRange, requireCurrentHead, traceSeconds } from "../Client.ts"
import * as TonTransactions from "../TonTransactions.ts"
import * as TonApiConfig from "./TonApiConfig.ts"
import * as TonApiEvents from "./TonApiEvents.ts"
import * as TonApiWallets from "./TonApiWallets.ts"
import * as TonApiWire from "./TonApiWire.ts"

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
          query(HttpClientRequest.get(`/v2/wallet/${address}/seqno`), TonApiWallets.seqno),
          ({ seqno }): TonContext => ({ ...context, seqno })
        )

  const readContexts = (addresses: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const found = yield* query(accounts(addresses), TonApiWallets.contexts(addresses))
      const read = yield* Effect.forEach(
        found,
        ([address, context]) =>
          Effect.map(Effect.either(withSeqno(address, context)), (result) => [address, result] as const),
        { concurrency: 4 }
      )
      const byAddress = new Map(read)
      return (address: string) => byAddress.get(address) ?? Either.left(upstream.fault(TonApiWire.notAll))
    })

  const current = yield* requireCurrentHead(
    upstream,
    Effect.map(
      query(HttpClientRequest.get("/v2/blockchain/masterchain-head"), TonApiWallets.head),
      ({ gen_utime }) => gen_utime
    )
  )

  const client: Client = {
    name: upstream.name,
    standing: upstream.standing,
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
    prices: TonApiConfig.make(upstream)
  }
  return client
})

const accounts = (addresses: ReadonlyArray<string>) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/v2/accounts/_bulk"), { account_ids: addresses })

const jettons = (address: string) => HttpClientRequest.get(`/v2/accounts/${address}/jettons`)
