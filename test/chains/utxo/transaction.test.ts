import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import * as UtxoTransaction from "../../../src/chains/utxo/rawTransactions/UtxoTransaction.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { any, hashOf, plain, sample, serialize } from "../../support/rawTransactions.ts"

const check = ({ name, transactions }: UtxoFacts, text: string) => UtxoTransaction.check(transactions, name)(text)

const hash = (info: UtxoFacts, text: string) => Either.map(check(info, text), (raw) => raw.hash)

const refusal = (info: UtxoFacts, text: string) => Either.getOrElse(Either.flip(check(info, text)), () => "nothing")

const all = [Bitcoin.info, Bch.info, Litecoin.info, Dogecoin.info]
const withWitnesses = [Bitcoin.info, Litecoin.info]

/** The first payment from one person to another on Bitcoin. */
const first =
  "0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd3704000000004847304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901ffffffff0200ca9a3b00000000434104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac00000000"

describe("a raw transaction that is checked", () => {
  it("has the hash that its network uses", () => {
    for (const info of all)
      assert.deepStrictEqual(
        hash(info, first),
        Either.right("f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16")
      )
  })

  it("is read to its end, whatever parts it has", () => {
    FastCheck.assert(
      FastCheck.property(plain, (made) => {
        for (const info of all) assert.deepStrictEqual(hash(info, serialize(made)), Either.right(hashOf(made)))
      })
    )
    FastCheck.assert(
      FastCheck.property(any, (made) => {
        for (const info of withWitnesses)
          assert.deepStrictEqual(hash(info, serialize(made).toUpperCase()), Either.right(hashOf(made)))
      })
    )
  })

  it("is refused if a part is missing or bytes follow it", () => {
    FastCheck.assert(
      FastCheck.property(any, FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (made, part) => {
        const text = serialize(made)
        const cut = text.slice(0, 2 * Math.floor((part * text.length) / 2))
        assert.isTrue(Either.isLeft(check(Bitcoin.info, cut)), cut)
        assert.match(refusal(Bitcoin.info, `${text}00`), /^it has 1 bytes after its end$/)
      })
    )
  })

  it("is refused with a reason, and never throws, for random bytes", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const info of all) assert.notStrictEqual(refusal(info, Buffer.from(bytes).toString("hex")), "")
      }),
      { numRuns: 1000 }
    )
  })

  it("is refused if it is not hexadecimal or too long", () => {
    assert.strictEqual(refusal(Bitcoin.info, "0200zz"), "it is not hexadecimal (character 5)")
    assert.strictEqual(refusal(Bitcoin.info, `0x${first}`), "it is not hexadecimal (character 2)")
    assert.strictEqual(refusal(Bitcoin.info, `${first}\n`), `it is not hexadecimal (character ${first.length + 1})`)
    assert.strictEqual(refusal(Bitcoin.info, first.slice(1)), "it has an odd number of hexadecimal digits")
    assert.match(refusal(Bitcoin.info, "00".repeat(800_001)), /more than 800000 weight units/)
    const large = serialize(sample(200_000))
    for (const info of all) assert.match(refusal(info, large), /more than 800000 weight units/)
    for (const info of all) assert.isTrue(Either.isRight(check(info, serialize(sample(190_000)))))
  })

  it("is refused without inputs, without outputs, and with impossible amounts", () => {
    const made = sample()
    const paying = (...amounts: ReadonlyArray<bigint>) =>
      serialize({ ...made, outputs: amounts.map((amount) => ({ amount, script: Buffer.alloc(25) })) })
    for (const info of all) {
      // On networks with witnesses, an empty list of inputs marks a transaction with witnesses.
      const none = refusal(info, serialize({ ...made, inputs: [] }))
      assert.match(none, info.transactions.witness ? /\w/ : /^it has no inputs$/)
      assert.strictEqual(refusal(info, serialize({ ...made, outputs: [] })), "it has no outputs")
      assert.strictEqual(refusal(info, paying(-1n)), "an output has a negative amount")
      const { maxAmount: most } = info.transactions
      assert.isTrue(Either.isRight(check(info, paying(most - 1n, 1n))))
      assert.strictEqual(refusal(info, paying(most, 1n)), `it pays more ${info.name} than can exist`)
    }
  })

  it("may be marked as having witnesses only if its network supports them and it has some", () => {
    const [input] = sample().inputs
    const made = { ...sample(), inputs: input === undefined ? [] : [{ ...input, witness: [Buffer.alloc(71)] }] }
    const text = serialize(made)
    for (const info of withWitnesses) assert.deepStrictEqual(hash(info, text), Either.right(hashOf(made)))
    for (const { info } of [Bch, Dogecoin]) assert.strictEqual(refusal(info, text), "it has no inputs")
    const empty = `${text.slice(0, 12)}${serialize(sample()).slice(8, -8)}0000000000`
    assert.strictEqual(refusal(Bitcoin.info, empty), "it is marked as having witnesses, but has none")
    const flagged = `${text.slice(0, 10)}03${text.slice(12)}`
    assert.strictEqual(refusal(Bitcoin.info, flagged), "it has unknown flags")
  })

  it("is refused if a length is not written in its shortest form", () => {
    const text = serialize(sample())
    assert.strictEqual(
      refusal(Bitcoin.info, `${text.slice(0, 8)}fd0100${text.slice(10)}`),
      "the number of inputs does not have its shortest encoding"
    )
    assert.strictEqual(
      refusal(Bitcoin.info, `${text.slice(0, 8)}feffffffff${text.slice(10)}`),
      "the number of inputs is larger than the maximum"
    )
  })

  it("may belong to an extension block only on Litecoin", () => {
    const extension = Buffer.concat([Buffer.of(1), Buffer.alloc(200, 5)])
    const text = serialize(sample(), extension)
    assert.deepStrictEqual(hash(Litecoin.info, text), Either.right(hashOf(sample())))
    assert.strictEqual(refusal(Bitcoin.info, text), "it has unknown flags")
    const alone = { ...sample(), inputs: [], outputs: [] }
    assert.deepStrictEqual(hash(Litecoin.info, serialize(alone, extension)), Either.right(undefined))
    assert.match(
      refusal(Litecoin.info, serialize(sample(), Buffer.of(1, 2, 3))),
      /^it ends in the midst of its extension$/
    )
    assert.match(refusal(Litecoin.info, serialize(sample(), Buffer.of(2))), /its extension is malformed/)
    assert.isTrue(Either.isRight(check(Litecoin.info, serialize(sample(), Buffer.of(0)))))
    assert.match(refusal(Litecoin.info, serialize(alone, Buffer.of(0))), /has no outputs/)
  })

  it("is looked up by 64 hexadecimal digits, in any case", () => {
    assert.deepStrictEqual(UtxoTransaction.checkHash("AB".repeat(32)), Either.right("ab".repeat(32)))
    for (const text of ["", "ab", "ab".repeat(33), `0x${"ab".repeat(31)}`, `${"ab".repeat(31)}zz`])
      assert.isTrue(Either.isLeft(UtxoTransaction.checkHash(text)))
  })
})
