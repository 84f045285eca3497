import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import type { Chain, NodeResponse, RawTransaction, ReadFailure } from "../../../src/chains/Chain.ts"
import { millis } from "../../../src/domain/units.ts"
import { SentTransactions } from "../../../src/features/sending/SentTransactions.ts"
import { RawTransactions } from "../../../src/features/transactions/RawTransactions.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { chainsOf } from "../../support/chains.ts"
import { refused, simulatedClient, text } from "../../support/http.ts"
import { hashOf, sample, serialize } from "../../support/rawTransactions.ts"
import { assert, built, describe, it } from "../../support/vitest.ts"

const hex = serialize(sample())
const hash = hashOf(sample())

type AnyNetwork = Chain["Type"]

const done: NodeResponse = { verdict: "done", body: "yes", contentType: "text/plain" }

const only =
  <A>(word: string, value: A) =>
  (text: string): Either.Either<A, string> =>
    text === word ? Either.right(value) : Either.left(`it is not ${word}`)

const sending = (send: Effect.Effect<NodeResponse, ReadFailure>): RawTransaction => ({
  hash: "0x5",
  expiry: millis(0),
  ambiguous: [],
  send: Effect.map(send, (response) => ({
    accepted: true,
    alreadyKnown: false,
    reason: null,
    nodeMessage: null,
    response
  }))
})

const named = (id: string, rawTransactions?: AnyNetwork["rawTransactions"]) =>
  ({
    facts: { id, aliases: [] },
    ...(rawTransactions === undefined ? {} : { rawTransactions })
  }) as unknown as AnyNetwork

/** The use case over three networks: the first sends and finds, the second only finds, the third supports neither. */
const serving = (send: Effect.Effect<NodeResponse, ReadFailure>) => {
  const finding = only("hash", Effect.succeed(done))
  const all = [
    named("sender", { prepareSend: only("coins", sending(send)), prepareLookup: finding }),
    named("finder", { prepareLookup: finding }),
    named("neither")
  ]
  return RawTransactions.layer.pipe(
    Layer.provide(chainsOf(all)),
    Layer.provideMerge(Layer.provide(SentTransactions.layer, Memory.layer())),
    Layer.provide(Settings.layer({ REQUEST_DEADLINE_MS: "1000" }))
  )
}

describe("raw transactions", () => {
  it.effect("are sent and found on the networks that support it", () =>
    Effect.gen(function* () {
      const { find, send } = yield* RawTransactions
      assert.deepStrictEqual(yield* send("SENDER", "coins"), done)
      assert.deepStrictEqual(yield* find("Finder", "hash"), done)
      for (const chain of ["finder", "neither", "unheard"]) {
        const error = yield* Effect.flip(send(chain, "coins"))
        assert.deepInclude(error, { member: "chain" })
        assert.strictEqual(error.message, `must be one of sender; it is "${chain}"`)
      }
      assert.match((yield* Effect.flip(find("neither", "hash"))).message, /^must be one of sender, finder; /)
    }).pipe(Effect.provide(serving(Effect.succeed(done))))
  )

  it.effect("are sent after their expiry, which is remembered", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const { send } = yield* RawTransactions
      assert.deepStrictEqual(yield* send("sender", "coins"), done)
      const { find } = yield* SentTransactions
      assert.deepInclude((yield* find("sender", ["0x5"]))("0x5"), { accepted: true, expiry: millis(0) })
    }).pipe(Effect.provide(serving(Effect.succeed(done))))
  )

  it.effect("are validated before they are sent", () =>
    Effect.gen(function* () {
      const { find, send } = yield* RawTransactions
      assert.deepInclude(yield* Effect.flip(send("sender", "else")), { member: "tx", message: "it is not coins" })
      assert.deepInclude(yield* Effect.flip(find("sender", "else")), { member: "tx", message: "it is not hash" })
    }).pipe(Effect.provide(serving(Effect.die("was sent"))))
  )

  it("fail if no node responds, and if no node is configured", function* () {
    for (const reason of ["timeout", "not_configured"] as const) {
      const layer = serving(Effect.fail({ reason, message: "why" }))
      const error = yield* Effect.provide(
        Effect.flatMap(RawTransactions, ({ send }) => Effect.flip(send("sender", "coins"))),
        layer
      )
      assert.deepInclude(error, { _tag: "NoResult", reason, message: "why" })
    }
  })

  const slow = Effect.gen(function* () {
    const entered = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<Exit.Exit<NodeResponse, ReadFailure>>()
    const send = Deferred.succeed(entered, undefined).pipe(
      Effect.zipRight(Deferred.await(release)),
      Effect.as(done),
      Effect.onExit((exit) => Deferred.succeed(ended, exit))
    )
    return { entered, release, ended, layer: serving(send) }
  })

  it("continue after the deadline, and the error says that they may have arrived", function* () {
    const { release, ended, entered, layer } = yield* slow
    const { send } = yield* Effect.map(Layer.build(layer), (context) => context.unsafeMap.get(RawTransactions.key))
    const waiting = yield* Effect.fork(Effect.flip((send as RawTransactions["Type"]["send"])("sender", "coins")))
    yield* Deferred.await(entered)
    yield* TestClock.adjust(1000)
    const error = yield* Fiber.join(waiting)
    assert.strictEqual(error._tag, "TimeoutException")
    assert.match(error.message, /may have arrived/)
    assert.isFalse(yield* Deferred.isDone(ended))
    yield* Deferred.succeed(release, undefined)
    assert.deepStrictEqual(yield* Deferred.await(ended), Exit.succeed(done))
  })

  it("continue when the caller is interrupted, and the service waits for them before it stops", function* () {
    const { release, ended, entered, layer } = yield* slow
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layer, scope)
    const waiting = yield* Effect.fork(
      Effect.provide(
        Effect.flatMap(RawTransactions, ({ send }) => send("sender", "coins")),
        context
      )
    )
    yield* Deferred.await(entered)
    yield* Fiber.interrupt(waiting)
    assert.isFalse(yield* Deferred.isDone(ended))
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* Effect.yieldNow()
    assert.isTrue(Option.isNone(yield* Fiber.poll(closing)))
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(closing)
    assert.deepStrictEqual(yield* Deferred.await(ended), Exit.succeed(done))
  })
})

interface Problem {
  readonly detail: string
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const call = (path: string, tx: string, chain: string, service: Service["Type"]) =>
  service.post(`/utils/${path}?chain=${chain}`, { tx })

interface Described {
  readonly id: string
  readonly abilities: Readonly<Record<string, { readonly upstreams: ReadonlyArray<{ readonly name: string }> }>>
}

/** A single Esplora of Litecoin as the only source. */
const onlyEsplora = { LITECOIN_BLOCKBOOK_URLS: ",", LITECOIN_ESPLORA_URLS: "http://esplora.test" }

describe("the routes of raw transactions", () => {
  it.scopedLive(
    "send a transaction in the sandbox and find it afterwards, on every chain of the UTXO family",
    function* () {
      const service = yield* built(Service, Service.layer())
      for (const chain of ["bitcoin", "BTC", "bch", "litecoin", "dogecoin"]) {
        const tx = serialize({ ...sample(), lockTime: chain.length })
        const id = hashOf({ ...sample(), lockTime: chain.length })
        const unknown = yield* call("getrawtransaction", "cd".repeat(32), chain, service)
        assert.strictEqual(unknown.status, 404)
        assert.match(yield* textOf(unknown), /not found/)
        const sent = yield* call("sendrawtransaction", tx, chain, service)
        assert.deepStrictEqual(yield* body(sent), { result: id, error: null, id: null })
        assert.strictEqual(sent.status, 200)
        assert.strictEqual(sent.headers.get("content-type"), "application/json")
        const found = yield* call("getrawtransaction", id.toUpperCase(), chain, service)
        assert.deepStrictEqual(yield* body(found), { result: tx, error: null, id: null })
      }
      const again = yield* call("sendrawtransaction", serialize({ ...sample(), lockTime: 3 }), "bch", service)
      assert.strictEqual(again.status, 200)
    }
  )

  it.scopedLive(
    "send to Cardano in the sandbox, send again and find the transaction, but cannot send to TON",
    function* () {
      const service = yield* built(Service, Service.layer())
      const tx = "84a0a0f5f6"
      const sent = yield* call("sendrawtransaction", tx, "ADA", service)
      assert.strictEqual(sent.status, 200)
      const id = yield* body<string>(sent)
      const again = yield* call("sendrawtransaction", tx, "cardano", service)
      assert.deepStrictEqual([again.status, yield* body(again)], [200, id])
      const found = yield* call("getrawtransaction", id, "cardano", service)
      assert.deepStrictEqual([found.status, yield* body(found)], [200, [{ tx_hash: id, cbor: tx }]])
      for (const chain of ["cardano", "ton"]) {
        const unknown = yield* call("getrawtransaction", "cd".repeat(32), chain, service)
        assert.strictEqual(unknown.status, 404)
        assert.strictEqual(unknown.headers.get("content-type"), "application/json")
      }
      const unsendable = yield* call("sendrawtransaction", tx, "ton", service)
      assert.strictEqual((yield* body<Problem>(unsendable)).issues?.[0]?.path, "chain")
    }
  )

  it.scopedLive("reject an invalid transaction or hash, and chains without raw transactions", function* () {
    const service = yield* built(Service, Service.layer())
    const broken = yield* call("sendrawtransaction", `${hex}00`, "litecoin", service)
    assert.strictEqual(broken.status, 400)
    assert.deepStrictEqual((yield* body<Problem>(broken)).issues, [
      { path: "tx", message: "it has 1 bytes after its end" }
    ])
    const hashless = yield* call("getrawtransaction", "abc", "litecoin", service)
    assert.strictEqual(hashless.status, 400)
    assert.strictEqual((yield* body<Problem>(hashless)).issues?.[0]?.path, "tx")
    const unsupported = yield* call("sendrawtransaction", hex, "ethereum", service)
    // 404 would mean that the node does not have the transaction.
    assert.strictEqual(unsupported.status, 400)
    const { issues } = yield* body<Problem>(unsupported)
    assert.strictEqual(issues?.[0]?.path, "chain")
    for (const chain of ["bitcoin", "bch", "litecoin", "dogecoin"]) assert.include(issues?.[0]?.message, chain)
  })

  it.scopedLive("name the variable to set if no node is configured", function* () {
    const response = yield* call(
      "sendrawtransaction",
      hex,
      "litecoin",
      yield* built(Service, Service.layer({ LITECOIN_BLOCKBOOK_URLS: ",", LITECOIN_ESPLORA_URLS: "," }))
    )
    assert.strictEqual(response.status, 501)
    assert.match((yield* body<Problem>(response)).detail, /set LITECOIN_RPC_URLS, LITECOIN_BLOCKBOOK_URLS or/)
  })

  it.live("return a rejection in any format, and 502 if no node responds", () => {
    const refusal = 'sendrawtransaction RPC error: {"code":-26,"message":"min relay fee not met, 1 < 2"}'
    const outside = simulatedClient(({ method }) => (method === "POST" ? text(refusal, { status: 400 }) : refused))
    return Effect.gen(function* () {
      const service = yield* Service
      const response = yield* call("sendrawtransaction", hex, "ltc", service)
      assert.strictEqual(response.status, 400)
      assert.strictEqual(yield* textOf(response), refusal)
      assert.match(response.headers.get("content-type") ?? "", /^text\/plain/)
      const failed = yield* call("getrawtransaction", hash, "ltc", service)
      assert.strictEqual(failed.status, 502)
      assert.strictEqual(failed.headers.get("content-type"), "application/problem+json")
      assert.notMatch((yield* body<Problem>(failed)).detail, /esplora\.test/)
    }).pipe(Effect.provide(Service.layer(onlyEsplora, sandboxExcept(/^litecoin-/, outside.layer))))
  })

  const waiting = Effect.gen(function* () {
    const entered = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<boolean>()
    const outside = simulatedClient(({ signal }) =>
      Deferred.succeed(entered, undefined).pipe(
        Effect.zipRight(Deferred.await(release)),
        Effect.zipRight(text(hash)),
        Effect.onExit((exit) => Deferred.succeed(ended, Exit.isSuccess(exit) && !signal.aborted))
      )
    )
    return { entered, release, ended, outside }
  })

  it.live("continue to send when the client has disconnected", function* () {
    const { release, ended, entered, outside } = yield* waiting
    yield* Effect.gen(function* () {
      const { handler } = yield* Service
      const client = new AbortController()
      const url = `http://wallet.test/utils/sendrawtransaction?chain=litecoin&tx=${hex}`
      const waiting = yield* Effect.fork(
        Effect.promise(() => handler(new Request(url, { method: "POST", signal: client.signal })))
      )
      yield* Deferred.await(entered)
      client.abort()
      assert.strictEqual((yield* Fiber.join(waiting)).status, 499)
      assert.isFalse(yield* Deferred.isDone(ended))
      const metrics = yield* Effect.promise(async () =>
        (await handler(new Request("http://wallet.test/metrics"))).text()
      )
      assert.match(metrics, /^http_requests_in_flight 1$/m)
      yield* Deferred.succeed(release, undefined)
      assert.isTrue(yield* Deferred.await(ended))
    }).pipe(Effect.provide(Service.layer(onlyEsplora, sandboxExcept(/^litecoin-/, outside.layer))))
  })

  it("return 504 at the deadline, and continue to send", function* () {
    const { release, ended, outside } = yield* waiting
    yield* Effect.gen(function* () {
      const service = yield* Service
      const response = yield* call("sendrawtransaction", hex, "litecoin", service)
      assert.strictEqual(response.status, 504)
      assert.match((yield* body<Problem>(response)).detail, /may have arrived, or may still arrive/)
      assert.isFalse(yield* Deferred.isDone(ended))
      yield* Deferred.succeed(release, undefined)
      assert.isTrue(yield* Deferred.await(ended))
    }).pipe(
      Effect.provide(
        Service.layerSimulated(
          { ...onlyEsplora, REQUEST_DEADLINE_MS: "15000" },
          sandboxExcept(/^litecoin-/, outside.layer)
        )
      )
    )
  })

  it.scopedLive("are in GET /networks with the sources that accept raw transactions", function* () {
    const { get } = yield* built(Service, Service.layer({ LITECOIN_RPC_URLS: "http://node.test" }))
    const all = yield* body<ReadonlyArray<Described>>(yield* get("/networks"))
    const names = (id: string) =>
      all.find((described) => described.id === id)?.abilities.rawTransactions?.upstreams.map(({ name }) => name)
    assert.deepStrictEqual(names("litecoin"), ["litecoin-rpc", "litecoin-blockbook", "litecoin-esplora"])
    assert.deepStrictEqual(names("dogecoin"), ["dogecoin-blockbook"])
  })
})
