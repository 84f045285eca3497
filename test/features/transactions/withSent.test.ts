import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { SignedTransaction } from "../../../src/chains/Chain.ts"
import type {
  EvmContext,
  PolkadotContext,
  RippleContext,
  TonContext,
  TransactionContext,
  UtxoContext
} from "../../../src/domain/TransactionContext.ts"
import { height, millis } from "../../../src/domain/units.ts"
import { SentTransactions } from "../../../src/features/sending/SentTransactions.ts"
import { withSent } from "../../../src/features/transactions/withSent.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const account = `0x${"a".repeat(40)}`
const address = `0x${"A".repeat(40)}`
const spent = `${"b".repeat(64)}:1`

const evm: EvmContext = {
  family: "evm",
  chainId: 1,
  nonce: 7,
  pendingNonce: 7,
  balance: "1",
  block: 5,
  baseFeePerGas: null,
  gasPrice: "1"
}

const output = (txid: string) =>
  ({
    txid,
    vout: 1,
    value: "5",
    script: "00",
    address: "a",
    confirmations: 1,
    coinbase: false,
    spendable: true
  }) as const

const utxo: UtxoContext = {
  family: "utxo",
  height: 5,
  coinbaseMaturity: 100,
  utxos: [output("b".repeat(64)), output("c".repeat(64))],
  truncated: false,
  count: 2
}

const ripple: RippleContext = {
  family: "ripple",
  activated: true,
  sequence: 7,
  balance: "1",
  ownerCount: 0,
  ledger: 100,
  reserveBase: "1",
  reserveIncrement: "1",
  reserve: "1",
  baseFee: "10",
  openLedgerFee: "10"
}

const ton: TonContext = { family: "ton", state: "active", seqno: 7, wallet: null, walletId: null, balance: "1" }

const signed = (
  hash: string,
  uses: NonNullable<SignedTransaction["uses"]>,
  more: Partial<SignedTransaction> = {}
): SignedTransaction => ({
  hash,
  uses,
  content: () => ({ payments: [], unknown: {} }),
  ...more,
  ambiguous: [],
  send: Effect.die("not sent here")
})

/** Stores a transaction as sent, and as accepted if it was. */
const sent = (transaction: SignedTransaction, isAccepted: boolean) =>
  Effect.flatMap(SentTransactions, ({ remember }) =>
    Effect.flatMap(remember("net", transaction), ({ accept }) => (isAccepted ? accept : Effect.void))
  )

const changed = (context: TransactionContext) =>
  Effect.flatMap(SentTransactions, (memory) => withSent(memory, "net", address, context))

const layer = Layer.provide(SentTransactions.layer, Memory.layer())

describe("a transaction context", () => {
  it("counts sequences on ripple up to the last ledger of the transaction, and not on ton, where orders wait for each other", function* () {
    yield* Effect.gen(function* () {
      yield* sent(signed("a", { account, nonce: 7n }, { lastBlock: height(100), expiry: millis(0) }), true)
      assert.deepInclude(yield* changed(ripple), { sequence: 8 })
      assert.deepInclude(yield* changed({ ...ripple, ledger: 101 }), { sequence: 7 })
      assert.deepInclude(yield* changed({ ...ripple, sequence: null }), { sequence: null })
      assert.deepInclude(yield* changed(ton), { seqno: 7 })
      yield* sent(signed("b", { account, nonce: 8n }), false)
      assert.deepInclude(yield* changed(ton), { seqno: 7, undecided: [{ hash: "b", nonce: 8, timestamp: 0 }] })
      yield* TestClock.adjust("11 minutes")
      assert.deepStrictEqual<unknown>(yield* changed(ton), ton)
    }).pipe(Effect.provide(layer))
  })

  it("counts nonces on polkadot for the lifetime of the transaction", function* () {
    yield* Effect.gen(function* () {
      const polkadot = { family: "polkadot", nonce: 7 } as PolkadotContext
      yield* sent(signed("a", { account, nonce: 7n }, { lifetime: 60_000 }), true)
      assert.deepInclude(yield* changed(polkadot), { nonce: 8 })
      yield* TestClock.adjust("12 minutes")
      assert.deepInclude(yield* changed(polkadot), { nonce: 7 })
    }).pipe(Effect.provide(layer))
  })

  it("counts the nonces of accepted transactions that the node has not seen, up to a gap", function* () {
    yield* Effect.gen(function* () {
      for (const [nonce, pendingNonce] of [
        [9n, 7],
        [6n, 7],
        [7n, 8],
        [8n, 10]
      ] as const) {
        yield* sent(signed(`0x${nonce}`, { account, nonce }), true)
        assert.deepStrictEqual(yield* changed(evm), { ...evm, pendingNonce })
      }
      yield* TestClock.adjust("15 days")
      assert.deepStrictEqual(yield* changed(evm), evm)
    }).pipe(Effect.provide(layer))
  })

  it("hides the outputs that accepted transactions spend", function* () {
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* changed(utxo), utxo)
      yield* sent(signed("5", { outputs: [spent] }), true)
      assert.deepStrictEqual(yield* changed(utxo), { ...utxo, utxos: [output("c".repeat(64))], count: 1 })
    }).pipe(Effect.provide(layer))
  })

  it("only lists undecided transactions, for ten minutes", function* () {
    yield* Effect.gen(function* () {
      yield* sent(signed("0x5", { account, nonce: 7n }), false)
      yield* sent(signed("5", { outputs: [spent] }), false)
      const [ofAccount, ofOutput] = [yield* changed(evm), yield* changed(utxo)]
      assert.deepStrictEqual<unknown>(ofAccount, { ...evm, undecided: [{ hash: "0x5", nonce: 7, timestamp: 0 }] })
      assert.deepStrictEqual<unknown>(ofOutput, { ...utxo, undecided: [{ hash: "5", nonce: null, timestamp: 0 }] })
      yield* TestClock.adjust("11 minutes")
      assert.deepStrictEqual(yield* changed(evm), evm)
    }).pipe(Effect.provide(layer))
  })
})
