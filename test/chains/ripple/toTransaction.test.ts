import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ripple } from "../../../src/catalogue/ripple.ts"
import { isMpt } from "../../../src/chains/ripple/BalanceChanges.ts"
import { toLedgerTransaction } from "../../../src/chains/ripple/LedgerTransaction.ts"
import { hasUnknownDelivery, toTransaction } from "../../../src/chains/ripple/toTransaction.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { height, numberOf, seconds } from "../../../src/domain/units.ts"
import { fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { json } from "../../support/http.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"
import { read, timeOf } from "./historyNodes.ts"
import { alice, bob, rlusd } from "./ripple.ts"

const carol = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"

const decimals = (token: string) => (isMpt(token) ? 0 : 15)

const seen = (holder: string, row: unknown): Transaction =>
  Option.getOrThrow(
    Option.flatMap(toLedgerTransaction(row), (ledgerTransaction) => toTransaction(holder, ledgerTransaction, decimals))
  )

const party = (address: string, amount: bigint, token?: string) =>
  token === undefined ? { address, amount } : { address, amount, token }

const payment = (tx: Readonly<Record<string, unknown>>, meta: Readonly<Record<string, unknown>> = {}) => ({
  meta: { TransactionIndex: 3, TransactionResult: "tesSUCCESS", ...meta },
  tx: {
    Account: alice,
    Destination: bob,
    DestinationTag: 17,
    Fee: "12",
    Sequence: 41,
    TransactionType: "Payment",
    date: 800_000_000,
    hash: "AA".repeat(32),
    ledger_index: 90,
    ...tx
  },
  validated: true
})

describe("an XRP Ledger transaction", () => {
  it("is the same in both versions of the API", () => {
    const first = payment({ Amount: "5" }, { delivered_amount: "5" })
    const { Amount, date, hash, ledger_index, ...rest } = first.tx as Readonly<Record<string, unknown>>
    const second = {
      meta: first.meta,
      tx_json: { ...rest, DeliverMax: Amount },
      hash,
      ledger_index,
      close_time_iso: new Date(numberOf(timeOf(Number(date))) * 1000).toISOString(),
      validated: true
    }
    assert.deepStrictEqual(seen(alice, first), {
      hash: "AA".repeat(32),
      type: "Send",
      fee: 12n,
      status: "Success",
      timestamp: seconds(1_746_684_800),
      block: height(90),
      nonce: 41,
      order: 90 * 65_536 + 3,
      from: [party(alice, 5n)],
      to: [party(bob, 5n)]
    })
    assert.deepStrictEqual(seen(alice, second), seen(alice, first))
    assert.strictEqual(seen(bob, second).type, "Receive")
  })

  it("has the number of a ticket in place of a sequence, no number if the network made it, and no ledger before one", () => {
    const place = (row: object) => {
      const { block, nonce } = seen(alice, row)
      return [block, nonce]
    }
    assert.deepStrictEqual(place(payment({ Amount: "5", Sequence: 0, TicketSequence: 7 })), [90, 7])
    assert.deepStrictEqual(place(payment({ Amount: "5", Sequence: 0 })), [90, undefined])
    assert.deepStrictEqual(place({ ...payment({ Amount: "5" }), validated: false }), [undefined, 41])
    assert.deepStrictEqual(place(payment({ Amount: "5", ledger_index: undefined })), [undefined, 41])
  })

  it("shows the delivered amount, not the requested amount", () => {
    const partial = { Amount: "2000000", Flags: 0x00020000 }
    assert.deepStrictEqual(seen(bob, payment(partial, { delivered_amount: "7" })).to, [party(bob, 7n)])
    assert.deepStrictEqual(seen(bob, payment(partial, { DeliveredAmount: "8" })).to, [party(bob, 8n)])
    for (const meta of [{ delivered_amount: "unavailable" }, {}]) {
      const row = payment(partial, meta)
      assert.deepStrictEqual(seen(bob, row).to, [party(bob, 0n)])
      assert.isTrue(hasUnknownDelivery(Option.getOrThrow(toLedgerTransaction(row))))
    }
    assert.isFalse(hasUnknownDelivery(Option.getOrThrow(toLedgerTransaction(payment({ Amount: "5" })))))
  })

  it("has issued amounts in base units, with or without an exponent, and drops digits below the last decimal", () => {
    const of = (value: string) => {
      const { issuer = "", currency = "" } = /(?<issuer>.*)\.(?<currency>.*)/.exec(rlusd.address)?.groups ?? {}
      return seen(bob, payment({ Amount: { issuer, currency, value } })).to
    }
    assert.deepStrictEqual(of("1.5"), [party(bob, 1_500_000_000_000_000n, rlusd.address)])
    assert.deepStrictEqual(of("9999999999999999e80"), [party(bob, 9_999_999_999_999_999n * 10n ** 95n, rlusd.address)])
    assert.deepStrictEqual(of("1e-15"), [party(bob, 1n, rlusd.address)])
    assert.deepStrictEqual(of("1234567890123456e-19"), [party(bob, 123_456_789_012n, rlusd.address)])
  })

  it("is read even if an account has a negative balance, as in ledgers of 2013", () => {
    const root = (Account: string, before: string, after: string) => ({
      ModifiedNode: {
        LedgerEntryType: "AccountRoot",
        FinalFields: { Account, Balance: after },
        PreviousFields: { Balance: before }
      }
    })
    const AffectedNodes = [root(alice, "2", "-15"), root(bob, "-20", "-15")]
    const { from, to } = seen(alice, payment({ Amount: "5" }, { AffectedNodes }))
    assert.deepStrictEqual([from, to], [[party(alice, 5n)], [party(bob, 5n)]])
  })

  it("shows an amount below a token's smallest unit as 0 of that token, and not of XRP", () => {
    const [issuer = "", currency = ""] = rlusd.address.split(".")
    const row = payment({ Amount: { issuer, currency, value: "4e-16" } })
    const { from, to } = seen(bob, row)
    assert.deepStrictEqual([from, to], [[party(alice, 0n, rlusd.address)], [party(bob, 0n, rlusd.address)]])
  })

  it("shows tokens that an escrow releases into an empty MPToken, whose previous amount is not listed", () => {
    const id = `0000000${"1".repeat(41)}`
    const modified = (FinalFields: object, more: object) => ({
      ModifiedNode: { LedgerEntryType: "MPToken", FinalFields: { MPTokenIssuanceID: id, ...FinalFields }, ...more }
    })
    const received = (more: object) => {
      const nodes = [
        modified({ Account: bob, MPTAmount: "100" }, more),
        modified({ Account: alice, MPTAmount: "5", LockedAmount: "1" }, { PreviousFields: { LockedAmount: "101" } })
      ]
      return seen(bob, payment({ TransactionType: "EscrowFinish" }, { AffectedNodes: nodes })).to
    }
    for (const more of [{}, { PreviousFields: {} }]) assert.deepStrictEqual(received(more), [party(bob, 100n, id)])
    // Only the flags changed.
    assert.deepStrictEqual(received({ PreviousFields: { Flags: 1 } }), [party(bob, 0n)])
  })

  it("that failed shows its fee and amounts of zero", () => {
    const row = payment({ Amount: "5" }, { TransactionResult: "tecUNFUNDED_PAYMENT", delivered_amount: "5" })
    assert.deepInclude(seen(alice, row), {
      status: "Failed",
      fee: 12n,
      from: [party(alice, 0n)],
      to: [party(bob, 0n)]
    })
  })

  it("is pending until it is validated", () => {
    const { meta: _, ...row } = payment({ Amount: "5" })
    assert.deepInclude(seen(alice, { ...row, validated: false }), {
      status: "Pending",
      from: [party(alice, 5n)],
      to: [party(bob, 5n)]
    })
    assert.strictEqual(seen(alice, row).status, "Unknown")
  })

  /** Ledger entry of an account with its balance before and after. */
  const root = (kind: string, Account: string, before: string, Balance: string) => ({
    [kind]: {
      LedgerEntryType: "AccountRoot",
      FinalFields: { Account, Balance },
      PreviousFields: { Balance: before }
    }
  })

  it("is not read if its nodes create or lose XRP, except with an escrow or a channel", () => {
    const nodes = [root("ModifiedNode", alice, "100", "83"), root("ModifiedNode", bob, "10", "15")]
    const of = (TransactionType: string, ...AffectedNodes: ReadonlyArray<unknown>) =>
      Option.flatMap(toLedgerTransaction(payment({ TransactionType, Amount: "5" }, { AffectedNodes })), (found) =>
        toTransaction(alice, found, decimals)
      )
    assert.isTrue(Option.isSome(of("Payment", ...nodes)))
    assert.isTrue(Option.isNone(of("Payment", ...nodes.slice(0, 1))))
    assert.isTrue(Option.isNone(of("Payment", root("ModifiedNode", alice, "100", "-83"), ...nodes.slice(1))))
    for (const type of ["EscrowCreate", "PaymentChannelFund"])
      assert.isTrue(Option.isSome(of(type, ...nodes.slice(0, 1))))
    // The payer always pays the fee.
    const unchanged = {
      ModifiedNode: { LedgerEntryType: "AccountRoot", FinalFields: { Account: alice, Balance: "83" } }
    }
    assert.isTrue(Option.isNone(of("Payment", unchanged, ...nodes.slice(1))))
    assert.isTrue(Option.isSome(of("Payment", ...nodes.slice(1))))
  })

  it("that deletes an account shows the transferred balance without the fee", () => {
    const nodes = [root("DeletedNode", alice, "8500200000", "0"), root("ModifiedNode", bob, "1000000", "8501000000")]
    const ends = { TransactionType: "AccountDelete", Fee: "200000" }
    const row = payment(ends, { AffectedNodes: nodes, delivered_amount: "8500000000" })
    assert.deepInclude(seen(alice, row), {
      type: "AccountDelete",
      fee: 200_000n,
      from: [party(alice, 8_500_000_000n)],
      to: [party(bob, 8_500_000_000n)]
    })
  })

  it("that is sent in one currency and arrives in another lists all accounts in between and the issuer's share", () => {
    const [maker = "", issuer = ""] = samples(ripple, 2, 800)
    const line = (holder: string, before: string, after: string) => ({
      ModifiedNode: {
        LedgerEntryType: "RippleState",
        FinalFields: {
          Balance: { currency: "EUR", value: after },
          HighLimit: { issuer },
          LowLimit: { issuer: holder }
        },
        PreviousFields: { Balance: { currency: "EUR", value: before } }
      }
    })
    const nodes = [
      root("ModifiedNode", alice, "5000000", "2999988"),
      root("ModifiedNode", maker, "7000000", "9000000"),
      line(maker, "4", "2.995"),
      line(bob, "0", "1")
    ]
    const Amount = { currency: "EUR", issuer, value: "1" }
    const { from, to } = seen(bob, payment({ Amount }, { AffectedNodes: nodes, delivered_amount: Amount }))
    const euro = `${issuer}.EUR`
    assert.sameDeepMembers([...from], [party(alice, 2_000_000n), party(maker, 1_005_000_000_000_000n, euro)])
    assert.sameDeepMembers(
      [...to],
      [party(maker, 2_000_000n), party(bob, 1_000_000_000_000_000n, euro), party(issuer, 5_000_000_000_000n, euro)]
    )
  })

  it("is rejected if its nodes are in an unknown format", () => {
    const line = { LedgerEntryType: "RippleState", FinalFields: { Balance: { currency: "EUR", value: "5" } } }
    for (const node of [{ LedgerEntryType: "AccountRoot", FinalFields: { Account: 5 } }, line, "text"]) {
      const row = toLedgerTransaction(payment({ Amount: "5" }, { AffectedNodes: [{ ModifiedNode: node }] }))
      assert.isTrue(
        Option.isNone(Option.flatMap(row, (ledgerTransaction) => toTransaction(alice, ledgerTransaction, decimals)))
      )
    }
    const root = (account: string, before: string, after: string) => ({
      ModifiedNode: {
        LedgerEntryType: "AccountRoot",
        PreviousFields: { Balance: before },
        FinalFields: { Account: account, Balance: after }
      }
    })
    const paid = (other: string) =>
      toLedgerTransaction(payment({ Amount: "5" }, { AffectedNodes: [root(alice, "20", "3"), root(other, "1", "6")] }))
    const isShown = (other: string) =>
      Option.isSome(Option.flatMap(paid(other), (row) => toTransaction(alice, row, decimals)))
    assert.deepStrictEqual([bob, carol].map(isShown), [true, false])
    // A payment that failed reaches no recipient.
    const unpaid = { AffectedNodes: [root(alice, "20", "8")], TransactionResult: "tecUNFUNDED_PAYMENT" }
    assert.strictEqual(seen(alice, payment({ Amount: "5" }, unpaid)).status, "Failed")
    // Entries without balances may have any format.
    const other = [{ ModifiedNode: { LedgerEntryType: "Oracle", FinalFields: { Balance: 5 } } }]
    assert.isTrue(Option.isSome(toLedgerTransaction(payment({ Amount: "5" }, { AffectedNodes: other }))))
    assert.deepStrictEqual(seen(alice, payment({ Amount: "5" }, { AffectedNodes: other })).to, [party(bob, 5n)])
  })
})

type Body = Readonly<Record<string, unknown>>

/** Converts a recorded response to `tx` to a row of `account_tx`. */
const recordedRow = (name: string) => {
  const body = fixture("rippled", name).response.body as Body
  const result = (body.result ?? body) as Body
  const { meta, tx_json, validated, ...tx } = result
  return tx_json === undefined
    ? { tx, meta, validated }
    : { tx_json: { date: 500_000_000, ...(tx_json as Body) }, meta, validated }
}

const rlusdOf = (address: string, amount: bigint) => party(address, amount, rlusd.address)

recorded("recorded XRP Ledger history", () => {
  const holder = "rnZmVGX6f4pUYyS4oXYJzoLdRojQV8y297"

  it("contains payments in both directions in XRP and RLUSD, and trust lines", function* () {
    const { requests, part } = yield* read(() => json(fixture("rippled", "account-tx-mixed").response.body), {
      address: holder
    })
    const { transactions, ...rest } = Either.getOrThrow(part)
    assert.deepStrictEqual(rest, { more: false, sources: ["ripple-rpc"], missing: [] })
    assert.strictEqual(requests.length, 1)
    assert.strictEqual(transactions.length, 22)
    assert.deepStrictEqual(transactions[0], {
      hash: "1498B0EFA4E5989F7F73915C7BF201F84E5678419FAED9541A67A626CD01D246",
      type: "Send",
      fee: 2_500n,
      status: "Success",
      timestamp: timeOf(809_138_790),
      block: height(98_322_656),
      nonce: 82_046_083,
      order: 98_322_656 * 65_536 + 29,
      from: [party(holder, 10_000n)],
      to: [party("r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM", 10_000n)]
    })
    assert.deepInclude(transactions[1], {
      type: "Receive",
      fee: 11n,
      from: [party("r6yAvyZ5kgRNWqMkdsoHN4Fiu7fiVdLc3", 1n)],
      to: [party(holder, 1n)]
    })
    assert.deepInclude(
      transactions.find(({ hash }) => hash.startsWith("D872B32A")),
      {
        type: "Send",
        from: [rlusdOf(holder, 20_000_000_000_000n)],
        to: [rlusdOf("r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM", 20_000_000_000_000n)]
      }
    )
    assert.deepInclude(
      transactions.find(({ hash }) => hash.startsWith("6A402139")),
      {
        type: "Receive",
        fee: 10n,
        from: [rlusdOf("rHYDRjArNRgkrq7Rr4Exow9GeyMoGgnKL8", 1_000_000_000_000n)],
        to: [rlusdOf(holder, 1_000_000_000_000n)]
      }
    )
    assert.deepStrictEqual(
      transactions.slice(-2).map(({ fee, from, to, type }) => ({ fee, from, to, type })),
      [
        { type: "TrustSet", fee: 5_000n, from: [party(holder, 0n)], to: [] },
        { type: "TrustSet", fee: 5_000n, from: [party(holder, 0n)], to: [] }
      ]
    )
    // Received 0.311 and sent 1.26.
    const rlusdSum = transactions.reduce((sum, { from, to }) => {
      const of = (parties: Transaction["from"]) =>
        parties.reduce(
          (all, { address, amount, token }) => (address === holder && token === rlusd.address ? all + amount : all),
          0n
        )
      return sum + of(to) - of(from)
    }, 0n)
    assert.strictEqual(rlusdSum, -949_000_000_000_000n)
  })

  it("continues on the next page if there is a marker, and ends without a marker", function* () {
    const first = fixture("rippled", "account-tx-small").response.body
    const { requests, part } = yield* read(
      (item) =>
        item.body.includes("marker")
          ? json({ result: { account: holder, ledger_index_min: 32_570, transactions: [], status: "success" } })
          : json(first),
      { address: holder }
    )
    assert.deepInclude(Either.getOrThrow(part), { more: false, missing: [] })
    assert.strictEqual(Either.getOrThrow(part).transactions.length, 3)
    assert.deepStrictEqual(JSON.parse(requests[1]?.body ?? "{}").params[0].marker, { ledger: 96_608_933, seq: 38 })
  })

  it("contains payments without a delivered amount, from a node that does not have all ledgers", function* () {
    const wallet = "rfkV3EoXimH6JrG1QAyofgbVhnyZZDjWSj"
    const { part } = yield* read(() => json(fixture("rippled", "account-tx-wallet-without-delivered").response.body), {
      address: wallet
    })
    const { missing, more, transactions } = Either.getOrThrow(part)
    assert.deepStrictEqual(
      transactions.map(({ fee, from, to, type }) => ({ type, fee, from, to })),
      [
        {
          type: "Send",
          fee: 12n,
          from: [party(wallet, 5_718_112n)],
          to: [party("rw62XQr4hLZjiuiq46CWiA6FretVuyZaoG", 5_718_112n)]
        },
        {
          type: "Receive",
          fee: 6_000n,
          from: [party("r4eEbLKZGbVSBHnSUBZW8i5XaMjGLdqT4a", 25_718_124n)],
          to: [party(wallet, 25_718_124n)]
        }
      ]
    )
    assert.strictEqual(25_718_124n - 5_718_112n - 12n, 20_000_000n)
    assert.isTrue(more)
    assert.deepStrictEqual(missing, ["older transactions: ripple-rpc: the node does not have the older ledgers"])
  })

  it("shows the balance that the deletion of an account transfers, without the fee", () => {
    const account = "rM5qup5BYDLMXaR5KU1hiC9HhFMuBVrnKv"
    assert.deepInclude(seen(account, recordedRow("tx-accountdelete")), {
      type: "AccountDelete",
      fee: 5_000_000n,
      status: "Success",
      timestamp: timeOf(629_889_411),
      from: [party(account, 9_995_000_000n)],
      to: [party("rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe", 9_995_000_000n)]
    })
  })

  it("shows the amount of an escrow without a recipient", () => {
    const account = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
    assert.deepInclude(seen(account, recordedRow("tx-escrowcreate")), {
      type: "EscrowCreate",
      fee: 12n,
      from: [party(account, 2n)],
      to: []
    })
  })

  it("shows a transaction that is not validated as pending, whatever the engine's result is", () => {
    assert.deepInclude(seen("rLVKsA4F9iJBbA6rX2x4wCmkj6drgtqpQe", recordedRow("tx-not-validated")), {
      type: "AccountSet",
      status: "Pending",
      fee: 10n
    })
  })

  it("shows an offer without funds as failed, with its fee", () => {
    const account = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
    assert.deepInclude(seen(account, recordedRow("tx-offercreate-tecunfunded")), {
      type: "OfferCreate",
      status: "Failed",
      fee: 12n,
      from: [party(account, 0n)],
      to: []
    })
  })

  it("shows the delivered amount of a partial payment", () => {
    const [from, to] = ["rGFuMiw48HdbnrUbkRYuitXTmfrDBNTCnX", "rNNuQMuExCiEjeZ4h9JJnj5PSWypdMXDj4"]
    const transaction = seen(to, recordedRow("tx-partial-payment-xrp"))
    assert.deepInclude(transaction, { type: "Receive", fee: 10_000n, status: "Success" })
    assert.deepInclude(transaction.to, party(to, 1_000_000n))
    assert.deepInclude(transaction.from, party(from, 1_000_000n))
    // The recipient gets fewer dollars than were sent: the issuer takes a fee for the transfer.
    const usd = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD"
    assert.deepInclude(transaction.from, party(from, 10_000_000_000_000_000n, usd))
    assert.deepInclude(transaction.to, party(to, 9_980_039_920_159_681n, usd))
    assert.deepInclude(transaction.to, party("rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B", 19_960_079_840_319n, usd))
  })

  it("shows a payment of one drop whose fee exceeds its amount", () => {
    assert.deepInclude(seen(holder, recordedRow("tx-payment-1-drop-memo")), {
      type: "Receive",
      fee: 11n,
      timestamp: timeOf(814_646_090)
    })
    assert.deepStrictEqual(seen(holder, recordedRow("tx-payment-1-drop-memo")).to, [party(holder, 1n)])
  })

  it("shows a multi-purpose token in whole units, issued by the issuer in its id", () => {
    const token = "006419063CEBEB49FC20032206CE0F203138BFC59F1AC578"
    assert.deepInclude(seen("rLWSJKbwYSzG32JuGissYd66MFTvfMk4Bt", recordedRow("tx-payment-mptoken")), {
      type: "Receive",
      fee: 120n,
      from: [party("raZ3wTTKiMHn3BiStvz4ET9rbCHfU1DMak", 1_000n, token)],
      to: [party("rLWSJKbwYSzG32JuGissYd66MFTvfMk4Bt", 1_000n, token)]
    })
  })

  it("shows a transaction of the network itself, which has no account", () => {
    assert.deepInclude(seen("rrrrrrrrrrrrrrrrrrrrrhoLvTp", recordedRow("tx-setfee-pseudo")), {
      type: "SetFee",
      fee: 0n,
      status: "Success"
    })
  })

  it("lists every account between the sender and the recipient of a cross-currency payment", () => {
    const { AffectedNodes, ...meta } = fixture("rippled", "tx-cross-currency-payment").response.body as Body
    const row = payment(
      {
        Account: "r9KG7Du7aFmABzMvDnwuvPaEoMu4Eurwok",
        Destination: "rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8",
        Fee: "11",
        Amount: { currency: "GCB", issuer: "rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8", value: "2.788706" }
      },
      { ...meta, AffectedNodes }
    )
    const { from, to } = seen("rd5Sx93pCMgfxwBuofjen2csoFYmY8VrT", row)
    assert.deepInclude(
      to,
      party("rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8", 2_788_706_000_000_000n, "rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8.GCB")
    )
    assert.deepInclude(from, party("rd5Sx93pCMgfxwBuofjen2csoFYmY8VrT", 2_788_706n))
    assert.deepInclude(
      to,
      party("rd5Sx93pCMgfxwBuofjen2csoFYmY8VrT", 998_003_992_010_000n, "rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq.USD")
    )
    for (const token of new Set([...from, ...to].flatMap((element) => element.token ?? []))) {
      const sum = (parties: Transaction["from"]) =>
        parties.reduce((all, current) => (current.token === token ? all + current.amount : all), 0n)
      assert.strictEqual(sum(from), sum(to), token)
    }
  })
})

const [own = "", other = "", issuer = ""] = samples(ripple, 3, 700)

/** History of the samples' account from a node that returns this sample. */
const sampled = (name: string) =>
  Effect.map(
    read(
      (request) =>
        request.body.includes("marker")
          ? json({ result: { account: own, ledger_index_min: 32_570, transactions: [] } })
          : of(name),
      {
        address: own
      }
    ),
    ({ requests, part }) => ({ requests, ...Either.getOrThrow(part) })
  )
/** The samples are shortened: they lack the ledgers that the node searched. */
const of = (name: string) => {
  const exchange = sample("rippled", name)
  const { result } = exchange.response.body as { readonly result: object }
  const body = { result: { ledger_index_min: 32_570, ...result } }
  return replay({ ...exchange, response: { ...exchange.response, body } })
}

describe("sample XRP Ledger history", () => {
  const paid = (from: string, to: string, amount: bigint, token?: string) => ({
    from: [party(from, amount, token)],
    to: [party(to, amount, token)]
  })
  const token = "0012D6870102030405060708090A0B0C0D0E0F1011121314"
  const at = (index: number) => timeOf(810_000_000 + index)
  const success = { type: "Send", fee: 12n, status: "Success" as const, nonce: 71 }
  const expected: Readonly<Record<string, ReadonlyArray<Omit<Transaction, "hash" | "order">>>> = {
    "account-tx-payments": [
      { ...success, timestamp: at(9), ...paid(own, other, 5_250_000n) },
      { ...success, type: "Receive", fee: 15n, timestamp: at(8), ...paid(other, own, 1n) }
    ],
    "account-tx-marker": [
      { ...success, type: "TrustSet", timestamp: at(7), block: height(97_999_991), from: [party(own, 0n)], to: [] }
    ],
    "account-tx-issued": [
      { ...success, type: "Receive", timestamp: at(6), ...paid(issuer, own, 250_000_000_000_000n, `${issuer}.EUR`) }
    ],
    "account-tx-version-2": [
      { ...success, timestamp: seconds(1_756_684_805), block: height(98_000_005), ...paid(own, other, 750n) }
    ],
    "account-tx-escrow": [{ ...success, type: "EscrowCreate", timestamp: at(3), from: [party(own, 300_000n)], to: [] }],
    "account-tx-unfunded": [
      { ...success, type: "OfferCreate", status: "Failed", timestamp: at(2), from: [party(own, 0n)], to: [] }
    ],
    "account-tx-not-validated": [
      { ...success, type: "AccountSet", status: "Pending", timestamp: at(2), from: [party(own, 0n)], to: [] }
    ],
    "account-tx-partial": [{ ...success, type: "Receive", fee: 15n, timestamp: at(2), ...paid(other, own, 2_000n) }],
    "account-tx-multi-purpose-token": [
      { ...success, timestamp: at(2), ...paid(own, "raLnyR4PTuc5SgXGHqYA894a4eoKqoFwu", 40n, token) }
    ],
    "account-tx-of-the-network": [
      {
        type: "SetFee",
        fee: 0n,
        status: "Success",
        timestamp: at(1),
        from: [party("rrrrrrrrrrrrrrrrrrrrrhoLvTp", 0n)],
        to: [party(own, 0n)]
      }
    ]
  }
  for (const [name, rows] of Object.entries(expected))
    it(name, function* () {
      const { missing, more, transactions } = yield* sampled(name)
      assert.deepStrictEqual<unknown>(
        transactions.map(({ hash: _, order: __, ...rest }) => rest),
        rows
      )
      assert.deepStrictEqual([missing, more], [[], false])
    })

  it("continues on the next page if there is a marker, and ends without a marker", function* () {
    const { requests } = yield* sampled("account-tx-marker")
    assert.deepStrictEqual(
      requests.map(({ body }) => JSON.parse(body).params[0].marker),
      [undefined, { ledger: 97_999_990, seq: 3 }]
    )
    assert.lengthOf((yield* sampled("account-tx-payments")).requests, 1)
  })

  it("shows the full amount of a payment without a delivered amount, from a node that does not have all ledgers", function* () {
    const { missing, more, transactions } = yield* sampled("account-tx-without-delivered")
    assert.deepInclude(transactions[0], { ...success, timestamp: at(4), ...paid(own, other, 6_204n) })
    assert.isTrue(more)
    assert.deepStrictEqual(missing, ["older transactions: ripple-rpc: the node does not have the older ledgers"])
  })
})
