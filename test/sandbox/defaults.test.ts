import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import { parse as polkadotAddress } from "../../src/chains/polkadot/PolkadotAddress.ts"
import { cardano } from "../../src/sandbox/cardano/cardano.ts"
import { polkadot } from "../../src/sandbox/polkadot/polkadot.ts"
import { ripple } from "../../src/sandbox/ripple/ripple.ts"
import { solana } from "../../src/sandbox/solana/solana.ts"
import { ton } from "../../src/sandbox/ton/ton.ts"
import { tron } from "../../src/sandbox/tron/tron.ts"
import { utxo } from "../../src/sandbox/utxo/utxo.ts"
import * as World from "../../src/sandbox/world/World.ts"
import type { Simulated } from "../../src/sandbox/world/wire.ts"
import { samples } from "../chains/families/samples.ts"
import { Bch, Bitcoin, Cardano, Litecoin, Polkadot, Ripple, Solana, Ton, Tron } from "../support/networks.ts"
import { assert, describe, it } from "../support/vitest.ts"

// What simulated upstreams answer if a request lacks the parameters that the service always sends: like the real ones.

const now = 1_790_000_000_000

type Family = (facts: World.InWorld<NetworkFacts>) => ReadonlyArray<readonly [name: string, upstream: Simulated]>

/** Sends requests to the upstreams of a network. */
const asking = (family: Family, info: NetworkFacts, world = World.make()) => {
  const upstreams = new Map(family({ ...info, world }))
  return (name: string, target: string, request?: unknown) =>
    Effect.promise(async () => {
      const { pathname: path, searchParams: query } = new URL(target, "https://anywhere.example")
      const [method, body] = request === undefined ? ["GET", ""] : ["POST", JSON.stringify(request)]
      const response = upstreams.get(name)?.({ method, path, query, body, now }) ?? assert.fail(name)
      return { status: response.status, body: JSON.parse(await response.text()) }
    })
}

/** The first sample of a network that holds coins. */
const holderOf = (info: NetworkFacts, canonical = (text: string) => text): string =>
  samples(info, 20).find((text) => World.native(info, canonical(text)) > 0n) ?? assert.fail(info.id)

describe("the defaults of the simulated upstreams", () => {
  it("are pages from 1 with the oldest rows first at Blockfrost, which refuses more than 100 rows", function* () {
    const ask = asking(cardano, Cardano.info)
    const path = `/addresses/${holderOf(Cardano.info)}`
    const list = `${path}/transactions`
    const { body: oldest } = yield* ask("blockfrost", list)
    assert.isAbove(oldest.length, 3)
    assert.deepStrictEqual((yield* ask("blockfrost", `${list}?page=1`)).body, oldest)
    assert.deepStrictEqual((yield* ask("blockfrost", `${list}?order=desc`)).body, oldest.toReversed())
    const second = (yield* ask("blockfrost", `${list}?count=2&page=2`)).body
    assert.deepStrictEqual(second, oldest.slice(2, 4))
    assert.isAbove(oldest.at(-1).block_height, oldest[0].block_height)
    const { body: outputs } = yield* ask("blockfrost", `${path}/utxos?page=1`)
    assert.isNotEmpty(outputs)
    assert.deepStrictEqual((yield* ask("blockfrost", `${path}/utxos`)).body, outputs)
    assert.deepStrictEqual((yield* ask("blockfrost", `${path}/utxos?count=1&page=2`)).body, outputs.slice(1, 2))
    for (const wrong of ["count=101", "page=0"])
      assert.strictEqual((yield* ask("blockfrost", `${list}?${wrong}`)).status, 400, wrong)
  })

  it("are all epochs, oldest first, at Koios, which sorts by any columns", function* () {
    const ask = asking(cardano, Cardano.info)
    const epochs = function* (query: string) {
      const { body } = yield* ask("koios", `/epoch_params${query}`)
      return body.map(({ epoch_no }: { readonly epoch_no: number }) => epoch_no)
    }
    const [first, last] = yield* epochs("")
    assert.strictEqual(last, first + 1)
    assert.deepStrictEqual(yield* epochs("?order=epoch_no.desc&limit=1"), [last])
    const _addresses = [holderOf(Cardano.info)]
    const heights = function* (query: string) {
      const { body } = yield* ask("koios", `/address_txs${query}`, { _addresses })
      return body.map(({ block_height }: { readonly block_height: number }) => block_height)
    }
    const newestFirst: ReadonlyArray<number> = yield* heights("")
    assert.deepStrictEqual(
      newestFirst,
      newestFirst.toSorted((a, b) => b - a)
    )
    assert.deepStrictEqual(yield* heights("?order=block_height.asc.nullslast,tx_hash.asc"), newestFirst.toReversed())
  })

  it("are hashes by height, of the newest block without a height, at a node of Polkadot", function* () {
    const ask = asking(polkadot, Polkadot.info)
    const call = function* (method: string, ...params: ReadonlyArray<unknown>) {
      return (yield* ask("polkadot-rpc", "/", { jsonrpc: "2.0", id: 1, method, params })).body.result
    }
    const newest = yield* call("chain_getFinalizedHead")
    const height = Number((yield* call("chain_getHeader", newest)).number)
    const genesis = yield* call("chain_getBlockHash", 0)
    assert.strictEqual(yield* call("chain_getBlockHash"), newest)
    assert.strictEqual(Number((yield* call("chain_getHeader")).number), height)
    const before = yield* call("chain_getBlockHash", `0x${(height - 1).toString(16)}`)
    assert.strictEqual(Number((yield* call("chain_getHeader", before)).number), height - 1)
    assert.deepStrictEqual(yield* call("chain_getBlockHash", [0, height, height + 1]), [genesis, newest, null])
    assert.strictEqual(new Set([genesis, before, newest]).size, 3)
  })

  it("do not exist at Subscan, which requires a page and its size", function* () {
    const ask = asking(polkadot, Polkadot.info)
    const address = holderOf(Polkadot.info, (text) => Either.getOrElse(polkadotAddress(text), () => ""))
    const transfers = (more: object) => ask("subscan", "/api/v2/scan/transfers", { address, ...more })
    for (const wrong of [{}, { row: 10 }, { page: 0 }, { row: 101, page: 0 }])
      assert.strictEqual((yield* transfers(wrong)).status, 400, JSON.stringify(wrong))
    assert.isNotEmpty((yield* transfers({ row: 1, page: 0 })).body.data.transfers)
  })

  it("are newest rows first at TronGrid and TON Center; TonAPI requires a limit", function* () {
    const rows = function* (family: Family, info: NetworkFacts, name: string, path: string, ascending: string) {
      const ask = asking(family, info)
      const times = ({ data, transactions }: Record<string, ReadonlyArray<Record<string, number>>>) =>
        (data ?? transactions ?? []).map(({ block_timestamp, now }) => block_timestamp ?? now ?? 0)
      const newestFirst = times((yield* ask(name, `${path}`)).body)
      assert.isAbove(newestFirst.length, 3)
      assert.deepStrictEqual(
        newestFirst,
        newestFirst.toSorted((a, b) => b - a)
      )
      const oldestFirst = times((yield* ask(name, `${path}${path.includes("?") ? "&" : "?"}${ascending}`)).body)
      assert.deepStrictEqual(
        oldestFirst,
        oldestFirst.toSorted((a, b) => a - b)
      )
      assert.isAtMost(oldestFirst[0] ?? 0, newestFirst.at(-1) ?? 0)
    }
    const trc = `/v1/accounts/${holderOf(Tron.info)}/transactions`
    yield* rows(tron, Tron.info, "trongrid", trc, "order_by=block_timestamp,asc")
    const own = samples(Ton.info, 1)[0] ?? ""
    yield* rows(ton, Ton.info, "toncenter", `/api/v3/transactions?account=${own}&limit=100`, "sort=asc")
    const ask = asking(ton, Ton.info)
    assert.strictEqual((yield* ask("tonapi", `/v2/accounts/${own}/events`)).status, 400)
    assert.isNotEmpty((yield* ask("tonapi", `/v2/accounts/${own}/events?limit=1`)).body.events)
  })

  it("are the open ledger at a node of the XRP Ledger", function* () {
    const world = World.make()
    const ask = asking(ripple, Ripple.info, world)
    const account = holderOf(Ripple.info)
    const info = function* (more: object) {
      const params = [{ account, ...more }]
      return (yield* ask("ripple-rpc", "/", { method: "account_info", params })).body.result
    }
    const validated = yield* info({ ledger_index: "validated" })
    const open = yield* info({})
    assert.deepStrictEqual(open, yield* info({ ledger_index: "current" }))
    assert.deepStrictEqual([validated.validated, open.validated], [true, false])
    assert.strictEqual(open.ledger_current_index, validated.ledger_index + 1)
  })

  it("are bytes in base58 at a node of Solana, which refuses larger accounts", function* () {
    const ask = asking(solana, Solana.info)
    const call = function* (method: string, ...params: ReadonlyArray<unknown>) {
      return (yield* ask("solana-rpc", "/", { jsonrpc: "2.0", id: 1, method, params })).body
    }
    const contract = World.contractsOn("solana").find(({ coin }) => coin.id === "usd-coin")
    const owner = samples(Solana.info, 30).find((text) =>
      contract === undefined ? false : World.tokenBalance(Solana.info, contract, text) > 0n
    )
    assert.isString((yield* call("getAccountInfo", contract?.address)).result.value.data)
    const several = (yield* call("getMultipleAccounts", [contract?.address])).result.value
    assert.strictEqual(several[0].data[1], "base64")
    const { result } = yield* call("getTokenAccountsByOwner", owner, { mint: contract?.address })
    assert.strictEqual(result.value[0].account.data, "error: data too large for bs58 encoding")
    assert.strictEqual((yield* call("getAccountInfo", result.value[0].pubkey)).error.code, -32600)
  })

  it("are version 1 of JSON-RPC at a node of the Bitcoin family, which also answers in version 2", function* () {
    const ask = asking(utxo, Bitcoin.info)
    const call = (method: string, more: object = {}) => ask("bitcoin-rpc", "/", { id: 7, method, ...more })
    const { body: height } = yield* call("getblockcount")
    assert.deepStrictEqual(height, { result: height.result, error: null, id: 7 })
    const newer = { jsonrpc: "2.0", params: ["00"] }
    assert.deepStrictEqual((yield* call("getblockcount", newer)).body, { jsonrpc: "2.0", result: height.result, id: 7 })
    const { body: refusal, status } = yield* call("sendrawtransaction", { params: ["00"] })
    assert.deepStrictEqual([status, refusal.result, refusal.error.code], [500, null, -22])
    assert.deepStrictEqual(yield* call("sendrawtransaction", newer), {
      status: 200,
      body: { jsonrpc: "2.0", error: refusal.error, id: 7 }
    })
    assert.deepStrictEqual([(yield* call("nothing")).status, (yield* call("nothing", newer)).status], [404, 200])
  })

  it("are the lists of each indexer of the Bitcoin family", function* () {
    const bitcoin = asking(utxo, Bitcoin.info)
    const address = holderOf(Bitcoin.info)
    const { body: all } = yield* bitcoin("bitcoin-blockcypher", `/addrs/${address}`)
    const { body: own } = yield* bitcoin("bitcoin-blockcypher", `/addrs/${address}?unspentOnly=true`)
    const spending = all.txrefs.filter(({ tx_input_n }: { readonly tx_input_n: number }) => tx_input_n >= 0)
    assert.isNotEmpty(spending)
    assert.strictEqual(all.txrefs.length, own.txrefs.length + spending.length)
    assert.notProperty(own.txrefs[0], "script")
    const { body: one } = yield* bitcoin("bitcoin-blockcypher", `/addrs/${address}?limit=1`)
    assert.deepStrictEqual([one.txrefs.length, one.hasMore], [1, true])
    const { body: many } = yield* bitcoin("bitcoin-blockchain-info", `/multiaddr?active=${address}`)
    const { body: none } = yield* bitcoin("bitcoin-blockchain-info", `/multiaddr?active=${address}&n=0`)
    assert.deepStrictEqual([many.txs.length, none.txs], [many.addresses[0].n_tx, []])
    const litecoin = asking(utxo, Litecoin.info)
    const path = `/api/v2/address/${holderOf(Litecoin.info)}`
    const { body: basic } = yield* litecoin("litecoin-blockbook", `${path}?details=basic`)
    const { body: usual } = yield* litecoin("litecoin-blockbook", path)
    assert.deepStrictEqual({ ...usual, txids: undefined }, { ...basic, txids: undefined })
    assert.strictEqual(usual.txids.length, usual.txs + usual.unconfirmedTxs)
  })

  it("are 100 outputs at Haskoin", function* () {
    const world = World.make()
    const address = holderOf(Bch.info)
    for (let index = 0; index < 120; index++) yield* world.fund("bch", address, 1_000n)
    const ask = asking(utxo, Bch.info, world)
    const { body: first } = yield* ask("bch-haskoin", `/address/${address}/unspent`)
    const { body: all } = yield* ask("bch-haskoin", `/address/${address}/unspent?limit=5000`)
    assert.deepStrictEqual(first, all.slice(0, 100))
    assert.isAbove(all.length, 100)
  })
})
