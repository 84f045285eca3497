import * as Effect from "effect/Effect"
import { bitcoin } from "../../../src/catalogue/utxo/bitcoin.ts"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import { cancellingSize, childFee, leastFee } from "../../../src/chains/utxo/replacement.ts"
import { signalsIn } from "../../../src/chains/utxo/toTransaction.ts"
import { json, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { replacementOf, replacementOver } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Responses follow the API documentation of Esplora and Blockbook.

const hash = "a1".repeat(32)
const child = "b2".repeat(32)
const grandchild = "c3".repeat(32)
const parent = "d4".repeat(32)
const tip = "e5".repeat(32)
const own = "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"

type Routes = Readonly<Record<string, unknown>>

const row = (txid: string, spends: string, fee: number, more: object = {}) => ({
  txid,
  weight: 561,
  vin: [
    {
      txid: spends,
      vout: 0,
      is_coinbase: false,
      sequence: 0xffffffff,
      prevout: { scriptpubkey_address: own, value: 50_000 + fee }
    }
  ],
  vout: [
    { scriptpubkey_address: own, value: 20_000 },
    { scriptpubkey_address: own, value: 30_000 }
  ],
  status: { confirmed: false },
  ...more
})
const confirmed = { status: { confirmed: true, block_height: 95, block_time: 0 } }
const spentBy = (txid: string) => ({ spent: true, txid, status: { confirmed: false } })

const transactions = {
  [`/tx/${hash}`]: row(hash, parent, 1000),
  [`/tx/${parent}`]: row(parent, tip, 300, confirmed),
  [`/tx/${hash}/outspends`]: [{ spent: false }, { spent: false }]
}
const withChildren = {
  ...transactions,
  // The grandchild spends an output of each.
  [`/tx/${hash}/outspends`]: [spentBy(child), spentBy(grandchild)],
  [`/tx/${child}`]: row(child, hash, 5000),
  [`/tx/${child}/outspends`]: [{ spent: false }, spentBy(grandchild)],
  [`/tx/${grandchild}`]: row(grandchild, child, 700),
  [`/tx/${grandchild}/outspends`]: [{ spent: false }, { spent: false }]
}

const withoutWeight = { ...transactions, [`/tx/${hash}`]: row(hash, parent, 1000, { weight: undefined }) }
const crowd = Array.from({ length: 30 }, (_, index) => String(index).padStart(64, "0"))

const esplora =
  (routes: Routes) =>
  ({ url: { pathname } }: SentRequest): Reply => {
    if (pathname === "/blocks/tip/hash") return text(tip)
    const found = { [`/block/${tip}`]: { height: 100, timestamp: 0 }, ...routes }[pathname]
    return found === undefined ? text("Transaction not found", { status: 404 }) : json(found)
  }

const over = (
  network: string,
  kind: "ESPLORA" | "BLOCKBOOK",
  ...hosts: ReadonlyArray<(request: SentRequest) => Reply>
) =>
  replacementOf(hash, network, Object.fromEntries(hosts.map((host, index) => [`${index}.test`, host])), {
    [`${network.toUpperCase()}_${kind}_URLS`]: hosts.map((_, index) => `http://${index}.test`).join(",")
  })

const onBitcoin = (...routes: ReadonlyArray<Routes>) => over("bitcoin", "ESPLORA", ...routes.map(esplora))

const policy = { replaces: "any", increment: 1000n, least: 1000n, countsChildren: true } as const

describe("the rules of replacement", () => {
  it("require all replaced fees, the increment for the new size, and a higher rate", () => {
    for (const [fee, total, vbytes, size, increment, least] of [
      [1000n, 1000n, 141, 141, 1000n, 1141n],
      // Descendants are replaced too.
      [1000n, 6700n, 141, 141, 1000n, 6841n],
      [1000n, 1000n, 141, 110, 1000n, 1110n],
      // 0.1 of a unit per virtual byte is rounded up: 14.1.
      [1000n, 1000n, 141, 141, 100n, 1015n],
      // A larger replacement must have a higher rate: 100.000 per byte becomes 100.001.
      [10_000n, 10_000n, 100, 400, 1000n, 40_001n],
      [0n, 0n, 100, 100, 1000n, 100n]
    ] as const)
      assert.strictEqual(leastFee({ fee, total, vbytes }, { ...policy, increment }, size), least, `${fee} ${size}`)
  })

  it("let a child pay for its ancestors, and at least what nodes relay", () => {
    const parents = [{ fee: 200n, vbytes: 200 }]
    // 10 per virtual byte for 341, of which 200 are paid.
    assert.strictEqual(childFee(parents, policy, 10_000n, 141), 3210n)
    assert.strictEqual(childFee([...parents, { fee: 100n, vbytes: 100 }], policy, 10_000n, 141), 4110n)
    assert.strictEqual(childFee(parents, policy, 1_001n, 141), 142n)
    // Miners take a transaction that pays the rate without its descendants: its fee helps none of them.
    assert.strictEqual(childFee([{ fee: 9_000n, vbytes: 200 }], policy, 10_000n, 141), 1410n)
    assert.strictEqual(childFee([...parents, { fee: 100_000n, vbytes: 200 }], policy, 50_000n, 141), 16_850n)
    assert.strictEqual(childFee(parents, { ...policy, least: 100_000n }, 1n, 141), 14_100n)
  })

  it("see a signal in any sequence number below the last two", () => {
    for (const [sequences, expected] of [
      [[0xffffffff, 0xfffffffd], true],
      [[0xffffffff, 0xfffffffe], false],
      [[0xfffffffe, undefined], undefined],
      [[0, undefined], true]
    ] as const)
      assert.strictEqual(signalsIn(sequences.map((sequence) => ({ sequence }))), expected, String(sequences))
  })

  it("cancel with the same inputs and one output", () => {
    const side = (address: string | undefined) => ({ address, amount: 1n })
    const found = { hash, block: undefined, time: undefined, inputs: [side(own)], outputs: [side(own), side(own)] }
    assert.strictEqual(cancellingSize(bitcoin, found, 141), 110)
    const legacy = side("1BoatSLRHtKNngkdXEeobR76b53LETtpyT")
    assert.strictEqual(cancellingSize(bitcoin, { ...found, outputs: [legacy] }, 113), 110)
    // Longer lists of outputs need two more bytes for their length.
    const many = Array.from({ length: 253 }, () => side(own))
    assert.strictEqual(cancellingSize(bitcoin, { ...found, outputs: many }, 110 + 2 + 252 * 31), 110)
    assert.isUndefined(cancellingSize(bitcoin, { ...found, outputs: [side(undefined), side(own)] }, 141))
    assert.isUndefined(cancellingSize(bitcoin, { ...found, inputs: [side(undefined)] }, 141))
    assert.isUndefined(cancellingSize(litecoin, found, 141))
  })
})

const minimum = {
  satPerVbyte: "8.093",
  feeBaseUnits: "1141",
  vbytes: 141,
  replacedFeeBaseUnits: "1000",
  incrementalSatPerVbyte: "1"
}
const transfer = { gas: null, vbytes: 110, feeBaseUnits: "1110", fee: "0.0000111" }

describe("the replacement of a transaction in the Bitcoin family", () => {
  it("pays for the transaction and its descendants", function* () {
    assert.deepStrictEqual(yield* onBitcoin(transactions), { kind: "replace", minimum, transfer })
    const { minimum: all, transfer: cancel } = yield* onBitcoin(withChildren)
    assert.deepStrictEqual(all, {
      ...minimum,
      satPerVbyte: "48.518",
      feeBaseUnits: "6841",
      replacedFeeBaseUnits: "6700"
    })
    assert.strictEqual(cancel?.feeBaseUnits, "6810")
  })

  it("is unknown if a size or a transaction that spends its outputs cannot be read", function* () {
    for (const broken of [
      withoutWeight,
      { [`/tx/${grandchild}`]: undefined },
      { [`/tx/${child}`]: row(grandchild, hash, 1) },
      { [`/tx/${grandchild}`]: row(grandchild, child, 700, { weight: undefined }) },
      Object.fromEntries([
        [`/tx/${hash}`, row(hash, parent, 1000, { vout: crowd.map(() => ({ value: 1_000 })) })],
        [`/tx/${hash}/outspends`, crowd.map(spentBy)],
        ...crowd.flatMap((id) => [
          [`/tx/${id}`, row(id, hash, 100)],
          [`/tx/${id}/outspends`, [{ spent: false }, { spent: false }]]
        ])
      ])
    ]) {
      const { kind, minimum: unknown, reason, transfer: none } = yield* onBitcoin({ ...withChildren, ...broken })
      assert.deepStrictEqual([kind, unknown, none], ["replace", null, null], JSON.stringify(broken))
      assert.include(reason, "could not be read")
      // The next source knows it.
      const { minimum: known } = yield* onBitcoin({ ...withChildren, ...broken }, transactions)
      assert.deepStrictEqual(known, minimum)
    }
    // The first source does not have the transaction.
    assert.strictEqual((yield* onBitcoin({}, withoutWeight)).kind, "replace")
  })

  it("is not read from a source that does not return the spender of each output", function* () {
    const unnamed = { spent: true, status: { confirmed: false } }
    for (const partial of [[], [spentBy(child)], [spentBy(child), unnamed]]) {
      const routes = { ...withChildren, [`/tx/${hash}/outspends`]: partial }
      yield* Effect.flip(onBitcoin(routes))
      const { minimum: known } = yield* onBitcoin(routes, withChildren)
      assert.deepInclude(known, { replacedFeeBaseUnits: "6700" }, JSON.stringify(partial))
    }
  })

  it("is not read from a source that returns an input twice", function* () {
    const { vin } = row(hash, parent, 1000)
    const doubled = { ...transactions, [`/tx/${hash}`]: row(hash, parent, 1000, { vin: [...vin, ...vin] }) }
    yield* Effect.flip(onBitcoin(doubled))
    assert.deepStrictEqual((yield* onBitcoin(doubled, transactions)).minimum, minimum)
  })

  it("cannot be cancelled if the size is unknown, or the inputs do not cover the fee", function* () {
    const poor = { ...row(hash, parent, 1000).vin[0], prevout: { scriptpubkey_address: own, value: 1_050 } }
    for (const [more, why] of [
      [{ vout: [{ value: 50_000 }] }, "size of a cancelling transaction"],
      [{ vin: [poor], vout: [{ scriptpubkey_address: own, value: 50 }] }, "do not cover"]
    ] as const) {
      const unspent = { [`/tx/${hash}/outspends`]: [{ spent: false }] }
      const routes = { ...transactions, ...unspent, [`/tx/${hash}`]: row(hash, parent, 1000, more) }
      const { kind, minimum: known, reason, transfer: none } = yield* onBitcoin(routes)
      assert.deepStrictEqual([kind, known, none], ["replace", minimum, null])
      assert.include(reason, why)
    }
  })

  it("cannot be cancelled if its only output would be dust", function* () {
    for (const [value, cost] of [
      [1_434, null],
      [1_435, "1141"]
    ] as const) {
      const vin = [{ ...row(hash, parent, 1000).vin[0], prevout: { scriptpubkey_address: own, value } }]
      const vout = [{ scriptpubkey_address: own, value: value - 1000 }]
      const unspent = { [`/tx/${hash}/outspends`]: [{ spent: false }] }
      const routes = { ...transactions, ...unspent, [`/tx/${hash}`]: row(hash, parent, 1000, { vin, vout }) }
      const { reason, transfer } = yield* onBitcoin(routes)
      assert.strictEqual(transfer?.feeBaseUnits ?? null, cost, String(reason))
    }
  })

  it("says that a transaction is no longer pending, and fails if no source responds", function* () {
    for (const gone of [{}, { [`/tx/${hash}`]: row(hash, parent, 1000, confirmed) }]) {
      const { reason, ...rest } = yield* onBitcoin(gone)
      assert.deepStrictEqual(rest, { kind: null, minimum: null, transfer: null })
      assert.include(reason, "any longer")
    }
    const { reason } = yield* Effect.flip(over("bitcoin", "ESPLORA", () => refused))
    assert.strictEqual(reason, "upstream_error")
    const coins = 2_200_000_000_000_000
    for (const wrong of [
      { [`/tx/${hash}`]: row(child, parent, 1), [`/tx/${child}/outspends`]: [] },
      { [`/tx/${hash}`]: row(hash, parent, coins) },
      { [`/tx/${hash}`]: row(hash, parent, 1, { weight: 0 }) },
      { [`/tx/${hash}`]: row(hash, parent, 1), [`/block/${tip}`]: { height: 100, timestamp: 100_000 } }
    ]) {
      yield* Effect.flip(onBitcoin({ ...transactions, ...wrong }))
      assert.deepStrictEqual((yield* onBitcoin({ ...transactions, ...wrong }, transactions)).minimum, minimum)
    }
  })

  it("is a child where nodes replace nothing, which pays for ancestors without confirmation too", function* () {
    const rates = { "/v1/fees/recommended": { fastestFee: 20, hourFee: 10, economyFee: 5 } }
    const onLitecoin = (routes: Routes) => over("litecoin", "ESPLORA", esplora(routes))
    const expected = {
      satPerVbyte: "12.908",
      feeBaseUnits: "1820",
      vbytes: 141,
      replacedFeeBaseUnits: null,
      incrementalSatPerVbyte: null
    }
    const { kind, minimum: alone, transfer: none } = yield* onLitecoin({ ...transactions, ...rates })
    assert.deepStrictEqual([kind, alone, none], ["child", expected, null])
    const pendingParent = { [`/tx/${parent}`]: row(parent, tip, 300), [`/tx/${tip}`]: row(tip, hash, 1, confirmed) }
    const { minimum: both } = yield* onLitecoin({ ...transactions, ...rates, ...pendingParent })
    assert.deepStrictEqual(both, { ...expected, satPerVbyte: "20.781", feeBaseUnits: "2930" })
    for (const lacking of [{ ...transactions }, { ...transactions, ...rates, [`/tx/${parent}`]: undefined }])
      assert.deepInclude(yield* onLitecoin(lacking), { kind: "child", minimum: null, transfer: null })
    // A rate that could not be read is read again.
    const hosts = { "0.test": esplora(transactions) }
    const read = yield* replacementOver("litecoin", hosts, { LITECOIN_ESPLORA_URLS: "http://0.test" })
    assert.isNull((yield* read(hash)).minimum)
    hosts["0.test"] = esplora({ ...transactions, ...rates })
    assert.deepStrictEqual((yield* read(hash)).minimum, expected)
  })

  it("depends on the signal of the transaction on Dogecoin, and is impossible on Bitcoin Cash", function* () {
    const blockbook = (sequence: number | undefined) => (request: SentRequest) =>
      request.url.pathname === "/api/v2"
        ? json({ blockbook: { bestHeight: 100, lastBlockTime: new Date(0).toISOString() } })
        : json({
            txid: hash,
            vsize: 226,
            vin: [{ txid: parent, vout: 1, value: "51000", isAddress: true, sequence }],
            vout: [{ value: "50000", isAddress: true }],
            blockHeight: -1,
            confirmations: 0,
            blockTime: 5
          })
    for (const [sequence, expected] of [
      [0xffffffff, "child"],
      [0xfffffffd, "replace"],
      [undefined, null]
    ] as const) {
      const { kind, minimum: none, reason } = yield* over("dogecoin", "BLOCKBOOK", blockbook(sequence))
      assert.deepStrictEqual([kind, none, typeof reason], [expected, null, "string"], String(sequence))
    }
    const { kind, reason } = yield* over("bch", "BLOCKBOOK", blockbook(0))
    assert.strictEqual(kind, null)
    assert.include(reason, "nodes of Bitcoin Cash")
  })
})
