import { base58 } from "@scure/base"
import { Address, beginCell, external, storeMessage } from "@ton/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { encode } from "ripple-binary-codec"
import * as PolkadotAddress from "../../src/chains/polkadot/PolkadotAddress.ts"
import * as PolkadotSending from "../../src/chains/polkadot/sending.ts"
import * as RippleSending from "../../src/chains/ripple/sending.ts"
import { signedFields } from "../../src/chains/ripple/submit/signedFields.ts"
import * as SolanaSending from "../../src/chains/solana/sending.ts"
import * as TonSending from "../../src/chains/ton/sending.ts"
import { millis } from "../../src/domain/units.ts"
import { ed25519 } from "../support/offline.ts"
import { signers } from "../support/signers.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Sender, sequence and end of a transaction, read from its signed bytes.

/** A payment of a network's signer, and its sender. */
const paid = (network: string, context: object) =>
  Effect.promise(async () => {
    const signer = await signers[network]?.()
    if (signer === undefined) return assert.fail(network)
    return { sender: signer.sender, ...(await signer.pay({ balance: "0", ...context } as never)) }
  })

const nothing = {} as never

describe("the bytes of a signed transaction", () => {
  it("have the account, the sequence and the last ledger on ripple", function* () {
    const { raw, sender } = yield* paid("ripple", { ledger: 90_000_000, openLedgerFee: "12", sequence: 7 })
    const { lastBlock, notes, uses } = Either.getOrThrow(
      RippleSending.sendable({ send: () => Effect.die("not sent here") })(raw)
    )
    assert.deepStrictEqual(uses, { account: sender, nonce: 7n })
    assert.deepStrictEqual<unknown>(lastBlock, 90_000_020)
    assert.deepStrictEqual(notes?.(millis(0)), ["90000020"])
  })

  it("are read past amounts of each kind and long values on ripple, and ignored if they are cut off", function* () {
    const account = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
    const token = { currency: "USD", issuer: account, value: "5" }
    const [key, key2] = ["02".repeat(33), "ab".repeat(300)]
    const fields = { TransactionType: "Payment", Fee: "12", Sequence: 5, SigningPubKey: key, TxnSignature: key2 }
    const bytes = Buffer.from(encode({ ...fields, Account: account, Amount: token, SendMax: token }), "hex")
    assert.deepInclude(signedFields(bytes), { sequence: 5, sender: account, isRead: true })
    for (let length = 0; length < bytes.length; length++)
      assert.isTrue([undefined, account].includes(signedFields(bytes.subarray(0, length)).sender))
    yield* Effect.void
  })

  it("have the wallet, the sequence number and the end of the order on ton", function* () {
    const { raw, sender } = yield* paid("ton", { seqno: 3 })
    const { expiry, hash, notes, uses } = Either.getOrThrow(TonSending.sendable(nothing)(raw))
    assert.deepStrictEqual(uses, { account: sender, nonce: 3n })
    assert.deepStrictEqual<unknown>(expiry, 4_000_000_000_000)
    assert.deepStrictEqual(notes?.(millis(0)), ["4000000000", hash])
    // Messages to other contracts say nothing.
    for (const bits of [0, 500, 600, 609, 900]) {
      const body = beginCell()
        .storeBuffer(Buffer.alloc(bits >> 3))
        .storeUint(0, bits % 8)
      const message = external({ to: Address.parse(sender), body: body.endCell() })
      const text = beginCell()
        .store(storeMessage(message, { forceRef: true }))
        .endCell()
        .toBoc()
        .toString("base64")
      const other = Either.getOrThrow(TonSending.sendable(nothing)(text))
      const end = [other.uses, other.expiry, other.notes?.(millis(0))[0]]
      assert.deepStrictEqual(end, [undefined, undefined, ""], `${bits}`)
    }
  })

  it("have the account, the nonce and the period of the era on polkadot", function* () {
    const context = {
      genesisHash: `0x${"1".repeat(64)}`,
      blockHash: `0x${"2".repeat(64)}`,
      specVersion: 1,
      transactionVersion: 1,
      nonce: 70,
      balance: "100000000000"
    }
    for (const [encoded, lifetime] of [
      ["0x0704", 256 * 6_000],
      ["0x00", undefined]
    ] as const) {
      const { raw, sender } = yield* paid("polkadot", { ...context, era: { period: 256, phase: 64, encoded } })
      const signed = Either.getOrThrow(
        PolkadotSending.signed({ once: () => Effect.die("not sent here") } as never)(raw)
      )
      const account = Either.getOrThrow(PolkadotAddress.parse(sender))
      assert.deepStrictEqual(signed.uses, { account, nonce: 70n })
      assert.strictEqual(signed.lifetime, lifetime)
      const notes = lifetime === undefined ? undefined : [account, "70", "256", "9"]
      assert.deepStrictEqual(signed.notes?.(millis(9_999)), notes)
    }
  })

  it("have the block hash on solana, unless they use a durable nonce", function* () {
    const blockhash = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"
    const { raw } = yield* paid("solana", { blockhash, lastValidBlockHeight: 5 })
    const notesOf = (text: string) => Either.getOrThrow(SolanaSending.sendable(nothing)(text)).notes?.(millis(9_999))
    assert.deepStrictEqual(notesOf(raw), [blockhash, "9"])
    const ofSystemProgram = (data: string) => {
      const { publicKey, sign } = ed25519(Buffer.alloc(32, 1))
      const [keys, recent] = [[publicKey, Buffer.alloc(32)], Buffer.alloc(32, 9)]
      const instruction = [1, 1, 1, 0, 4, ...Buffer.from(data, "hex")]
      const message = Buffer.concat([Buffer.of(1, 0, 1, 2), ...keys, recent, Buffer.from(instruction)])
      return Buffer.concat([Buffer.of(1), sign(message), message]).toString("base64")
    }
    assert.isUndefined(notesOf(ofSystemProgram("04000000")))
    assert.deepStrictEqual(notesOf(ofSystemProgram("02000000")), [base58.encode(new Uint8Array(32).fill(9)), "9"])
  })
})
