import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { decode, encode } from "ripple-binary-codec"
import { hashOf } from "../../../src/chains/ripple/RippleTransaction.ts"
import * as RippleSending from "../../../src/chains/ripple/sending.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Signed payments that spend or do more than their amount says, and bytes that a node reads in another order.

const notSent = () => Effect.die("not sent here")
const main = RippleSending.sendable({ send: notSent })

const [from, to] = ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"]

const signed = (fields: object): string =>
  encode({
    TransactionType: "Payment",
    Account: from,
    Destination: to,
    Amount: "25000000",
    Fee: "12",
    Sequence: 5,
    SigningPubKey: "02".repeat(33),
    TxnSignature: "ab".repeat(70),
    ...fields
  } as never)

const contentOf = (text: string) => Either.getOrThrow(main(text)).content()

const token = (currency: string, value: string) => ({ currency, issuer: to, value })

const memos = [{ Memo: { MemoType: "aa".repeat(300), MemoData: "00" } }]

describe("the amounts of a signed payment of ripple", () => {
  it("are incomplete if it may spend another amount, and name the most that it spends", function* () {
    for (const [fields, most] of [
      [{ Amount: token("FOO", "1"), SendMax: "50000000000" }, "spend up to 50000000000 base units"],
      [
        { Amount: "1", SendMax: token("USD", "1000000") },
        `spend up to 1000000${"0".repeat(15)} base units of ${to}.USD`
      ],
      [{ Amount: token("FOO", "1"), Paths: [[{ account: from }, { currency: "XRP" }]] }, "exchanged on its way"]
    ] as const) {
      const { payments, unknown } = contentOf(signed({ ...fields, Memos: memos }))
      assert.strictEqual(payments.length, 1)
      assert.include(unknown.amounts, most)
    }
    yield* Effect.void
  })

  it("are unknown if they are negative, also the fee, which nodes refuse", function* () {
    const bytes = signed({})
    const [amount, fee] = ["6140000000017D7840", "68400000000000000C"]
    assert.isTrue(bytes.includes(amount) && bytes.includes(fee))
    const negative = (field: string) => bytes.replace(field, `${field.slice(0, 2)}0${field.slice(3)}`)
    const { payments, unknown } = contentOf(negative(amount))
    assert.deepStrictEqual([payments, unknown], [[], { amounts: "its amount is negative" }])
    const free = contentOf(negative(fee))
    assert.notProperty(free, "fee")
    assert.deepStrictEqual(free.unknown, { fee: "its fee is negative" })
    yield* Effect.void
  })

  it("are incomplete with fields that are not those of payments, or of an unknown type", function* () {
    assert.notProperty(contentOf(signed({ SourceTag: 1, InvoiceID: "ab".repeat(32), Memos: memos })).unknown, "amounts")
    // `Delegate`, and a type that no field has.
    for (const text of [signed({ Delegate: to }), `${signed({ Memos: memos })}01fe10`]) {
      const { payments, unknown } = contentOf(text)
      assert.strictEqual(payments.length, 1)
      assert.strictEqual(unknown.amounts, "it has fields that are not read", text)
    }
    yield* Effect.void
  })
})

describe("a signed transaction of ripple", () => {
  it("is refused unless its fields are in the order in which a node hashes them", function* () {
    const text = signed({ Flags: 0x2_0000, DestinationTag: 77, Memos: memos })
    assert.strictEqual(Either.getOrThrow(main(text)).hash, hashOf(text))
    const [flags, tag] = ["2200020000", "2E0000004D"]
    assert.include(text, flags)
    assert.include(text, tag)
    const inner = signed({ Memos: [{ Memo: { MemoType: "11", MemoData: "22" } }] })
    const moved = text.replace(flags, "").replace(tag, "") + flags + tag
    assert.deepStrictEqual(decode(moved), decode(text))
    for (const [what, other] of [
      ["behind the memos", moved],
      ["swapped", text.replace(flags, "").replace(tag, tag + flags)],
      ["twice", text.replace(tag, tag + tag)],
      ["the fields of a memo swapped", inner.replace("7C01117D0122", "7D01227C0111")],
      ["the end of an object", `${text}E1`],
      ["the end of a list", `${text}F1`],
      ["a long header of a short type", text.replace(flags, `000202${flags.slice(2)}`)],
      ["a long header of a short code", text.replace(flags, `2002${flags.slice(2)}`)],
      ["a list of no objects", `${signed({})}F97D0100F1`],
      ["a list in lists", `${signed({})}${"F9EA".repeat(20)}`]
    ] as const) {
      assert.notStrictEqual(other, text, what)
      assert.match(Either.getOrThrow(Either.flip(main(other))), /not in their order/, what)
    }
    const id = `00000005${"ab".repeat(20)}`.toUpperCase()
    const multi = signed({ Amount: { mpt_issuance_id: id, value: "77" } })
    assert.isTrue(Either.isRight(main(multi)))
    assert.isTrue(Either.isLeft(main(multi.replace("6160", "6161"))), "bits that a node drops")
    yield* Effect.void
  })

  it("is read past values of all types", function* () {
    const [usd, multi] = [{ currency: "USD", issuer: to }, { mpt_issuance_id: `00000005${"ab".repeat(20)}` }]
    const bridge = { LockingChainDoor: from, LockingChainIssue: { currency: "XRP" }, IssuingChainDoor: to }
    for (const fields of [
      { TransactionType: "AMMDeposit", Asset: { currency: "XRP" }, Asset2: usd, TradingFee: 5 },
      { TransactionType: "VaultCreate", Asset: multi, AssetsMaximum: "1000", WithdrawalPolicy: 1, Data: "aa" },
      { TransactionType: "XChainCommit", XChainBridge: { ...bridge, IssuingChainIssue: usd }, XChainClaimID: "5" },
      { TransactionType: "NFTokenCancelOffer", NFTokenOffers: ["ab".repeat(32), "cd".repeat(32)] },
      {
        TransactionType: "OracleSet",
        AssetClass: "aa",
        PriceDataSeries: [{ PriceData: { BaseAsset: "XRP", Scale: 1 } }]
      },
      { TransactionType: "TicketCreate", EmailHash: "ab".repeat(16), TakerPaysCurrency: "cd".repeat(20), TickSize: 5 }
    ]) {
      const text = signed({ Destination: undefined, Amount: undefined, ...fields, Memos: memos })
      const { payments, unknown } = contentOf(text)
      assert.deepStrictEqual([payments, unknown.amounts], [[], "it is no payment"], fields.TransactionType)
      assert.isTrue(Either.isLeft(main(text.slice(0, -2))), fields.TransactionType)
      assert.isTrue(Either.isLeft(main(`${text}2200000000`)), fields.TransactionType)
    }
    yield* Effect.void
  })
})
