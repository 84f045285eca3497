import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { getAddress, keccak256, parseEther, parseTransaction } from "viem/utils"
import type { Faucet } from "../../../src/features/faucet/Faucet.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store, StoreError } from "../../../src/storage/Store.ts"
import { refused, text } from "../../support/http.ts"
import { finish, run } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { address, faucet, node, rpcError } from "./testnet.ts"

type Service = Faucet["Type"]
const [alice, bob, carol] = [address(1), address(2), address(3)]

/** The hash of a funding, or the reason for its failure. */
const outcome = ({ fund }: Service, to: string) =>
  Effect.map(run(fund(to)), Either.match({ onLeft: ({ reason }) => reason, onRight: ({ hash }) => hash }))

const failure = ({ fund }: Service, to: string) => Effect.flatMap(run(fund(to)), Either.flip)

/** A node that responds after 100 ms. */
const slowly = (_: ReadonlyArray<string>, answer: () => unknown) =>
  Effect.delay(
    Effect.sync(() => Response.json(answer())),
    "100 millis"
  )

describe("a transfer", () => {
  it("is signed with the operator's key and sent once, at the gas price that the node returns", function* () {
    const testnet = node()
    const service = yield* faucet(testnet, { TESTNET_FUND_AMOUNT: "0.250" })
    const spelt = getAddress(alice)
    const funded = yield* service.fund(spelt)
    assert.deepStrictEqual(funded, { address: alice, amount: "0.25", hash: testnet.hashes()[0] ?? "" })
    const [transaction] = testnet.transactions()
    assert.deepInclude(transaction, {
      type: "eip1559",
      chainId: 31337,
      to: alice,
      value: parseEther("0.25"),
      gas: 21_000n,
      maxFeePerGas: 2_100_000_000n,
      maxPriorityFeePerGas: 100_000_000n
    })
    assert.strictEqual(transaction?.nonce ?? 0, 0)
    assert.strictEqual(testnet.sends(), 1)
  })

  it("is a legacy transaction if blocks have no base fee, and has the gas limit that a contract needs", function* () {
    const testnet = node({
      methods: { eth_getBlockByNumber: () => ({ number: "0x1" }), eth_estimateGas: () => "0x7530" }
    })
    yield* (yield* faucet(testnet)).fund(alice)
    assert.deepInclude(testnet.transactions()[0], { type: "legacy", gasPrice: 1_100_000_000n, gas: 36_000n })
  })

  it("does not require eth_maxPriorityFeePerGas, eth_estimateGas or eth_getBalance from the node", function* () {
    const methods = { eth_maxPriorityFeePerGas: undefined, eth_estimateGas: undefined, eth_getBalance: undefined }
    const testnet = node({ methods })
    yield* (yield* faucet(testnet)).fund(alice)
    assert.deepInclude(testnet.transactions()[0], { maxPriorityFeePerGas: 100_000_000n, gas: 21_000n })
  })

  it("works with a node that accepts no batches, or that fails at an optional call", function* () {
    const inside = () => rpcError(-32603, "Internal error")
    const alone = node({ over: ({ length }) => (length > 1 ? text("no batches", { status: 405 }) : undefined) })
    for (const testnet of [alone, node({ methods: { eth_maxPriorityFeePerGas: inside } })]) {
      yield* Effect.flatten(run((yield* faucet(testnet)).fund(alice)))
      assert.strictEqual(testnet.sends(), 1)
    }
  })

  it("is refused for an invalid address and for a contract that accepts no coins", function* () {
    const testnet = node({ methods: { eth_estimateGas: () => rpcError(3, "execution reverted") } })
    const service = yield* faucet(testnet)
    const mistyped = getAddress("0xd8da6bf26964af9d7eed9e03e53415d37aa96045").replace("dA", "Da")
    for (const wrong of ["", "0x1", "alice.eth", mistyped, alice.slice(2)])
      assert.strictEqual(yield* outcome(service, wrong), "invalid_address", wrong)
    assert.deepStrictEqual(testnet.called, [])
    assert.match((yield* failure(service, alice)).detail, /contract/)
    assert.strictEqual(testnet.sends(), 0)
  })

  it("is made once per address and interval, in any spelling and for any number of concurrent requests", function* () {
    const testnet = node()
    const service = yield* faucet(testnet, { TESTNET_FUND_INTERVAL_MS: "60000" })
    const spellings = [alice, getAddress(alice), `0x${alice.slice(2).toUpperCase()}`]
    const answers = yield* run(
      Effect.all(
        Array.from({ length: 12 }, (_, index) => Effect.either(service.fund(spellings[index % 3] ?? alice))),
        { concurrency: "unbounded" }
      )
    ).pipe(Effect.flatten)
    assert.strictEqual(answers.filter(Either.isRight).length, 1)
    for (const answer of answers) if (Either.isLeft(answer)) assert.strictEqual(answer.left.reason, "too_soon")
    const { detail, retryAfter = 0 } = yield* failure(service, alice)
    assert.match(detail, /funded already.*\d+ s/)
    assert.closeTo(retryAfter, 60_000, 5_000)
    yield* TestClock.adjust(retryAfter - 1)
    assert.strictEqual((yield* failure(service, alice)).retryAfter, 1)
    assert.strictEqual(testnet.sends(), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* outcome(service, alice), testnet.hashes()[1] ?? "")
  })

  it("is made once per day by default", function* () {
    const service = yield* faucet(node())
    yield* service.fund(alice)
    const { detail, retryAfter } = yield* failure(service, alice)
    assert.match(detail, /funded already.*24 h/)
    assert.strictEqual(retryAfter, 86_400_000)
  })

  it("has a distinct nonce in 50 concurrent requests, even of two processes that share the store", function* () {
    const testnet = node()
    const store = Layer.succeedContext(yield* Layer.build(Layer.fresh(Memory.layer())))
    const services = [yield* faucet(testnet, {}, store), yield* faucet(testnet, {}, store)]
    const funded = yield* run(
      Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => (services[index % 2] as Service).fund(address(index)),
        { concurrency: "unbounded" }
      )
    ).pipe(Effect.flatten)
    const transactions = testnet.transactions()
    assert.deepStrictEqual(
      transactions.map(({ nonce = 0 }) => nonce),
      Array.from({ length: 50 }, (_, index) => index)
    )
    assert.sameMembers(
      transactions.map(({ to }) => to),
      funded.map(({ address }) => address)
    )
    assert.strictEqual(yield* outcome(services[1] as Service, address(0)), "too_soon")
  })

  it("continues when the client disconnects", function* () {
    const testnet = node({ over: slowly })
    const service = yield* faucet(testnet)
    const clients = yield* Effect.fork(service.fund(alice))
    yield* TestClock.adjust("150 millis")
    yield* Fiber.interrupt(clients)
    assert.strictEqual(testnet.sends(), 0)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(testnet.sends(), 1)
    assert.strictEqual(yield* outcome(service, alice), "too_soon")
  })
})

describe("the nonce", () => {
  const twice = Effect.fnUntraced(function* (methods: NonNullable<Parameters<typeof node>[0]>["methods"] = {}) {
    const testnet = node({ methods })
    const service = yield* faucet(testnet)
    return { testnet, service, hash: yield* outcome(service, alice) }
  })

  it("is counted by the service if the node does not count its pool", function* () {
    const { testnet, service } = yield* twice({ eth_getTransactionCount: () => "0x0" })
    for (const to of [bob, carol]) yield* outcome(service, to)
    assert.deepStrictEqual(
      testnet.transactions().map(({ nonce = 0 }) => nonce),
      [0, 1, 2]
    )
  })

  it("is the node's again after the node has lost its pool, so that there is no gap", function* () {
    const { testnet, service } = yield* twice()
    yield* outcome(service, bob)
    testnet.pool.length = 0
    yield* outcome(service, carol)
    assert.strictEqual(testnet.transactions()[0]?.nonce ?? 0, 0)
  })

  for (const [words, nonces] of [
    ["nonce too low: next nonce 1, tx nonce 0", [0, 1]],
    ["replacement transaction underpriced", [0, 1]],
    ["max fee per gas less than block base fee", [0, 0]]
  ] as const)
    it(`is read again if the node returns: ${words}`, function* () {
      const tried: Array<number> = []
      const send = ([raw]: ReadonlyArray<unknown>) => {
        tried.push(parseTransaction(raw as `0x${string}`).nonce ?? 0)
        return tried.length === 1 ? rpcError(-32000, words) : keccak256(raw as `0x${string}`)
      }
      const { hash } = yield* twice({ eth_sendRawTransaction: send })
      assert.match(String(hash), /^0x/)
      assert.deepStrictEqual(tried, [...nonces])
    })

  it("is read a limited number of times", function* () {
    const { hash, testnet } = yield* twice({ eth_sendRawTransaction: () => rpcError(-32000, "nonce too low") })
    assert.strictEqual(hash, "not_sent")
    assert.isBelow(testnet.sends(), 12)
  })
})

describe("a node that rejects a transaction", () => {
  for (const words of ["already known", "AlreadyKnown", "Known transaction", "transaction already imported"])
    it(`has accepted the transaction if it reports it as known: ${words}`, function* () {
      const service = yield* faucet(node({ methods: { eth_sendRawTransaction: () => rpcError(-32000, words) } }))
      assert.match(String(yield* outcome(service, alice)), /^0x[0-9a-f]{64}$/)
      assert.strictEqual(yield* outcome(service, alice), "too_soon")
    })

  it("receives no transfer if the funder is out of funds, and the address may be funded later", function* () {
    const withoutFunds = Effect.fnUntraced(function* (methods: Record<string, () => unknown>) {
      const testnet = node({ methods })
      const service = yield* faucet(testnet)
      for (let time = 0; time < 2; time++) {
        const { detail, reason } = yield* failure(service, alice)
        assert.strictEqual(reason, "not_sent")
        assert.match(detail, /out of funds.*Nothing was sent/)
      }
      return testnet.sends()
    })
    assert.strictEqual(yield* withoutFunds({ eth_getBalance: () => "0xde0b6b3a7640000" }), 0)
    const dry = () => rpcError(-32000, "insufficient funds for gas * price + value: balance 1, tx cost 2")
    assert.strictEqual(yield* withoutFunds({ eth_getBalance: () => null, eth_estimateGas: dry }), 0)
    assert.strictEqual(yield* withoutFunds({ eth_sendRawTransaction: dry }), 2)
  })

  for (const words of ["transaction type not supported", "unknown transaction type", "exceeds block gas limit"])
    it(`has not accepted the transaction if it reports another reason: ${words}`, function* () {
      const service = yield* faucet(node({ methods: { eth_sendRawTransaction: () => rpcError(-32000, words) } }))
      for (let time = 0; time < 2; time++) assert.strictEqual(yield* outcome(service, alice), "not_sent")
    })

  it("receives no more transactions if its chain id has changed", function* () {
    let chain = "0x7a69"
    const testnet = node({ methods: { eth_chainId: () => chain } })
    const service = yield* faucet(testnet)
    yield* outcome(service, alice)
    chain = "0x1"
    assert.match((yield* failure(service, bob)).detail, /chain 1, and was on chain 31337/)
    assert.strictEqual(testnet.sends(), 1)
  })
})

describe("balances that the node sets", () => {
  const keyless = { TESTNET_FUNDER_PRIVATE_KEY: "" }
  const setting =
    (testnet: () => ReturnType<typeof node>, result: unknown) =>
    ([who, balance]: ReadonlyArray<unknown>) => {
      testnet().balances.set(String(who), BigInt(String(balance)))
      return result
    }

  it("grow by the amount", function* () {
    const testnet = node({ methods: { anvil_setBalance: (params) => setting(() => testnet, true)(params) } })
    testnet.balances.set(alice, 5n)
    const service = yield* faucet(testnet, { ...keyless, TESTNET_FUND_INTERVAL_MS: "1000" })
    assert.deepStrictEqual(yield* service.fund(alice), { address: alice, amount: "1", hash: null })
    yield* TestClock.adjust("1 second")
    const before = testnet.called.length
    yield* service.fund(alice)
    assert.strictEqual(testnet.balances.get(alice), 2n * 10n ** 18n + 5n)
    assert.deepStrictEqual(testnet.called.slice(before), ["eth_getBalance", "anvil_setBalance"])
    assert.strictEqual(testnet.sends(), 0)
  })

  it("need a node that can set balances, or a key", function* () {
    const testnet = node()
    const service = yield* faucet(testnet, keyless)
    for (let time = 0; time < 2; time++) {
      const { detail, reason } = yield* failure(service, alice)
      assert.strictEqual(reason, "not_configured")
      assert.match(detail, /set TESTNET_FUNDER_PRIVATE_KEY/)
    }
    const nowhere = yield* faucet(testnet, { TESTNET_RPC_URL: "" })
    assert.match((yield* failure(nowhere, "0x1")).detail, /set TESTNET_RPC_URL/)
  })

  it("are read again if the response was lost", function* () {
    for (const isSet of [true, false]) {
      const testnet = node({
        methods: { anvil_setBalance: (params) => (isSet ? setting(() => testnet, null)(params) : null) },
        over: ([method], answer) =>
          method === "anvil_setBalance" ? Effect.sync(answer).pipe(Effect.zipRight(reset)) : undefined
      })
      const service = yield* faucet(testnet, keyless)
      assert.strictEqual(yield* outcome(service, alice), isSet ? null : "uncertain")
      assert.strictEqual(yield* outcome(service, alice), "too_soon")
      assert.strictEqual(testnet.called.filter((method) => method === "anvil_setBalance").length, 1)
    }
  })
})

const reset = Effect.fail({ code: "ECONNRESET" })

describe("the limit per address", () => {
  const broken = (operation: "getMany" | "claim") =>
    Layer.effect(
      Store,
      Effect.map(Store, (store) => {
        const error = new StoreError({ operation, cause: new Error("disk full") })
        return {
          ...store,
          ...(operation === "claim" ? { claim: () => error } : {}),
          open: (name: string, version: number) => ({
            ...store.open(name, version),
            ...(operation === "getMany" ? { getMany: () => error } : {})
          })
        }
      })
    ).pipe(Layer.provide(Layer.fresh(Memory.layer())))

  for (const operation of ["getMany", "claim"] as const)
    it(`prevents all funding while the store fails at ${operation}`, function* () {
      const testnet = node()
      const service = yield* faucet(testnet, {}, broken(operation))
      assert.match((yield* failure(service, alice)).detail, /cannot be looked up.*Nothing was sent/)
      assert.strictEqual(testnet.sends(), 0)
    })

  it("applies if the result of a transfer is unknown, but not if the connection was refused", function* () {
    let down = true
    const testnet = node({ over: () => (down ? refused : undefined) })
    const service = yield* faucet(testnet)
    assert.strictEqual(yield* outcome(service, alice), "not_sent")
    down = false
    assert.match(String(yield* outcome(service, alice)), /^0x/)
    assert.strictEqual(yield* outcome(service, alice), "too_soon")
  })

  it("reports that a funding is in progress", function* () {
    const testnet = node({ over: slowly })
    const service = yield* faucet(testnet)
    const first = yield* Effect.fork(service.fund(alice))
    yield* TestClock.adjust("50 millis")
    const { detail, retryAfter } = yield* Effect.flip(service.fund(alice))
    assert.match(detail, /being funded at this moment/)
    assert.strictEqual(retryAfter, 5_000)
    assert.strictEqual((yield* finish(first)).outcome._tag, "Right")
    assert.strictEqual(testnet.transactions()[0]?.to, alice)
  })
})
