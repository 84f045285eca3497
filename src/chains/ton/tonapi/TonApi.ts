import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ton } from "../../../catalogue/ton.ts"
import * as declare from "../../../settings/declare.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import type * as Sources from "../../../upstream/Sources.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { type Client, elector, type TonReading } from "../Client.ts"
import * as TonTransactions from "../TonTransactions.ts"
import { accountHistory } from "./accountHistory.ts"
import * as TonApiConfig from "./TonApiConfig.ts"
import * as TonApiWallets from "./TonApiWallets.ts"
import * as TonApiWire from "./TonApiWire.ts"

// TonAPI v2 (tonapi.io, api/openapi.yml of github.com/tonkeeper/opentonapi). Without a key it allows one call a second
// (docs.tonconsole.com).

const addressesPerCall = 100

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TONAPI_URL",
    default: ton.indexers.tonapi,
    meaning: "Base address of TonAPI, which serves /v2; used for what TON Center does not return"
  })
  return yield* Upstream.make({
    name: "tonapi",
    urls: [url],
    concurrency: 8,
    size: ResponseSize.rows,
    rate: { source: "TONAPI", keyless: { perSecond: 1, burst: 1 } },
    canary: (address) => address.read(accounts([elector]), TonApiWire.balances([elector]))
  })
})

/** The second indexer, after TON Center: balances of many accounts in a call, jettons of one. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect

  const query = <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
    upstream.over((address) => address.read(request, interpret))

  const jettonsOf = (owner: string) => query(jettons(owner), TonApiWire.jettons)

  const readSome = (
    addresses: ReadonlyArray<string>,
    withJettons: boolean,
    report: Sources.Report<string, TonReading, UpstreamError>
  ) =>
    Effect.gen(function* () {
      const balances = yield* query(accounts(addresses), TonApiWire.balances(addresses))
      yield* Effect.forEach(
        addresses,
        (address) =>
          Effect.map(Effect.either(withJettons ? jettonsOf(address) : Effect.succeed(nothing)), (result) =>
            report(
              address,
              Either.map(result, (jettons) => ({ native: balances.get(address) ?? 0n, jettons }))
            )
          ),
        { concurrency: "unbounded", discard: true }
      )
    }).pipe(
      Effect.catchTag("UpstreamError", (error) =>
        Effect.sync(() => {
          for (const address of addresses) report(address, Either.left(error))
        })
      )
    )

  /** A wallet without its seqno is left out. */
  const readContexts = (addresses: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const found = yield* query(accounts(addresses), TonApiWallets.contexts(addresses))
      const read = yield* Effect.forEach(
        found,
        ([address, context]) =>
          context.wallet === null
            ? Effect.succeed([[address, context] as const])
            : Effect.match(query(HttpClientRequest.get(`/v2/wallet/${address}/seqno`), TonApiWallets.seqno), {
                onFailure: () => [],
                onSuccess: ({ seqno }) => [[address, { ...context, seqno }] as const]
              }),
        { concurrency: 4 }
      )
      return read.flat()
    })

  const client: Client = {
    name: upstream.name,
    standing: upstream.standing,
    read: (addresses, withJettons, report) =>
      Effect.forEach(Arr.chunksOf(addresses, addressesPerCall), (some) => readSome(some, withJettons, report), {
        concurrency: "unbounded",
        discard: true
      }),
    jetton: (owner, master) =>
      Effect.map(jettonsOf(owner), (all) => all.get(master) ?? { amount: 0n, decimals: undefined }),
    decimals: (master) => query(HttpClientRequest.get(`/v2/jettons/${master}`), TonApiWire.decimals),
    history: accountHistory(upstream),
    contexts: (addresses) =>
      Effect.map(
        Effect.forEach(Arr.chunksOf(addresses, addressesPerCall), readContexts, { concurrency: "unbounded" }),
        (parts) => new Map(parts.flat())
      ),
    transaction: (hash) =>
      query(HttpClientRequest.get(`/v2/blockchain/transactions/${hash}`), TonTransactions.single(hash)),
    prices: TonApiConfig.make(upstream)
  }
  return client
})

const nothing: TonReading["jettons"] = new Map()

const accounts = (addresses: ReadonlyArray<string>) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/v2/accounts/_bulk"), { account_ids: addresses })

const jettons = (address: string) => HttpClientRequest.get(`/v2/accounts/${address}/jettons`)
