import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import * as UtxoTransaction from "../../../src/chains/utxo/rawTransactions/UtxoTransaction.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { Litecoind, layer as node } from "../../support/litecoind.ts"
import { contextOf, indexerOver, signer } from "../../support/litecoinWallet.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

/** A public Esplora that accepts every transaction; `sent` lists the transactions that it received. */
const esplora = Effect.gen(function* () {
  const sent: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: async (request) => {
          const { pathname } = new URL(request.url)
          if (pathname === "/blocks/tip/hash") return new Response("ab".repeat(32))
          if (pathname.startsWith("/block/"))
            return Response.json({ height: 1_000_000, timestamp: Math.floor(Date.now() / 1000) })
          if (pathname.includes("/outspend")) return Response.json({ spent: false })
          if (request.method !== "POST") return new Response("Transaction not found", { status: 404 })
          const hex = await request.text()
          sent.push(hex)
          return new Response(Either.getOrThrow(UtxoTransaction.read(litecoin.transactions, hex)).hash)
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )
  return { sent, url: server.url.href.replace(/\/$/, "") }
})

/** A TCP proxy in front of the node that reports when a call has arrived, because the node may be frozen. */
const wire = Effect.fnUntraced(function* (target: string) {
  const arrived = yield* Deferred.make<void>()
  const runtime = yield* Effect.runtime()
  const { host, password, username } = new URL(target)
  const [hostname = "", port] = host.split(":")
  const listener = yield* Effect.acquireRelease(
    Effect.promise(async () =>
      Bun.listen<{ readonly onward: Promise<{ write: (data: Uint8Array) => number; end: () => unknown }> }>({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          open: (socket) => {
            socket.data = {
              onward: Bun.connect({
                hostname,
                port: Number(port),
                socket: {
                  data: (_, data) => void socket.write(data),
                  close: () => void socket.end(),
                  error: () => void socket.end()
                }
              })
            }
          },
          data: async (socket, data) => {
            const onward = await socket.data.onward
            onward.write(data)
            Runtime.runSync(runtime)(Deferred.succeed(arrived, undefined))
          },
          close: async (socket) => void (await socket.data.onward).end()
        }
      })
    ),
    (tCPSocketListener) => Effect.sync(() => tCPSocketListener.stop(true))
  )
  return { arrived, url: `http://${username}:${password}@127.0.0.1:${listener.port}` }
})

const serving = (rpc: string, indexer: string, more: Readonly<Record<string, string>> = {}) =>
  Service.layer(
    { LITECOIN_RPC_URLS: rpc, LITECOIN_BLOCKBOOK_URLS: ",", LITECOIN_ESPLORA_URLS: indexer, ...more },
    sandboxExcept(/^litecoin-/, FetchClient.layer)
  )

const post = (path: string, tx: string) =>
  Effect.flatMap(Service, (service) => service.post(`/utils/${path}`, { chain: "litecoin", tx }))

interface Coin {
  readonly txid: string
  readonly vout: number
  readonly amount: number
}

/** A payment of the node's wallet to itself, signed but not sent. */
const payment = Effect.gen(function* () {
  const { rpc } = yield* Litecoind
  const coins = yield* rpc<ReadonlyArray<Coin>>("listunspent")
  const coin = coins.find(({ amount }) => amount === 50)
  const to = yield* rpc<string>("getnewaddress")
  const raw = yield* rpc<string>("createrawtransaction", [coin], { [to]: 49.99 })
  const { hex } = yield* rpc<{ readonly hex: string }>("signrawtransactionwithwallet", raw)
  const { txid } = yield* rpc<{ readonly txid: string }>("decoderawtransaction", hex)
  return { hex, txid }
})

const mine = Effect.gen(function* () {
  const { rpc } = yield* Litecoind
  yield* rpc("generatetoaddress", 110, yield* rpc<string>("getnewaddress"))
})

interface Answer {
  readonly result: string | null
  readonly error: { readonly code: number; readonly message: string } | null
}

describe.skipIf(isMissing("litecoind"))("raw transactions through a real Litecoin node", () => {
  layer(node, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it("are sent, found, mined, and accepted again; malformed, invalid and unknown transactions are rejected", function* () {
      const { rpc, url } = yield* Litecoind
      const { sent: elsewhere, url: indexer } = yield* esplora
      yield* mine
      const { hex, txid } = yield* payment
      yield* Effect.gen(function* () {
        const unknown = yield* post("getrawtransaction", txid)
        assert.strictEqual(unknown.status, 404)
        assert.strictEqual((yield* body<Answer>(unknown)).error?.code, -5)

        for (const _ of ["first", "again"]) {
          const sent = yield* post("sendrawtransaction", hex)
          assert.strictEqual(sent.status, 200)
          assert.deepInclude(yield* body<Answer>(sent), { result: txid, error: null })
        }
        assert.deepStrictEqual(yield* rpc("getrawmempool"), [txid])
        const found = yield* post("getrawtransaction", txid)
        assert.strictEqual((yield* body<Answer>(found)).result, hex)

        yield* rpc("generatetoaddress", 1, yield* rpc<string>("getnewaddress"))
        const known = yield* post("sendrawtransaction", hex)
        assert.strictEqual(known.status, 200)
        assert.deepInclude(yield* body<Answer>(known), { result: txid, error: null })

        const malformed = yield* post("sendrawtransaction", hex.slice(0, -2))
        assert.strictEqual(malformed.status, 400)
        assert.strictEqual(malformed.headers.get("content-type"), "application/problem+json")
        const spent = yield* payment
        const invalid = yield* post("sendrawtransaction", spent.hex.replace(/.{8}$/, "ffffff7f"))
        assert.strictEqual(invalid.status, 400)
        assert.strictEqual(invalid.headers.get("content-type"), "application/json")
        assert.strictEqual((yield* body<Answer>(invalid)).error?.code, -26)

        const conflicting = yield* payment
        for (const [transaction, hash, decision] of [
          [hex, txid, { accepted: true, alreadyKnown: true, reason: null }],
          [spent.hex, spent.txid, { accepted: true, alreadyKnown: false, reason: null }],
          // The node does not say that the transaction is already in its pool.
          [spent.hex, spent.txid, { accepted: true, alreadyKnown: false, reason: null }],
          [conflicting.hex, conflicting.txid, { accepted: false, alreadyKnown: false, reason: "already_spent" }]
        ] as const) {
          const sent = yield* (yield* Service).post("/transactions/send", { network: "litecoin", transaction })
          const answer = yield* body<object>(sent)
          assert.deepInclude(answer, { network: "litecoin", hash, ...decision }, JSON.stringify(answer))
        }
        assert.deepStrictEqual(elsewhere, [])
      }).pipe(Effect.provide(serving(url, indexer)))
    })

    it("go to the next node if the password is wrong or the port is closed, and return 502 if there is no other node", function* () {
      const { url } = yield* Litecoind
      const { sent, url: indexer } = yield* esplora
      const { hex, txid } = yield* payment
      const wrong = url.replace("secret", "wrong")
      const closed = url.replace(/:\d+$/, ":1")
      for (const broken of [wrong, closed]) {
        const next = yield* Effect.provide(post("sendrawtransaction", hex), serving(`${broken},${url}`, indexer))
        assert.strictEqual((yield* body<Answer>(next)).result, txid)
        const alone = yield* Effect.provide(post("sendrawtransaction", hex), serving(broken, ","))
        assert.strictEqual(alone.status, 502)
        const text = yield* textOf(alone)
        assert.notMatch(text, /secret|wrong|127\.0\.0\.1|arrived/)
      }
      assert.deepStrictEqual(sent, [])
      yield* Effect.provide(post("sendrawtransaction", hex), serving(`${wrong},${closed}`, indexer))
      assert.deepStrictEqual(sent, [hex])
    })

    for (const kind of ["wpkh", "pkh"] as const)
      it(`are built from the signing context only (${kind}), signed by another library, accepted and mined`, function* () {
        const { rpc, url } = yield* Litecoind
        const { mainnet, regtest, sign } = signer(kind)
        const indexer = yield* indexerOver(rpc)
        yield* rpc("sendtoaddress", regtest, 1.25)
        // A newly mined coin, which matures after 100 more blocks.
        yield* rpc("generatetoaddress", 1, regtest)
        yield* Effect.gen(function* () {
          const { spendable, utxos } = yield* contextOf(mainnet)
          assert.deepStrictEqual(
            utxos.map(({ coinbase, confirmations, spendable }) => [coinbase, confirmations, spendable]),
            [
              [true, 1, false],
              [false, 1, true]
            ]
          )
          assert.deepStrictEqual(
            spendable.map(({ value }) => value),
            ["125000000"]
          )
          const raw = yield* sign(spendable)
          const sent = yield* body<Answer>(yield* post("sendrawtransaction", raw))
          assert.isNull(sent.error)
          yield* rpc("generatetoaddress", 100, yield* rpc<string>("getnewaddress"))
          const { confirmations } = yield* rpc<{ readonly confirmations: number }>(
            "getrawtransaction",
            sent.result,
            true
          )
          assert.strictEqual(confirmations, 100)
          const after = yield* contextOf(mainnet)
          assert.deepStrictEqual(
            after.utxos.map(({ coinbase, spendable }) => [coinbase, spendable]),
            // The mined coin, now mature, and the change.
            [
              [null, true],
              [null, true]
            ]
          )
          const second = yield* body<Answer>(yield* post("sendrawtransaction", yield* sign(after.utxos)))
          assert.isNull(second.error)
        }).pipe(Effect.provide(serving(url, indexer)))
      })

    it("are not sent again if the node is killed while it processes them", function* () {
      const { freeze, kill, url } = yield* Litecoind
      const { sent, url: indexer } = yield* esplora
      const { hex, txid } = yield* payment
      const { arrived, url: frozen } = yield* wire(url)
      yield* freeze
      const waiting = yield* Effect.fork(
        Effect.provide(post("sendrawtransaction", hex), serving(`${frozen},${indexer}`, indexer))
      )
      yield* Deferred.await(arrived)
      yield* kill
      const response = yield* Fiber.join(waiting)
      assert.strictEqual(response.status, 502)
      assert.match((yield* body<{ readonly detail: string }>(response)).detail, new RegExp(`may have arrived.*${txid}`))
      assert.deepStrictEqual(sent, [])
      const after = yield* Effect.provide(post("sendrawtransaction", hex), serving(url, indexer))
      assert.strictEqual(after.status, 200)
      assert.deepStrictEqual(sent, [hex])
    })
  })
})
