import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { ChartMetadata, Ohlc } from "../../src/contract/ChartsApi.ts"
import { Funding } from "../../src/contract/FaucetApi.ts"
import { History } from "../../src/contract/HistoryApi.ts"
import { ProtocolParameters } from "../../src/contract/nodes/NodesApi.ts"
import { CoinPrice, TokenPrice } from "../../src/contract/prices/PricesApi.ts"
import { NetworkDescription } from "../../src/contract/StatusApi.ts"
import { SimulationRequest } from "../../src/contract/simulation/SimulationApi.ts"
import { FirstTransactions } from "../../src/contract/TransactionsApi.ts"
import { Balance, TokenBalance } from "../../src/domain/Balance.ts"
import { coins, isPriced } from "../../src/sandbox/world/coins.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { run } from "../support/command.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

const working = Catalogue.all.filter(({ sunset }) => sunset === undefined)
const byId = <A>(value: (id: string, info: (typeof Catalogue.all)[number]) => A) =>
  Object.fromEntries(working.map((info) => [info.id as string, value(info.id, info)]))

/** Decodes a response with status 200; rejects properties that are not in the schema. */
const of = <A, I>(schema: Schema.Schema<A, I>, response: Response, what: string, lacks?: RegExp) =>
  Effect.gen(function* () {
    assert.strictEqual(response.status, 200, what)
    const failures = response.headers.get("x-partial-failures")
    if (failures !== null) assert.match(failures, lacks ?? /^nothing$/, what)
    return yield* Schema.decodeUnknown(schema, { onExcessProperty: "error" })(yield* body(response))
  })

const record = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })

/** A wallet's first JSON-RPC call, by family. */
const firstCalls: Readonly<Record<string, readonly [method: string, params: unknown]>> = {
  evm: ["eth_getBlockByNumber", ["latest", false]],
  solana: ["getLatestBlockhash", []],
  sui: ["sui_getLatestCheckpointSequenceNumber", []],
  ton: ["getMasterchainInfo", {}]
}

describe("the sandbox without other variables", () => {
  layer(Service.layer(), { excludeTestServices: true })((it) => {
    it("makes the abilities of every network available, except of networks that were shut down", function* () {
      const { get } = yield* Service
      const all = yield* of(Schema.Array(NetworkDescription), yield* get("/networks"), "networks")
      for (const { abilities, id, sunset } of all) {
        const { balance, firstTransaction, history, rawTransactions, rpc, tokens } = abilities
        for (const route of [balance, history])
          assert.strictEqual(route.available, sunset === undefined, `${id}: ${route.reason}`)
        // A missing ability does not depend on settings.
        for (const route of [rpc, rawTransactions, firstTransaction, tokens])
          assert.notMatch(route.reason ?? "", /\bset [A-Z]+_/, id)
      }
      const keyed = new Set(
        all.flatMap(({ abilities }) =>
          Object.values(abilities).flatMap(({ upstreams }) =>
            upstreams.filter((upstream) => upstream.keyed).map(({ name }) => name)
          )
        )
      )
      assert.includeMembers([...keyed], ["etherscan", "subscan"])
    })

    it("returns balances on every network, including tokens", function* () {
      const { post } = yield* Service
      const networks = byId((_, info) => samples(info, 3))
      const rows = yield* of(Schema.Array(Balance), yield* post("/balance", { networks }), "balance")
      for (const { balance, balanceUsd, blockchain, error, holderAddress } of rows) {
        assert.isUndefined(error, blockchain)
        assert.isNotNull(balance ?? balanceUsd, `${blockchain} ${holderAddress}`)
      }
      for (const info of working) {
        const [address = ""] = samples(info, 1)
        const single = (tokenAddress?: string) =>
          Effect.flatMap(
            post("/balance/token", { networkId: info.id, address, ...(tokenAddress && { tokenAddress }) }),
            (response) => of(TokenBalance, response, info.id)
          )
        const own = rows.filter((row) => row.blockchain === info.id && row.holderAddress === address)
        for (const { balance, contractAddress } of own)
          assert.strictEqual((yield* single(contractAddress ?? undefined)).balance, balance, info.id)
      }
    })

    it("returns histories on every network", function* () {
      const { post } = yield* Service
      const networks = byId((_, info) => samples(info, 2))
      const told = yield* of(History, yield* post("/history", { networks, limit: 3 }), "history")
      for (const { id } of working) assert.isNotEmpty(Object.values(told[id] ?? {}).flat(), id)
      const shut = Catalogue.all.find(({ sunset }) => sunset !== undefined)?.id ?? ""
      const response = yield* post("/history", { networks: { [shut]: [holder(1)], base: [holder(1)] } })
      assert.match(response.headers.get("x-partial-failures") ?? "", /shut down/)
    })

    it("returns prices of all chains and coins, details of all platforms, and charts of all periods", function* () {
      const { get } = yield* Service
      const chains = yield* of(
        record(record(TokenPrice)),
        yield* get(`/price?network_ids=${Catalogue.pricedChains.join()}`),
        "price",
        // Just after a start, prices of tokens may still be missing; the response reports it.
        /prices of its tokens are still being/
      )
      assert.sameMembers(Object.keys(chains), Catalogue.pricedChains.map(String))
      for (const [chain, prices] of Object.entries(chains)) assert.isNotEmpty(Object.keys(prices), chain)
      const ids = coins.map(({ id }) => id)
      const prices = yield* of(record(CoinPrice), yield* get(`/price/coin?coin_ids=${ids.join()}`), "coins")
      assert.sameMembers(Object.keys(prices), ids)
      for (const coin of coins)
        if (isPriced(coin)) assert.isNumber(prices[coin.id]?.price, coin.id)
        else assert.deepInclude(prices[coin.id], { price: null, errorCode: "no_price" })
      const pairs = Schema.NonEmptyArray(Schema.Tuple(Schema.Number, Schema.Number))
      const chart = Schema.Struct({ prices: pairs, market_caps: pairs, total_volumes: pairs })
      for (const days of [1, 7, 30, 365]) {
        const path = `/price/market_chart?coin_ids=bitcoin,chainlink&days=${days}`
        const charts = yield* of(record(chart), yield* get(path), path)
        assert.sameMembers(Object.keys(charts), ["bitcoin", "chainlink"])
      }
      for (const { native, platform } of Catalogue.all) {
        if (platform === undefined) continue
        const page = yield* get(`/price/coin/details/${platform}`)
        assert.deepInclude(yield* body<object>(page), { id: native.coinId }, platform)
        for (const { address, coin } of World.contractsOn(platform).slice(0, 1)) {
          const details = yield* get(`/price/coin/details/${platform}/${encodeURIComponent(address)}`)
          assert.deepInclude(yield* body<object>(details), { id: coin.id }, platform)
        }
      }
    })

    it("returns candles of every coin and period in the metadata", function* () {
      const { get } = yield* Service
      const { data } = yield* of(ChartMetadata, yield* get("/app/mdata"), "mdata")
      assert.strictEqual(data.length, 21)
      const series = Schema.NonEmptyArray(Ohlc)
      const whole = yield* of(record(record(series)), yield* get("/app/mdata/data"), "data")
      for (const { coin, length, period } of data) {
        const chart = yield* of(series, yield* get(`/app/mdata/item/${coin}/${period}`), `${coin} ${period}`)
        assert.strictEqual(chart.length, length)
        assert.deepStrictEqual(whole[coin]?.[period], chart)
        const list = yield* of(record(series), yield* get(`/app/mdata/list/${coin}/${period}`), coin)
        assert.deepStrictEqual(list, { [coin]: chart })
      }
      assert.deepStrictEqual(yield* body<unknown>(yield* get("/app/mdata/errors")), [])
      assert.strictEqual((yield* get("/app/mdata/restart")).status, 200)
    })

    it("proxies calls to the nodes of every network with JSON-RPC and of every test network", function* () {
      const { get, post } = yield* Service
      const all = yield* body<ReadonlyArray<NetworkDescription>>(yield* get("/networks"))
      const open = all.filter(({ abilities }) => abilities.rpc.available)
      assert.sameMembers(
        open.map(({ id }) => id),
        [...Catalogue.proxied]
      )
      for (const { family, id } of open) {
        const [method, params] = firstCalls[family] ?? [""]
        const call = { jsonrpc: "2.0", id: 7, method, params }
        const testnet = Catalogue.proxiedTestnets.includes(id) ? ["/testnet"] : []
        for (const where of ["", ...testnet]) {
          const response = yield* post(`/utils/rpc/${id}${where}`, call)
          assert.strictEqual(response.status, 200, id)
          const told = yield* body<{ readonly id: unknown; readonly result?: unknown }>(response)
          assert.strictEqual(told.id, 7)
          assert.isTrue(told.result != null, `${id}${where}: ${JSON.stringify(told)}`)
        }
      }
    })

    it("simulates transactions on every documented chain, with a page for each simulation", function* () {
      const { post } = yield* Service
      const input = { from: holder(1), to: holder(2), input: "0x", value: "1" }
      const chains = SimulationRequest.fields.chain.literals
      for (const chain of chains) {
        const response = yield* post("/utils/simulate-tx", { chain, input })
        assert.strictEqual(response.status, 200, chain)
        const told = yield* body<{
          readonly simulation: { readonly id: string; readonly network_id: string }
          readonly simulationUrl: string
        }>(response)
        assert.strictEqual(told.simulation.network_id, chain)
        assert.isTrue(told.simulationUrl.endsWith(told.simulation.id), chain)
      }
    })

    it("funds accounts of the operator's test network", function* () {
      const { get } = yield* Service
      for (const address of [holder(1), holder(2)]) {
        const told = yield* of(Funding, yield* get(`/utils/fund-testnet-account/${address}`), "funding")
        assert.deepInclude(told, { address, amount: "1" })
        assert.match(told.hash ?? "", /^0x[0-9a-f]{64}$/)
      }
    })

    it("returns the oldest transaction of each history as first transaction, on all documented networks", function* () {
      const { get, post } = yield* Service
      const all = yield* body<ReadonlyArray<NetworkDescription>>(yield* get("/networks"))
      const able = all.filter(({ abilities }) => abilities.firstTransaction.available).map(({ id }) => id)
      const shut = Catalogue.all.filter(({ sunset }) => sunset !== undefined).map(({ id }) => id as string)
      assert.sameMembers([...able, ...shut], [...Catalogue.firstTransactions])
      const networks = Object.fromEntries(able.map((id) => [id, [holder(3)]]))
      const history = yield* body<History>(yield* post("/history", { networks, limit: 500 }))
      const asked = { networkIds: able, address: holder(3) }
      const told = yield* of(FirstTransactions, yield* post("/utils/first-tx", asked), "first-tx")
      const oldest = able.flatMap((id) => {
        const last = history[id]?.[holder(3)]?.at(-1)
        return last === undefined ? [] : [[id, { timestamp: last.timestamp }] as const]
      })
      assert.isAbove(oldest.length, 3)
      assert.deepStrictEqual(told, Object.fromEntries(oldest))
      const none = yield* post("/utils/first-tx", { networkIds: shut, address: holder(3) })
      assert.deepStrictEqual([none.status, yield* body<unknown>(none)], [200, {}])
    })

    it("returns Cardano's protocol parameters", function* () {
      const { get } = yield* Service
      const told = yield* of(ProtocolParameters, yield* get("/utils/protocol-parameters"), "parameters")
      assert.deepInclude(told.parameters, { min_fee_a: 44, epoch: told.blockData.epoch })
      assert.isNumber(told.blockData.height)
    })
  })

  it.live("is listed by `config` with its default keys, which the operator's variables override", function* () {
    const { code, stdout } = yield* run(["config"], { UPSTREAMS: "sandbox", TENDERLY_PROJECT: "mine" })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^ETHERSCAN_API_KEY=<set> {2}\(default\)$/m)
    assert.match(stdout, /^TENDERLY_ACCOUNT=sandbox {2}\(default\)$/m)
    assert.match(stdout, /^TENDERLY_PROJECT=mine$/m)
    const live = yield* run(["config"], {})
    assert.match(live.stdout, /^ETHERSCAN_API_KEY= {2}\(default\)$/m)
  })
})
