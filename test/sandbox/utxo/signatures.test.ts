import { p2pkh, p2sh, p2tr, p2wpkh, Transaction } from "@scure/btc-signer"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { privateKeyToAccount, sign } from "viem/accounts"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import * as UtxoChain from "../../../src/sandbox/utxo/UtxoChain.ts"
import * as UtxoPool from "../../../src/sandbox/utxo/UtxoPool.ts"
import { utxo } from "../../../src/sandbox/utxo/utxo.ts"
import { raw } from "../../../src/sandbox/utxo/utxoRaw.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const key = Buffer.alloc(32, 9)
const privateKey = `0x${key.toString("hex")}` as const
const point = Buffer.from(privateKeyToAccount(privateKey).publicKey.slice(4), "hex")
const publicKey = Buffer.of(2 + ((point[63] ?? 0) & 1), ...point.subarray(0, 32))
const x = publicKey.subarray(1)

const network = { bech32: "bc", pubKeyHash: 0, scriptHash: 5, wif: 0x80 }

const kinds = {
  pkh: { payment: p2pkh(publicKey, network), spend: {} },
  wpkh: { payment: p2wpkh(publicKey, network), spend: {} },
  "sh-wpkh": { payment: p2sh(p2wpkh(publicKey, network), network), spend: p2sh(p2wpkh(publicKey, network), network) },
  tr: { payment: p2tr(x, undefined, network), spend: { tapInternalKey: x } }
} as const
type Kind = keyof typeof kinds

/** The address of this kind on a network. */
const addressOf = ({ coding }: UtxoFacts, kind: Kind) => {
  const payee = Either.getOrThrow(UtxoAddress.decode(Bitcoin.info, kinds[kind].payment.address ?? ""))
  return UtxoAddress.encode(coding, payee)
}

const amount = 1_000_000n

/** A pool that knows two outputs, and an unsigned transaction that spends both. */
const world = (facts: UtxoFacts, kind: Kind, type: number) => {
  const past = UtxoChain.past(facts)
  const funding = [1, 2].map((height) => raw(facts, height, [], [{ address: addressOf(facts, kind), amount }]))
  const transaction = new Transaction()
  const { payment, spend } = kinds[kind]
  for (const { hash, hex } of funding) {
    past.older({ hash, hex })
    transaction.addInput({
      ...spend,
      txid: hash,
      index: 0,
      sighashType: type,
      ...(kind === "pkh"
        ? { nonWitnessUtxo: Buffer.from(hex, "hex") }
        : { witnessUtxo: { script: payment.script, amount } })
    })
  }
  for (const paid of [400_000n, 500_000n]) transaction.addOutputAddress(kinds.pkh.payment.address ?? "", paid, network)
  return { pool: UtxoPool.make(past), transaction }
}

const sendTo = (pool: UtxoPool.Pool, hex: string) =>
  Effect.sync(() => Either.match(pool.send(hex, 0), { onLeft: ({ code }) => code, onRight: () => "accepted" }))

const flipped = (hex: string, bit: number) => {
  const bytes = Buffer.from(hex, "hex")
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return bytes.toString("hex")
}

/** Copies of a transaction, each with a flipped bit in a byte of `part`: every ninth byte and the last. */
const flips = (hex: string, part: Uint8Array) => {
  const start = hex.indexOf(Buffer.from(part).toString("hex")) / 2
  assert.isAbove(start, 4)
  return Array.from({ length: part.length }, (_, index) => index)
    .filter((index) => index % 9 === 0 || index === part.length - 1)
    .map((index) => flipped(hex, 8 * (start + index) + (index % 8)))
}

const isRefused = (pool: UtxoPool.Pool, hex: string, signature: Uint8Array) =>
  Effect.gen(function* () {
    for (const wrong of flips(hex, signature)) assert.strictEqual(yield* sendTo(pool, wrong), -26)
    assert.strictEqual(yield* sendTo(pool, hex), "accepted")
    // Signatures cover the amounts too.
    assert.strictEqual(yield* sendTo(pool, hex.replace("801a060000000000", "811a060000000000")), -26)
  })

const der = (r: string, s: string) => {
  const integer = (hex: string) => {
    const bytes = Buffer.from(hex.slice(2), "hex")
    const signed = (bytes[0] ?? 0) > 0x7f ? Buffer.of(0, ...bytes) : bytes
    return Buffer.of(2, signed.length, ...signed)
  }
  const numbers = Buffer.concat([integer(r), integer(s)])
  return Buffer.of(0x30, numbers.length, ...numbers)
}

describe("the simulated Bitcoin family", () => {
  for (const [{ info }, kind] of [
    [Bitcoin, "pkh"],
    [Bitcoin, "wpkh"],
    [Bitcoin, "sh-wpkh"],
    [Bitcoin, "tr"],
    [Litecoin, "wpkh"],
    [Dogecoin, "pkh"]
  ] as const)
    it(`rejects a transaction with a flipped bit in a signature: ${info.id}, ${kind}`, function* () {
      const { pool, transaction } = world(info, kind, kind === "tr" ? 0 : 1)
      transaction.sign(key)
      transaction.finalize()
      const { finalScriptSig = Buffer.alloc(0), finalScriptWitness } = transaction.getInput(1)
      const [signature = finalScriptSig.subarray(1, 1 + (finalScriptSig[0] ?? 0))] = finalScriptWitness ?? []
      yield* isRefused(pool, transaction.hex, signature)
    })

  it("accepts signatures over a part of the transaction, and rejects changes to that part", function* () {
    for (const kind of ["pkh", "wpkh", "tr"] as const)
      for (const type of [1, 2, 3, 0x81, 0x82, 0x83]) {
        const { pool, transaction } = world(Bitcoin.info, kind, type)
        const other = world(Bitcoin.info, kind, type)
        transaction.sign(key, [type])
        transaction.finalize()
        assert.strictEqual(yield* sendTo(pool, transaction.hex), "accepted", `${kind} ${type}`)
        // Changes the second output, which is signed unless the type is SIGHASH_NONE.
        const changed = transaction.hex.replace("20a1070000000000", "21a1070000000000")
        assert.strictEqual(yield* sendTo(other.pool, changed), (type & 3) === 2 ? "accepted" : -26, `${kind} ${type}`)
      }
  })

  it("rejects a flipped bit, and a signature for another chain: bch", function* () {
    const { pool, transaction } = world(Bch.info, "pkh", 1)
    const script = kinds.pkh.payment.script
    let last: Uint8Array = Buffer.alloc(0)
    for (const index of [0, 1]) {
      const hash =
        `0x${Buffer.from(transaction.preimageWitnessV0(index, script, 0x41, amount)).toString("hex")}` as const
      const { r, s } = yield* Effect.promise(() => sign({ hash, privateKey }))
      last = Buffer.of(...der(r, s), 0x41)
      transaction.updateInput(index, { finalScriptSig: Buffer.of(last.length, ...last, 33, ...publicKey) }, true)
    }
    yield* isRefused(pool, transaction.hex, last)
    const other = world(Bch.info, "pkh", 1)
    other.transaction.sign(key)
    other.transaction.finalize()
    assert.strictEqual(yield* sendTo(other.pool, other.transaction.hex), -26)
  })

  it("accepts a transaction that spends unknown outputs", function* () {
    const { transaction } = world(Bitcoin.info, "wpkh", 1)
    transaction.sign(key)
    transaction.finalize()
    const stranger = UtxoPool.make(UtxoChain.past(Bitcoin.info))
    assert.strictEqual(yield* sendTo(stranger, flipped(transaction.hex, 8 * 300)), "accepted")
  })

  it("lists an output until it is spent, and rejects a double spend", function* () {
    const { address = "", script } = kinds.wpkh.payment
    const given = World.make()
    const esplora = utxo({ ...Bitcoin.info, world: given } as typeof Bitcoin.info)[0]?.[1]
    const now = 1_790_000_000_000
    const call = (method: string, path: string, text = "") =>
      Effect.gen(function* () {
        const request = { method, path, query: new URLSearchParams(), body: text, now }
        const response = esplora?.(request) ?? assert.fail("no upstream")
        return yield* Effect.promise(() => response.text())
      })
    const listed = Effect.map(
      call("GET", `/address/${address}/utxo`),
      (text): ReadonlyArray<{ readonly txid: string; readonly vout: number; readonly value: number }> =>
        JSON.parse(text)
    )
    yield* given.fund("bitcoin", address, 500_000n)
    yield* given.fund("bitcoin", address, 100_000n)
    const before = yield* listed
    const [{ txid, vout } = assert.fail("not listed")] = before.filter(({ value }) => value === 100_000)
    const spending = (paid: bigint) => {
      const transaction = new Transaction()
      transaction.addInput({ txid, index: vout, witnessUtxo: { script, amount: 100_000n } })
      transaction.addOutputAddress(kinds.pkh.payment.address ?? "", paid, network)
      transaction.addOutputAddress(address, 99_000n - paid, network)
      transaction.sign(key)
      transaction.finalize()
      return transaction
    }
    const { hex, id } = spending(60_000n)
    assert.strictEqual(yield* call("POST", "/tx", hex), id)
    const sum = (outputs: typeof before) => outputs.reduce((all, { value }) => all + value, 0)
    const after = yield* listed
    assert.isFalse(after.some((output) => output.txid === txid && output.vout === vout))
    assert.strictEqual(sum(after), sum(before) - 61_000)
    assert.include(yield* call("POST", "/tx", spending(50_000n).hex), "insufficient fee, rejecting replacement")
    given.state.settleDue(now / 1000 + 600)
    assert.strictEqual(sum(yield* listed), sum(before) - 61_000)
    assert.include(yield* call("POST", "/tx", spending(50_000n).hex), "bad-txns-inputs-missingorspent")
  })
})
