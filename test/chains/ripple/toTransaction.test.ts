import * as Option from "effect/Option"
import { ripple } from "../../../src/catalogue/ripple.ts"
import { toLedgerTransaction } from "../../../src/chains/ripple/LedgerTransaction.ts"
import { hasUnknownDelivery, toTransaction } from "../../../src/chains/ripple/toTransaction.ts"
import { height, numberOf, seconds } from "../../../src/domain/units.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"
import { decimals, seen, timeOf } from "./historyNodes.ts"
import { alice, bob, rlusd } from "./ripple.ts"

const carol = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"

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
