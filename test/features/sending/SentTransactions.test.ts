import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { ReadFailure, SendFailure, SendOutcome, SignedTransaction } from "../../../src/chains/Chain.ts"
import * as PendingMemory from "../../../src/chains/kit/status/PendingMemory.ts"
import type { TransactionState } from "../../../src/domain/Transaction.ts"
import { millis } from "../../../src/domain/units.ts"
import * as Sends from "../../../src/features/sending/Sends.ts"
import { isOpen, isPending, SentTransactions } from "../../../src/features/sending/SentTransactions.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store, StoreError } from "../../../src/storage/Store.ts"
import { noStatus, statusesWith } from "../../support/rawTransactions.ts"
import { assert, built, describe, it } from "../../support/vitest.ts"

const outcome: SendOutcome = { accepted: true, alreadyKnown: false, reason: null, nodeMessage: null }
const refusal: SendOutcome = { ...outcome, accepted: false, reason: "fee_too_low" }
const invalid: SendOutcome = { ...refusal, reason: "invalid" }
const undecided: SendFailure = { reason: "upstream_error", message: "lost", mayHaveArrived: true }
const unsent: SendFailure = { reason: "upstream_error", message: "down" }

const account = `0x${"a".repeat(40)}`

const signed = (send: SignedTransaction["send"], more: Partial<SignedTransaction> = {}): SignedTransaction => ({
  hash: "0x5",
  content: () => ({ payments: [], unknown: {} }),
  uses: { account, nonce: 7n },
  ambiguous: [],
  send,
  ...more
})

/** Sends over a network on which every transaction has this status, or none can be read. */
const sending = (status: TransactionState | ReadFailure) =>
  Effect.map(
    Sends.make,
    (send) => (transaction: SignedTransaction) =>
      Effect.either(send({ facts: { id: "net" }, statuses: statusesWith(status) } as never, transaction))
  )

const recorded = Effect.flatMap(SentTransactions, ({ find }) => Effect.map(find("net", ["0x5"]), (sent) => sent("0x5")))

const layer = Layer.provideMerge(Layer.provide(SentTransactions.layer, Memory.layer()), Settings.layer({}))

describe("a transaction that was sent", () => {
  it.scoped("is remembered before it is sent, and with its account and nonce", () =>
    Effect.gen(function* () {
      const send = yield* sending("not_found")
      const { using } = yield* SentTransactions
      yield* send(
        signed(
          Effect.provide(
            Effect.flatMap(recorded, (record) => {
              assert.deepInclude(record, { accepted: false, nonce: "7" })
              return Effect.succeed(outcome)
            }),
            yield* Effect.context<SentTransactions>()
          )
        )
      )
      assert.deepInclude(yield* recorded, { accepted: true, nonce: "7" })
      const [first] = (yield* using("net", [account])).get(account) ?? []
      assert.deepInclude(first, { hash: "0x5", nonce: "7" })
      assert.deepStrictEqual((yield* using("other", [account])).get(account), [])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is kept if nothing is decided, and forgotten if it is refused or did not go out", () =>
    Effect.gen(function* () {
      const send = yield* sending("not_found")
      for (const [first, isKept] of [
        [Effect.succeed(refusal), false],
        [Effect.fail(unsent), false],
        [Effect.fail(undecided), true],
        // Another node refuses it: the first may have it nevertheless.
        [Effect.succeed(refusal), true],
        [Effect.fail(unsent), true],
        // Its bytes may have another signature than those of the first.
        [Effect.succeed(invalid), true]
      ] as const) {
        yield* send(signed(first))
        assert.strictEqual((yield* recorded) !== undefined, isKept)
      }
    }).pipe(Effect.provide(layer))
  )

  for (const [status, expected] of [
    ["not_found", { accepted: true, alreadyKnown: true, reason: null }],
    ["pending", { accepted: true, alreadyKnown: true, reason: null }],
    ["replaced", { accepted: false, reason: "fee_too_low" }],
    ["expired", { accepted: false, reason: "fee_too_low" }]
  ] as const)
    it.scoped(`is not refused later by another node, unless it cannot be included any more: ${status}`, () =>
      Effect.gen(function* () {
        const send = yield* sending(status)
        yield* send(signed(Effect.succeed(outcome)))
        assert.deepInclude(Either.merge(yield* send(signed(Effect.succeed(refusal)))), expected)
      }).pipe(Effect.provide(layer))
    )

  it.scoped("is refused for other bytes with its hash, or if no source has its status; it stays remembered", () =>
    Effect.gen(function* () {
      const [send, unread] = [yield* sending("pending"), yield* sending(noStatus)]
      yield* send(signed(Effect.succeed(outcome)))
      for (const [sender, reason] of [
        [send, "invalid"],
        [unread, "fee_too_low"]
      ] as const) {
        const words = { ...refusal, reason }
        assert.deepStrictEqual<unknown>(Either.merge(yield* sender(signed(Effect.succeed(words)))), words)
        assert.deepInclude(yield* recorded, { accepted: true })
      }
    }).pipe(Effect.provide(layer))
  )

  it.scoped("stays while another send of it is undecided, in whichever order they end", () =>
    Effect.gen(function* () {
      const { remember } = yield* SentTransactions
      const [first, second] = [
        yield* remember("net", signed(Effect.never)),
        yield* remember("net", signed(Effect.never))
      ]
      yield* first.forget
      assert.deepInclude(yield* recorded, { accepted: false })
      yield* second.forget
      assert.isUndefined(yield* recorded)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("keeps its nonce, although others send many transactions of its account that no node accepts", () =>
    Effect.gen(function* () {
      const { remember, using } = yield* SentTransactions
      yield* (yield* remember("net", signed(Effect.never))).accept
      for (let index = 0; index < 60; index++)
        yield* remember("net", { ...signed(Effect.never), hash: `0x${index + 10}` })
      const hashes = ((yield* using("net", [account])).get(account) ?? []).map(({ hash }) => hash)
      assert.include(hashes, "0x5")
      const refused = { ...signed(Effect.never), hash: "0x6", uses: { account: `0x${"b".repeat(40)}`, nonce: 7n } }
      yield* (yield* remember("net", refused)).forget
      assert.deepStrictEqual((yield* using("net", [refused.uses.account])).get(refused.uses.account), [])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is looked up if it was accepted before and cannot be sent now", () =>
    Effect.gen(function* () {
      const send = yield* sending("pending")
      yield* send(signed(Effect.succeed(outcome)))
      assert.deepInclude(Either.merge(yield* send(signed(Effect.fail(unsent)))), { accepted: true, alreadyKnown: true })
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is sent after its expiry only on request", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const send = yield* Sends.make
      const network = { facts: { id: "net" }, statuses: statusesWith("not_found") } as never
      const late = signed(Effect.succeed(outcome), { expiry: millis(0) })
      assert.deepInclude(yield* send(network, late), { accepted: false, reason: "expired" })
      assert.deepInclude(yield* send(network, late, { sendsExpired: true }), { accepted: true })
    }).pipe(Effect.provide(layer))
  )

  it("is remembered by two processes over one store, in whichever order they write", function* () {
    const store = Layer.succeed(Store, yield* built(Store, Memory.layer()))
    const process = () => built(SentTransactions, Layer.fresh(Layer.provide(SentTransactions.layer, store)))
    const [one, two] = [yield* process(), yield* process()]
    // Both send the same transaction, before the other has stored it, and others of the same account.
    const transaction = signed(Effect.die("not sent here"))
    const sends = yield* Effect.forEach([one, two], ({ remember }) => remember("net", transaction), {
      concurrency: "unbounded"
    })
    yield* Effect.forEach(
      [one, two],
      ({ remember }, index) => remember("net", { ...transaction, hash: `0x${index}` }),
      {
        concurrency: "unbounded"
      }
    )
    yield* sends[0]?.accept ?? Effect.void
    assert.deepInclude((yield* two.find("net", ["0x5"]))("0x5"), { accepted: true })
    yield* sends[1]?.forget ?? Effect.void
    for (const { find, using } of [one, two]) {
      assert.deepInclude((yield* find("net", ["0x5"]))("0x5"), { accepted: true })
      const hashes = (yield* using("net", [account])).get(account)?.map(({ hash }) => hash) ?? []
      assert.deepStrictEqual([...hashes].sort(), ["0x0", "0x1", "0x5"])
    }
  })

  it("is stored with its account in lower case and its notes, which a refusal removes", function* () {
    yield* Effect.gen(function* () {
      const { remember, using } = yield* SentTransactions
      const { read } = yield* PendingMemory.make("net")
      const { forget } = yield* remember("net", {
        ...signed(Effect.die("not sent here")),
        uses: { account: account.toUpperCase(), nonce: 7n },
        notes: (at) => [`note ${at}`]
      })
      assert.lengthOf((yield* using("net", [account])).get(account) ?? [], 1)
      assert.deepStrictEqual([...(yield* read(["0x5"]))], [["0x5", ["note 0"]]])
      yield* forget
      assert.deepStrictEqual([...(yield* read(["0x5"]))], [])
    }).pipe(Effect.provide(Layer.provideMerge(SentTransactions.layer, Memory.layer())))
  })

  for (const [name, first, before] of [
    ["accepted", Effect.succeed(outcome), { accepted: true }],
    ["undecided", Effect.fail(undecided), { mayHaveArrived: true }]
  ] as const)
    it.scoped(`is refused once it cannot be pending any more: ${name}`, () =>
      Effect.gen(function* () {
        const send = yield* sending("not_found")
        yield* send(signed(first))
        yield* TestClock.adjust("14 days")
        assert.deepInclude(Either.merge(yield* send(signed(Effect.succeed(refusal)))), before)
        yield* TestClock.adjust("1 millis")
        assert.deepInclude(Either.merge(yield* send(signed(Effect.succeed(refusal)))), refusal)
      }).pipe(Effect.provide(layer))
    )

  it.scoped("may have arrived, if it was undecided and a node calls the same transaction expired later", () =>
    Effect.gen(function* () {
      const send = yield* Sends.make
      const network = { facts: { id: "net" }, statuses: statusesWith("not_found") } as never
      const late = (outcomes: SignedTransaction["send"]) => signed(outcomes, { expiry: millis(0) })
      const first = yield* Effect.either(send(network, late(Effect.fail(undecided)), { sendsExpired: true }))
      assert.deepInclude(Either.merge(first), { mayHaveArrived: true })
      yield* TestClock.adjust("1 hour")
      for (const reason of ["expired", "already_spent", "nonce_too_low"] as const) {
        const again = late(Effect.succeed({ ...refusal, reason }))
        const later = yield* Effect.either(send(network, again, { sendsExpired: true }))
        assert.deepInclude(Either.merge(later), { mayHaveArrived: true })
        assert.deepInclude(yield* recorded, { accepted: false })
      }
      assert.deepInclude(Either.merge(yield* Effect.either(send(network, late(Effect.succeed(outcome))))), {
        mayHaveArrived: true
      })
    }).pipe(Effect.provide(layer))
  )

  it("is remembered while the store fails; whether another was sent is then unknown", function* () {
    const store = yield* built(Store, Memory.layer())
    const down = new StoreError({ operation: "getMany", cause: new Error("down") })
    const failing = Layer.succeed(Store, {
      ...store,
      open: (name, version) => ({ ...store.open(name, version), getMany: () => down, changeLists: () => down })
    })
    yield* Effect.gen(function* () {
      const { find, remember, using } = yield* SentTransactions
      const { accept, earlier } = yield* remember("net", signed(Effect.die("not sent here")))
      assert.strictEqual(earlier, "unknown")
      yield* accept
      const sent = yield* find("net", ["0x5", "0x6"])
      assert.deepInclude(sent("0x5"), { accepted: true, nonce: "7" })
      assert.strictEqual(sent("0x6"), "unknown")
      assert.deepStrictEqual((yield* using("net", [account])).get(account)?.length, 1)
      const again = yield* remember("net", signed(Effect.die("not sent here")))
      assert.deepInclude(again.earlier, { accepted: true })
    }).pipe(Effect.provide(Layer.provide(SentTransactions.layer, failing)))
  })

  for (const [status, expected] of [
    ["pending", { accepted: true }],
    ["not_found", { accepted: false, reason: "fee_too_low" }]
  ] as const)
    it(`is looked up before a refusal if the store cannot say whether it was sent before: ${status}`, function* () {
      const store = yield* built(Store, Memory.layer())
      const failing = Layer.succeed(Store, {
        ...store,
        open: (name, version) => ({ ...store.open(name, version), getMany: () => Effect.die("down") })
      })
      const send = yield* Effect.provide(
        sending(status),
        yield* Layer.build(Layer.provideMerge(Layer.provide(SentTransactions.layer, failing), Settings.layer({})))
      )
      assert.deepInclude(Either.merge(yield* send(signed(Effect.succeed(refusal)))), expected)
    })

  it("is open until its expiry, or for 14 days", () => {
    const day = 24 * 60 * 60 * 1000
    const record = { hash: "0x5", at: millis(0), accepted: true }
    assert.isTrue(isOpen(record, millis(14 * day)))
    assert.isFalse(isOpen(record, millis(14 * day + 1)))
    const expiring = { ...record, expiry: millis(day) }
    assert.isTrue(isOpen(expiring, millis(day)))
    assert.isFalse(isOpen(expiring, millis(day + 600_001)))
  })

  it("is pending long after its expiry, which only sources may call final", () => {
    const day = 24 * 60 * 60 * 1000
    const record = { hash: "0x5", at: millis(0), accepted: true }
    for (const [expiry, days] of [
      [0, 14],
      [1, 15],
      [10, 24]
    ] as const) {
      const expiring = { ...record, expiry: millis(expiry * day) }
      assert.isTrue(isPending(expiring, millis(days * day)))
      assert.isFalse(isPending(expiring, millis(days * day + 1)))
    }
    assert.isTrue(isPending(record, millis(14 * day)))
    assert.isFalse(isPending(record, millis(14 * day + 1)))
  })

  it.scoped("is not refused after its expiry, because a block may have been replaced", () =>
    Effect.gen(function* () {
      const send = yield* sending("not_found")
      const expiring = (outcomes: SignedTransaction["send"]) => signed(outcomes, { expiry: millis(0) })
      yield* send(expiring(Effect.succeed(outcome)))
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(Either.merge(yield* send(expiring(Effect.succeed(refusal)))), { accepted: true })
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is stored for longer than it may be pending, so that its state is known to be unknown", () =>
    Effect.gen(function* () {
      const send = yield* sending("not_found")
      yield* send(signed(Effect.succeed(outcome)))
      yield* TestClock.adjust("20 days")
      assert.deepInclude(yield* recorded, { accepted: true })
      yield* TestClock.adjust("9 days")
      assert.isUndefined(yield* recorded)
    }).pipe(Effect.provide(layer))
  )
})
