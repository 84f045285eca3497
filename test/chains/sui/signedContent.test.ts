import { Transaction } from "@mysten/sui/transactions"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Sending from "../../../src/chains/sui/sending.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// The coins that the commands of a transaction split, and their amounts.

const notSent = () => Effect.die("not sent here")
const main = Sending.sendable({ addresses: [], once: notSent, call: notSent } as never)

const [sender, to, sponsor] = [`0x${"a1".repeat(32)}`, `0x${"b2".repeat(32)}`, `0x${"c4".repeat(32)}`] as const
const coin = { objectId: `0x${"c3".repeat(32)}`, version: "5", digest: "1".repeat(32) }
const owned = (byte: string) => ({ ...coin, objectId: `0x${byte.repeat(32)}` })

const signedBy = (build: (transaction: Transaction) => void) =>
  Effect.promise(async () => {
    const transaction = new Transaction()
    transaction.setSender(sender)
    transaction.setGasPrice(1_000n)
    transaction.setGasBudget(77n)
    transaction.setGasPayment([coin])
    build(transaction)
    const bytes = Buffer.from(await transaction.build()).toString("base64")
    return Either.getOrThrow(main(JSON.stringify({ bytes, signature: Buffer.alloc(97).toString("base64") })))
  })

const contentOf = (build: (transaction: Transaction) => void) => Effect.map(signedBy(build), ({ content }) => content())

const whole = "it transfers whole objects, or coins that change, whose amounts are not in its bytes"

describe("the coins of a sui transaction", () => {
  it("are payments with their amount if nothing else uses them", function* () {
    const { payments, unknown } = yield* contentOf((transaction) => {
      const [first, second] = transaction.splitCoins(transaction.gas, [5n, 7n])
      transaction.mergeCoins(transaction.gas, [transaction.objectRef(owned("d4"))])
      transaction.transferObjects([first as never], to)
      transaction.transferObjects([second as never], to)
    })
    assert.deepStrictEqual(payments, [
      { to, amount: 5n },
      { to, amount: 7n }
    ])
    assert.deepStrictEqual(unknown, {})
  })

  it("have no known amount if others are merged into them", function* () {
    const { payments, unknown } = yield* contentOf((transaction) => {
      const [part] = transaction.splitCoins(transaction.gas, [1n])
      transaction.mergeCoins(part as never, [transaction.objectRef(owned("d4")), transaction.objectRef(owned("d5"))])
      transaction.transferObjects([part as never], to)
    })
    assert.deepStrictEqual([payments, unknown.amounts], [[], whole])
    const both = yield* contentOf((transaction) => {
      const [first, second] = transaction.splitCoins(transaction.gas, [100n, 5n])
      transaction.mergeCoins(first as never, [second as never])
      transaction.transferObjects([first as never], to)
    })
    assert.deepStrictEqual([both.payments, both.unknown.amounts], [[], whole])
  })

  it("have no known amount if they are split again, or used by a call", function* () {
    const again = yield* contentOf((transaction) => {
      const [first] = transaction.splitCoins(transaction.gas, [100n])
      const [second] = transaction.splitCoins(first as never, [40n])
      transaction.transferObjects([first as never], to)
      transaction.transferObjects([second as never], sender)
    })
    assert.deepStrictEqual(again.payments, [{ to: sender, token: "Unknown", amount: 40n }])
    assert.include(again.unknown.amounts, whole)
    const called = yield* contentOf((transaction) => {
      const [part] = transaction.splitCoins(transaction.gas, [1n])
      const target = `0x${"e5".repeat(32)}::coin::join`
      transaction.moveCall({ target, arguments: [part as never, transaction.objectRef(owned("d4"))] })
      transaction.transferObjects([part as never], to)
    })
    assert.deepStrictEqual(called.payments, [])
    for (const part of [whole, "calls functions"]) assert.include(called.unknown.amounts, part)
  })

  it("have no known amount or recipient if a call may change it", function* () {
    const { payments, unknown } = yield* contentOf((transaction) => {
      const amount = transaction.pure.u64(1n)
      transaction.moveCall({ target: `0x${"e5".repeat(32)}::any::change`, arguments: [amount] })
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], to)
    })
    assert.deepStrictEqual(payments, [])
    assert.include(unknown.amounts, whole)
    const recipient = yield* contentOf((transaction) => {
      const address = transaction.pure.address(to)
      transaction.moveCall({ target: `0x${"e5".repeat(32)}::any::change`, arguments: [address] })
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [1n])], address)
    })
    assert.deepStrictEqual(recipient.payments, [{ amount: 1n }])
    assert.include(recipient.unknown.amounts, "recipient is not in its bytes")
  })

  it("may go to the sponsor or into a shared coin", function* () {
    const sponsored = yield* contentOf((transaction) => {
      transaction.setGasOwner(sponsor)
      transaction.mergeCoins(transaction.gas, [transaction.objectRef(owned("d4"))])
    })
    assert.deepStrictEqual(sponsored.unknown, { amounts: "it uses the coins of the sponsor of its fee" })
    const plain = yield* contentOf((transaction) => {
      transaction.setGasOwner(sponsor)
      transaction.mergeCoins(transaction.objectRef(owned("d5")), [transaction.objectRef(owned("d4"))])
    })
    assert.deepStrictEqual(plain.unknown, {})
    const shared = yield* contentOf((transaction) => {
      const { objectId } = owned("d5")
      const place = transaction.sharedObjectRef({ objectId, initialSharedVersion: 3, mutable: true })
      transaction.mergeCoins(place, [transaction.objectRef(owned("d4"))])
    })
    assert.deepStrictEqual(shared.unknown, { amounts: "it merges coins into an object that others may use" })
  })
})

describe("the expiration of a sui transaction", () => {
  const [mainnet, testnet] = [
    "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S",
    "69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD"
  ] as const
  const during = { minEpoch: "6", maxEpoch: null, minTimestamp: null, maxTimestamp: null, chain: mainnet, nonce: 5 }
  const expiring = (expiration: object) =>
    signedBy((transaction) => {
      transaction.setExpiration(expiration as never)
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [5n])], to)
    })

  it("is named by what bounds it, as no time is known", function* () {
    const inTime = "it has bounds in time, which nodes do not support yet"
    for (const [expiration, reason] of [
      [{ None: true }, undefined],
      [{ ValidDuring: during }, undefined],
      [{ Epoch: "7" }, "it ends with the epoch 7"],
      [{ ValidDuring: { ...during, maxEpoch: "7", maxTimestamp: "9" } }, "it ends with the epoch 7"],
      [{ ValidDuring: { ...during, maxTimestamp: "1700000000000" } }, inTime],
      [{ ValidDuring: { ...during, minTimestamp: "1700000000000" } }, inTime]
    ] as const) {
      const { content, refusal } = yield* expiring(expiration)
      assert.strictEqual(content().unknown.expiresAt, reason, JSON.stringify(expiration))
      assert.isUndefined(refusal)
    }
  })

  it("refuses a transaction of another chain", function* () {
    const { content, hash, refusal } = yield* expiring({ ValidDuring: { ...during, chain: testnet } })
    assert.strictEqual(refusal, "wrong_chain")
    assert.deepStrictEqual(content().payments, [{ to, amount: 5n }])
    assert.notStrictEqual(hash, (yield* expiring({ ValidDuring: during })).hash)
  })

  it("is of an unknown kind after the known ones", function* () {
    const bytes = yield* Effect.promise(async () => {
      const transaction = new Transaction()
      transaction.setSender(sender)
      transaction.setGasPrice(1n)
      transaction.setGasBudget(1n)
      transaction.setGasPayment([coin])
      return transaction.build()
    })
    const later = Buffer.concat([bytes.slice(0, -1), Buffer.of(9, 1, 2)]).toString("base64")
    const signature = Buffer.alloc(97).toString("base64")
    const { content } = Either.getOrThrow(main(JSON.stringify({ bytes: later, signature })))
    assert.strictEqual(content().unknown.expiresAt, "its expiration is of an unknown kind")
  })
})
