import {
  Address,
  type Builder,
  beginCell,
  type Cell,
  Dictionary,
  external,
  internal,
  type MessageRelaxed,
  storeMessage
} from "@ton/core"
import { keyPairFromSeed } from "@ton/crypto"
import { WalletContractV4 } from "@ton/ton"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TonSending from "../../../src/chains/ton/sending.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Messages of orders whose bodies or values have more than their coins.

const main = TonSending.sendable({} as never)
const pair = keyPairFromSeed(Buffer.alloc(32, 3))
const wallet = WalletContractV4.create({ workchain: 0, publicKey: pair.publicKey })
const [to, owner] = [Address.parse(`0:${"b2".repeat(32)}`), Address.parse(`0:${"c3".repeat(32)}`)]

const contentOf = (message: MessageRelaxed) => {
  const order = { seqno: 3, secretKey: pair.secretKey, timeout: 2_000_000_000, sendMode: 3, messages: [message] }
  const sent = external({ to: wallet.address, body: wallet.createTransfer(order) })
  return Either.getOrThrow(main(beginCell().store(storeMessage(sent)).endCell().toBoc().toString("base64"))).content()
}

const message = (body?: Cell) => internal({ to, value: 60n, bounce: true, ...(body === undefined ? {} : { body }) })

const transfer = 0x0f8a7ea5

/** A transfer of 42 jettons, with what follows the forwarded coins. */
const jettons = (payload: (builder: Builder) => Builder, recipient: Address | null = owner) =>
  payload(
    beginCell()
      .storeUint(transfer, 32)
      .storeUint(0, 64)
      .storeCoins(42n)
      .storeAddress(recipient)
      .storeAddress(null)
      .storeUint(0, 1)
      .storeCoins(1n)
  ).endCell()

const comment = (text: string) => beginCell().storeUint(0, 32).storeStringTail(text)

const coins = { to: to.toRawString(), amount: 60n }
const paid = { to: owner.toRawString(), token: "Unknown", amount: 42n }
const [isCall, isJetton] = [
  "it calls contracts, which may move more",
  "jettons are named by the wallet that holds them"
]

describe("the content of an order of ton", () => {
  it("has the comment of a transfer of jettons, and a call for another message to their recipient", function* () {
    const memo = comment("104523")
    for (const body of [
      jettons((builder) => builder.storeBit(1).storeRef(memo)),
      jettons((builder) => builder.storeBit(0).storeBuilder(memo))
    ])
      assert.deepInclude(contentOf(message(body)), { payments: [coins, { ...paid, tag: "104523" }], calls: [] })
    const plain = contentOf(message(jettons((builder) => builder.storeBit(0))))
    assert.deepStrictEqual([plain.payments, plain.unknown.amounts], [[coins, paid], isJetton])
    for (const other of [beginCell().storeUint(0x25938561, 32), beginCell().storeUint(0, 35)]) {
      const content = contentOf(message(jettons((builder) => builder.storeBit(1).storeRef(other))))
      assert.deepStrictEqual([content.payments, content.calls], [[coins, paid], [coins.to]])
      assert.strictEqual(content.unknown.amounts, `${isJetton}; ${isCall}`)
    }
    yield* Effect.void
  })

  it("has a comment whole or not at all, and reads no more of it than it shows", function* () {
    const longest = "x".repeat(1_000)
    const shown = contentOf(message(comment(longest).endCell()))
    assert.deepStrictEqual([shown.payments, shown.unknown.amounts], [[{ ...coins, tag: longest }], undefined])
    const utf16 = beginCell().storeUint(0, 32).storeUint(0xd800, 16)
    const endless = Array.from({ length: 400 }).reduce<Builder>((next) => beginCell().storeRef(next), beginCell())
    const hidden = [comment(`${longest}x`), comment("x".repeat(50_000)), utf16]
    for (const body of hidden) {
      const content = contentOf(message(body.endCell()))
      assert.deepStrictEqual([content.payments, content.calls], [[coins], []])
      assert.strictEqual(content.unknown.amounts, "its memo is not shown: it is too long or not UTF-8")
      const inside = contentOf(message(jettons((builder) => builder.storeBit(1).storeRef(body))))
      assert.deepStrictEqual(inside.payments, [coins, paid])
      assert.include(inside.unknown.amounts, "its memo is not shown")
    }
    const content = contentOf(message(beginCell().storeUint(0, 32).storeRef(endless).endCell()))
    assert.deepStrictEqual([content.payments, content.calls], [[coins], [coins.to]])
    yield* Effect.void
  })

  it("has a call if the body is not read to its end", function* () {
    for (const [what, body] of [
      ["an operation with too few bits", beginCell().storeUint(transfer, 32).storeUint(1, 8).endCell()],
      ["a transfer to nobody", jettons((builder) => builder.storeBit(0), null)],
      ["a transfer without its end", jettons((builder) => builder)],
      ["a comment of half bytes", beginCell().storeUint(0, 36).endCell()],
      ["less than an operation", beginCell().storeUint(1, 8).endCell()],
      ["only a cell", beginCell().storeRef(beginCell()).endCell()]
    ] as const) {
      const content = contentOf(message(body))
      assert.deepStrictEqual([content.payments, content.calls], [[coins], [coins.to]], what)
      assert.strictEqual(content.unknown.amounts, isCall, what)
    }
    for (const body of [undefined, beginCell().endCell(), comment("hello").endCell()]) {
      const content = contentOf(message(body))
      assert.deepStrictEqual([content.calls, content.unknown.amounts], [[], undefined])
    }
    yield* Effect.void
  })

  it("says that a message also sends extra currencies", function* () {
    const other = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.BigVarUint(5)).set(100, 5_000_000n)
    const { info, ...rest } = message()
    const value = { coins: 60n, other }
    const content = contentOf({ ...rest, info: { ...info, value } as MessageRelaxed["info"] })
    assert.deepStrictEqual(content.payments, [coins])
    assert.strictEqual(content.unknown.amounts, "it also sends extra currencies")
    yield* Effect.void
  })
})
